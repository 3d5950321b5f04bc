//! What is learned about an agent while it runs: adapters read it out of an agent's output, the
//! supervisor reports it, the store keeps it.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::isolation::Isolation;
use super::work::{Denial, Usage};
use crate::ids::TaskNumber;

/// One thing learned about a running agent.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Fact {
    /// The sandbox stands.
    Sandbox {
        /// Relative to the state directory.
        directory: PathBuf,
        /// The commit it starts from; absent where there is no project.
        base: Option<String>,
    },
    /// A resume could not go on where it stopped, and a fresh conversation was opened instead.
    Retold {
        /// What was gone.
        reason: String,
    },
    /// Where a subtask starts that was spawned a moment ago.
    SpawnBase {
        /// The subtask.
        task: TaskNumber,
        /// The commit the sandbox stood on, in hex.
        commit: String,
    },
    /// What will hold the agent.
    Isolated {
        /// As it is, whatever was asked for.
        isolation: Isolation,
    },
    /// The agent program runs.
    AgentStarted {
        /// Its process id.
        pid: u32,
        /// Its version, where it says one.
        version: Option<String>,
        /// `subscription`, or the name of the variable that held the key.
        credential: Option<String>,
    },
    /// The agent's own session id.
    Session {
        /// As the program gave it.
        id: String,
    },
    /// The model in use, as the program names it.
    Model {
        /// Its name.
        name: String,
    },
    /// An agent event that proves the message of this execution was taken.
    TurnTaken,
    /// An agent event that proves the result of a call of one of the four tools was taken.
    ResultTaken {
        /// The key under which the call is recorded.
        key: String,
    },
    /// What the agent is doing now, such as `Bash: cargo test`.
    Activity {
        /// Shortened to 200 characters.
        text: String,
    },
    /// What this execution has used so far.
    Usage {
        /// Totals of this execution.
        usage: Usage,
    },
    /// A tool was denied.
    Denied {
        /// Which, and how often so far.
        denial: Denial,
    },
    /// The provider was asked again after an error.
    ProviderRetry {
        /// The provider's words.
        message: String,
    },
    /// Something a person should be told, such as uncommitted changes that are not included.
    Notice {
        /// A sentence.
        text: String,
    },
}
