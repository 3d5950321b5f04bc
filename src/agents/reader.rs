//! How the output of one run is understood.

use crate::vocabulary::{AgentEnd, Denial, Exit, Fact, Fault, Permissions, Usage};

/// Understands the output of one run, line by line. What it is given is untrusted: no line, however
/// broken, may panic, grow it without limit or turn into a success.
pub trait Reader: Send {
    /// What `line` (standard output, without its newline) says.
    fn line(&mut self, line: &[u8]) -> Vec<Read>;

    /// What `line` (standard error, without its newline) says, where the program tells there what it tells nowhere
    /// else.
    fn complaint(&mut self, line: &[u8]) -> Vec<Read> {
        let _ = line;
        Vec::new()
    }

    /// Whether the program has said that its run is over. One that has not exited a while later may
    /// be ended and keeps its result.
    fn done(&self) -> bool;

    /// How the run will end whatever the program still tries, where that is already certain: the
    /// program may be ended now. Claude Code asks ten times, for minutes, after a refused login.
    fn hopeless(&self) -> Option<AgentEnd>;

    /// How the run ended: the program's own terminal event and its error flag decide, then `exit`,
    /// since exit statuses lie. `stderr_tail` is the end of its standard error.
    fn conclude(self: Box<Self>, exit: Exit, stderr_tail: &str) -> Conclusion;
}

/// What a reader must know of a run that its output does not tell.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Beforehand {
    /// What the agent may do.
    pub permissions: Permissions,
    /// What the runs before this one used in the conversation it goes on with, as far as it was told; nothing for
    /// a new one.
    pub used: Usage,
}

/// One thing read.
#[derive(Debug, Clone, PartialEq)]
pub enum Read {
    /// For the store.
    Fact(Fact),
    /// A line for the readable transcript.
    Text(String),
}

/// What the output of a whole run comes to.
#[derive(Debug, Clone, PartialEq)]
pub struct Conclusion {
    /// `Finished`, `Failed`, `RateLimited`, `Auth` or `Unavailable`, never another.
    pub end: AgentEnd,
    /// Whether any event proved that the message was taken.
    pub turn_taken: bool,
    /// The program's own session id.
    pub session: Option<String>,
    /// Whether the session to be resumed is gone: a fresh conversation may be opened instead.
    pub session_unknown: bool,
    /// The last thing the agent said.
    pub final_message: Option<String>,
    /// What this run alone used.
    pub usage: Usage,
    /// What was denied, each kind once with its count.
    pub denials: Vec<Denial>,
    /// What the program itself said about a shim that did not start.
    pub wiring: Option<Fault>,
}
