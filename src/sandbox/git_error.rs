//! What can go wrong with one run of git.

use std::{
    io,
    os::unix::process::ExitStatusExt as _,
    process::{ExitStatus, Output},
};

/// One run of git that did not do what was asked.
#[derive(Debug, thiserror::Error)]
pub enum GitError {
    /// This git does not know what is asked of it.
    #[error("`git {verb}` needs git {needed} or newer")]
    TooOld {
        /// The git command.
        verb: &'static str,
        /// From which version on it is known.
        needed: &'static str,
    },
    /// No program called `git` on the search path.
    #[error("`git` was not found on PATH")]
    Missing,
    /// The program could not be started.
    #[error("`git {verb}` could not be started")]
    Start {
        /// The git command.
        verb: &'static str,
        /// The system's reason.
        source: io::Error,
    },
    /// It ended with an error.
    #[error("`git {verb}` {ended}: {words}")]
    Failed {
        /// The git command.
        verb: &'static str,
        /// How it ended, such as `exited with 128`.
        ended: String,
        /// What it said, in one line of at most 500 characters without control characters.
        words: String,
    },
    /// It did not end within its time limit.
    #[error("`git {verb}` did not end within {seconds} s")]
    TimedOut {
        /// The git command.
        verb: &'static str,
        /// The limit.
        seconds: u64,
    },
    /// It said more than is read.
    #[error("`git {verb}` answered with more than {limit} bytes")]
    TooMuch {
        /// The git command.
        verb: &'static str,
        /// The limit in bytes.
        limit: usize,
    },
    /// It said something that is not understood.
    #[error("`git {verb}` answered `{answer}`, which is not understood")]
    Answer {
        /// The git command.
        verb: &'static str,
        /// The beginning of the answer.
        answer: String,
    },
    /// A file that git needs could not be prepared.
    #[error("the files for `git {verb}` could not be prepared")]
    Files {
        /// The git command.
        verb: &'static str,
        /// The system's reason.
        source: io::Error,
    },
}

impl GitError {
    pub(super) fn failed(verb: &'static str, output: &Output) -> Self {
        Self::Failed { verb, ended: ended(output.status), words: words(&output.stderr) }
    }

    pub(super) fn answer(verb: &'static str, answer: &[u8]) -> Self {
        Self::Answer { verb, answer: words(answer) }
    }
}

fn ended(status: ExitStatus) -> String {
    match (status.code(), status.signal()) {
        (Some(code), _) => format!("exited with {code}"),
        (None, Some(signal)) => format!("was ended by signal {signal}"),
        (None, None) => "ended".to_owned(),
    }
}

/// Git's own words on one line. File names in them come from agents, so control characters go.
fn words(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(bytes);
    let lines: Vec<_> = text.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    let joined: String = lines.join("; ").chars().filter(|letter| !letter.is_control()).take(500).collect();
    if joined.is_empty() { "(it said nothing)".to_owned() } else { joined }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_git_said_is_one_line_without_control_characters() {
        assert_eq!(words(b"error: a\n\nfatal: \x1b[31mb\n"), "error: a; fatal: [31mb");
        assert_eq!(words(b""), "(it said nothing)");
    }

    #[test]
    fn what_git_said_is_shortened() {
        assert_eq!(words(&vec![b'x'; 100_000]).len(), 500);
    }
}
