//! What would be lost with the sandboxes of a task.

use crate::{
    protocol::remains::Remains,
    sandbox::{Git, Handed, Leaving, undelivered},
    vocabulary::with_sources,
};

/// A sentence, where there is anything. What cannot be looked at is not known to stand elsewhere.
pub(super) fn held(git: &Git, remains: &Remains) -> Option<String> {
    let handed: Vec<Handed<'_>> = remains
        .handed
        .iter()
        .map(|handed| Handed { head: &handed.head, patch: handed.patch.as_deref() })
        .collect();
    remains.sandboxes.iter().find_map(|directory| {
        if remains.submodules {
            return Some("what was done in its submodules stands nowhere else".to_owned());
        }
        let leaving = Leaving { directory, project: remains.project.as_deref(), handed: &handed };
        match undelivered(git, &leaving) {
            Ok(found) => found.map(|lost| lost.to_string()),
            Err(error) => {
                Some(format!("what stands in its sandbox cannot be told: {}", with_sources(&error)))
            }
        }
    })
}
