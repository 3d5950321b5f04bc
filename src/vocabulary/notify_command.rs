//! The command that tells its person what happened.

use serde::{Deserialize, Serialize};

/// A command of the person's own that is given each notice. Never an agent's: it stands in the configuration alone.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct NotifyCommand {
    /// The program, looked up on the PATH.
    pub program: String,
    /// Its arguments.
    pub arguments: Vec<String>,
    /// How many seconds it has before it and all it started are ended.
    pub limit_seconds: u64,
}
