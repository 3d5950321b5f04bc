//! Keeping work that was handed over as a patch: no commit of the project has it, so that nothing could be shown of it
//! nor go on from it once its sandbox is gone.

use crate::{
    protocol::{
        launch::kept_reference,
        remains::{KeptNow, Remains},
    },
    sandbox::{Git, KeepRequest, keep},
    vocabulary::with_sources,
};

/// Writes the reference, where there is such work; a sentence where that cannot be done. Can be repeated.
pub(super) fn keep_patched(git: &Git, remains: &Remains) -> Result<Option<KeptNow>, String> {
    let Some((patched, project)) = remains.patched.as_ref().zip(remains.project.as_deref()) else {
        return Ok(None);
    };
    let request = KeepRequest {
        project,
        sandbox: &patched.sandbox,
        base: &patched.base,
        head: &patched.head,
        reference: &kept_reference(patched.execution),
    };
    // Under which name it stands is shown with the task.
    let (kept, _) = keep(git, &request).map_err(|error| {
        format!(
            "its work stands in a patch and in its sandbox, and cannot be kept in the project: {}",
            with_sources(&error)
        )
    })?;
    Ok(kept.map(|kept| KeptNow { execution: patched.execution, kept }))
}
