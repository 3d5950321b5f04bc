//! The project of a tree stands elsewhere from now on.

use std::path::Path;

use super::{failure::Failure, news::News, transition::Occasion};
use crate::{
    database::{Write, rows::task},
    domain::TaskState,
    ids::TaskNumber,
    protocol::error::{ApiError, ErrorCode},
};

/// Notes that the project of the task `number`, and of all in its tree that have the same, stands at `project`. Refused
/// while one of them runs: its work would be handed over to where it was.
pub(super) fn relocate(
    write: &mut Write<'_>,
    number: TaskNumber,
    project: &Path,
    occasion: &Occasion,
) -> Result<(), Failure> {
    let row = task::get(write, number)?.ok_or_else(|| Failure::unknown(number))?;
    if !project.is_absolute() {
        return Err(Failure::refused(ErrorCode::Invalid, "`project` must be an absolute path"));
    }
    let Some(before) = row.spec.project else {
        let message = format!("{number} has no project");
        return Err(ApiError::new(ErrorCode::Refused, message).hinted("leave `--project` out").into());
    };
    if before == project {
        return Ok(());
    }
    for mut row in task::tree(write, row.root)? {
        if row.spec.project.as_ref() != Some(&before) {
            continue;
        }
        if matches!(row.state, TaskState::Running { .. } | TaskState::Keeping { .. }) {
            let message = format!("{} is running in the project as it stood", row.number);
            let error = ApiError::new(ErrorCode::Refused, message);
            return Err(error.hinted("wait until it has ended its turn").into());
        }
        row.spec.project = Some(project.to_owned());
        task::save_spec(write, &row)?;
        let text =
            format!("its project stands in `{}`, and no more in `{}`", project.display(), before.display());
        News::of_task(row.number, "project").tell(write, &text, occasion)?;
    }
    Ok(())
}
