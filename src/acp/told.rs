//! What callbox tells the client on its standard input.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::vocabulary::Permissions;

/// The document. It holds the token of the run: it is never printed.
#[derive(Serialize, Deserialize)]
pub struct Told {
    /// The program that speaks the protocol; absolute.
    pub program: PathBuf,
    /// Its arguments.
    pub arguments: Vec<String>,
    /// Where the agent works; absolute.
    pub directory: PathBuf,
    /// Which conversation to hold.
    pub session: Session,
    /// What opens the session beside what the protocol names (`_meta`); null where there is nothing.
    pub meta: Value,
    /// The MCP servers, as the protocol writes them.
    pub servers: Vec<Value>,
    /// How requests for permission are decided.
    pub rules: Rules,
    /// How the program's own names of tools are found.
    pub naming: Naming,
    /// The mode that the session is put into.
    pub mode: Option<String>,
    /// The model that is asked for by an option of the session.
    pub model: Option<String>,
    /// What is said.
    pub prompt: String,
    /// Files of the conversation that the program would overwrite.
    pub remembered: Option<Remembered>,
    /// Files of the person's that the program finds in a home of its own.
    pub borrowed: Vec<Borrowed>,
}

/// A file of the person's, such as a login, that a program reads and renews in the place it is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Borrowed {
    /// Where it is; absolute.
    pub from: PathBuf,
    /// Where the program looks for it; absolute.
    pub to: PathBuf,
}

/// Which conversation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Session {
    /// A new one, whose id the program chooses.
    New,
    /// The one the program knows by this id.
    Resume(String),
}

/// What the agent may do.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Rules {
    /// In callbox's words.
    pub permissions: Permissions,
    /// Tools allowed beyond these, by name or by kind.
    pub allow: Vec<String>,
    /// MCP servers of the person's own, by name. Who may only look is not allowed their tools.
    pub servers: Vec<String>,
}

/// Where the name of a tool stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Naming {
    /// In its field, or nowhere.
    Field,
    /// Before the last `__` of the call's id, as Gemini CLI makes them.
    CallId,
}

/// Where a program keeps its conversations, in files that it may overwrite where it is to go on with one: Gemini CLI
/// 0.61.0 begins a file named by the minute and the session's id before it looks for the conversation, and overwrites
/// what it was to read when that was begun in the same minute.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Remembered {
    /// The folder that holds a folder for each project; absolute.
    pub folder: PathBuf,
    /// The folder within that.
    pub within: String,
    /// What the files' names begin with.
    pub beginning: String,
    /// What they end in.
    pub ending: String,
}
