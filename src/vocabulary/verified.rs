//! What came of the command that decides whether a task's work is good.

use serde::{Deserialize, Serialize};

use super::work::{Exit, Fault};

/// One run of the command.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Verified {
    /// The command.
    pub command: String,
    /// How it ended.
    pub exit: Exit,
    /// The last 4 KiB of what it wrote to both its streams.
    pub tail: String,
    /// Its limit in seconds, where it was ended for that.
    pub limit_seconds: Option<u64>,
}

impl Verified {
    /// What is wrong with the work; `None` only where the command returned 0 by itself.
    pub fn fault(&self) -> Option<Fault> {
        let fault = Fault::new("verify", format!("`{}` {}", self.command, self.how_it_failed()?));
        Some(fault.hinted("`callbox show` prints the end of its output; `callbox resume` goes on with it"))
    }

    /// How it ended, as the end of a sentence; `None` where it found nothing wrong.
    pub fn how_it_failed(&self) -> Option<String> {
        match (self.limit_seconds, self.exit) {
            (Some(seconds), _) => Some(format!("was ended after its limit of {seconds} s")),
            (None, Exit::Code(0)) => None,
            (None, Exit::Code(code)) => Some(format!("failed with exit status {code}")),
            (None, Exit::Signal(signal)) => Some(format!("was ended by signal {signal}")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_command_that_returned_0_by_itself_found_nothing_wrong() {
        let verified = |exit, limit_seconds| {
            let (command, tail) = ("make test".to_owned(), String::new());
            Verified { command, exit, tail, limit_seconds }.fault().map(|fault| fault.message)
        };
        assert_eq!(verified(Exit::Code(0), None), None);
        for (exit, limit, message) in [
            (Exit::Code(2), None, "`make test` failed with exit status 2"),
            (Exit::Signal(9), None, "`make test` was ended by signal 9"),
            (Exit::Code(0), Some(600), "`make test` was ended after its limit of 600 s"),
        ] {
            assert_eq!(verified(exit, limit).as_deref(), Some(message));
        }
    }
}
