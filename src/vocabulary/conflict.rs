//! Work that does not go together with the branch it is to be merged into.

use serde::{Deserialize, Serialize};

use super::work::Fault;

/// What is in conflict.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Conflict {
    /// The branch.
    pub branch: String,
    /// Where it stands; the agent has that commit.
    pub commit: String,
    /// The files that both changed.
    pub files: Vec<String>,
}

impl Conflict {
    /// Why the work is not merged.
    pub fn fault(&self) -> Fault {
        let message = format!("the work does not merge with `{}`: both changed {}", self.branch, self.list());
        Fault::new("conflict", message)
            .hinted("`callbox resume` has its agent try again; what is kept can be merged by hand")
    }

    /// The first ten files, since there may be thousands.
    pub fn list(&self) -> String {
        let shown: Vec<String> = self.files.iter().take(10).map(|file| format!("`{file}`")).collect();
        match self.files.len().saturating_sub(shown.len()) {
            0 => shown.join(", "),
            more => format!("{} and {more} more", shown.join(", ")),
        }
    }
}
