//! What must be known of an agent program to rehearse it against a model server that is not its provider's.

use std::path::Path;

use serde_json::Value;

/// One program's part in a rehearsal.
#[derive(Debug, Clone)]
pub struct Rehearsal {
    /// The variables that lead the program to the model server at a URL, with a key that opens nothing.
    pub variables: fn(&str) -> Vec<(&'static str, String)>,
    /// A call of its own tool that writes `x` into the file `edited.txt` where it works.
    pub edit: OwnCall,
    /// A call of its own tool that runs a command, which makes the file `shell.txt` where it works.
    pub shell: OwnCall,
    /// What the program calls that tool where it tells that a call of it was denied.
    pub shell_denied: &'static str,
    /// How many messages of its model's it tells of, once it goes on behind the question, where that is not each that the
    /// model said.
    pub joined: Option<usize>,
    /// Files of a hostile repository, by their path in it. Each springs the trap where the program heeds it.
    pub traps: Vec<(&'static str, String)>,
}

/// A call of one of a program's own tools.
#[derive(Debug, Clone)]
pub struct OwnCall {
    /// The tool, as the program names it to its model.
    pub tool: &'static str,
    /// Its arguments.
    pub arguments: Value,
}

/// What a hostile repository would do, so that it is found out.
#[derive(Debug, Clone, Copy)]
pub struct Trap<'a> {
    /// Where a command of the repository's would leave a file. Without quotes or spaces.
    pub mark: &'a Path,
    /// Where the repository would send the program's requests, its key among them.
    pub decoy: &'a str,
}
