//! What an archive holds.

use crate::ids::UniqueId;

/// All of it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Contents {
    /// The rows of the tasks, as the store wrote them.
    pub rows: Vec<u8>,
    /// What tasks take along beside their rows.
    pub tasks: Vec<Luggage>,
}

/// What one task takes along.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Luggage {
    /// The task.
    pub task: UniqueId,
    /// How its sandbox stood; absent where none goes along.
    pub sandbox: Option<Sandbox>,
    /// The files of its conversation.
    pub transcript: Vec<Transcript>,
}

/// How a sandbox stood.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sandbox {
    /// The commit it was made from; absent where the task has no project.
    pub base: Option<String>,
    /// The commit its agent stood on; absent where the task has no project.
    pub head: Option<String>,
    /// A commit of what was not committed, on top of that; absent where everything was.
    pub work: Option<String>,
    /// A bundle with the commits that a project may lack; absent where there are none.
    pub bundle: Option<Vec<u8>>,
}

/// One file of a conversation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Transcript {
    /// The names on the way to it from where its program keeps conversations; its own last.
    pub path: Vec<String>,
    /// What it holds.
    pub bytes: Vec<u8>,
}
