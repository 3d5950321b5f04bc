//! What holds for every new sandbox on this machine.

use serde::{Deserialize, Serialize};

/// The person's choices about sandboxes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SandboxRules {
    /// Whether a clone may share the files of its project's objects. Through them an agent can change the project's
    /// history, which only `git fsck` sees.
    pub hardlinks: bool,
    /// What must stay free on the disk beside a new sandbox, in bytes.
    pub keep_free: u64,
    /// What all sandboxes may take together before a new one is made, in bytes; no limit where absent.
    pub max_size: Option<u64>,
    /// What one sandbox and the temporary files of its run may take while anything of it works, in bytes; no limit
    /// where absent.
    #[serde(default)]
    pub max_each: Option<u64>,
}

impl Default for SandboxRules {
    /// No shared files, room for the work, for logs and for the database, and a limit that only what runs away meets.
    fn default() -> Self {
        Self { hardlinks: false, keep_free: 64 << 20, max_size: None, max_each: Some(50 << 30) }
    }
}
