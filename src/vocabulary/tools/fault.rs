//! What is wrong with the arguments of a tool call, said so that an agent can mend it.

use super::limits::{Count, Length};

/// One wrong argument: which, and why.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{field}` {problem}")]
pub struct ArgumentFault {
    /// The argument's name, with its place where it is an item: `question`, `options[2]`. Shortened
    /// and escaped where it is a name the caller made up.
    pub field: String,
    /// What is wrong with it.
    pub problem: ArgumentProblem,
}

/// What can be wrong with an argument. Each reads on after the argument's name.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ArgumentProblem {
    /// The tool itself does not exist.
    #[error("is no tool; the tools are `ask_user`, `record_progress`, `report_summary` and `spawn_subtask`")]
    NoTool,
    /// The tool takes no such argument.
    #[error("is no argument of `{tool}`, which takes {known}")]
    Unknown {
        /// The tool.
        tool: &'static str,
        /// The arguments it takes, as prose.
        known: String,
    },
    /// A required argument is absent or null.
    #[error("is required")]
    Missing,
    /// The value is of another JSON type.
    #[error("must be {wanted}, and is {given}")]
    Type {
        /// What the schema says, as prose.
        wanted: &'static str,
        /// What came, as prose.
        given: &'static str,
    },
    /// Too many characters.
    #[error("must have {} to {} characters, and has {given}", allowed.least, allowed.most)]
    Length {
        /// What is allowed.
        allowed: Length,
        /// How many there are.
        given: usize,
    },
    /// Nothing but blanks.
    #[error("must not be blank")]
    Blank,
    /// A NUL, which no terminal, file name or argument can carry.
    #[error("must not contain a NUL character")]
    Nul,
    /// A line break or another control character in a name.
    #[error("must be a single line without control characters")]
    Lines,
    /// Too many items.
    #[error("must have {} to {} items, and has {given}", allowed.least, allowed.most)]
    Items {
        /// What is allowed.
        allowed: Count,
        /// How many there are.
        given: usize,
    },
    /// A number out of range, or not a whole one.
    #[error("must be a whole number from {} to {}, and is {given}", allowed.least, allowed.most)]
    Range {
        /// What is allowed.
        allowed: Count,
        /// What came, as JSON.
        given: String,
    },
    /// A word that is not on the list.
    #[error("must be {wanted}")]
    Choice {
        /// The list, as prose.
        wanted: &'static str,
    },
}
