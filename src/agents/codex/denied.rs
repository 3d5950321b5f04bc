//! What of a run was held back. Codex has no event for it: its own sandbox, or callbox's around it, lets the call fail.
//! Of a command that was over at once it even has no event at all then. So its log, on standard error, is asked too.

use super::item::{Item, Standing};
use crate::vocabulary::Permissions;

/// What a command says that was kept from writing, in the words of the system.
const KEPT_FROM_WRITING: [&str; 3] =
    ["Read-only file system", "Permission denied", "Operation not permitted"];
/// The first of them is that of Codex's own sandbox alone.
const BY_CODEX: &str = KEPT_FROM_WRITING[0];

/// How Codex refuses a call that only a person could allow.
const UNAPPROVED: &str = "requires approval, but approval policy is never";

/// Before the reason for which Codex rejects a patch, which it writes to standard error only.
const REJECTED: &str = "patch rejected: ";

/// The tool and the input of what was held back, where `item`, which is over, tells of it. Who may only look is held
/// back from every change; who may edit, from writing outside of the sandbox where Codex sees to that.
pub(super) fn denied(item: &Item, permissions: Permissions) -> Option<(String, String)> {
    let held_back = match item {
        Item::Command { standing: Standing::Declined, .. }
        | Item::Change { standing: Standing::Declined, .. } => true,
        Item::Command { output, exit, .. } => {
            let says = |words: &[&str]| words.iter().any(|words| output.contains(words));
            let failed = exit.is_some_and(|status| status != 0);
            failed
                && match permissions {
                    Permissions::Read => says(&KEPT_FROM_WRITING),
                    Permissions::Edit => says(&[BY_CODEX]),
                    Permissions::Full => false,
                }
        }
        Item::Change { standing, .. } => *standing == Standing::Failed && permissions == Permissions::Read,
        Item::Call(call) => call.error.as_ref().is_some_and(|error| error.contains(UNAPPROVED)),
        Item::Words(_) | Item::Trouble(_) | Item::Other => false,
    };
    if !held_back {
        return None;
    }
    match item {
        Item::Command { command, .. } => Some(("exec_command".to_owned(), command.clone())),
        Item::Change { paths, .. } => Some(("apply_patch".to_owned(), paths.clone())),
        Item::Call(call) => Some((call.full_name(), call.input.clone())),
        Item::Words(_) | Item::Trouble(_) | Item::Other => None,
    }
}

/// What makes Codex log what its sandbox held back: the value of `RUST_LOG`.
pub(super) const LOGGED: &str = "error,codex_sandboxing=warn";

/// What it logs then, once for each command.
const VIOLATION: &str = "recorded sandbox violation: ";

/// What a line of Codex's log tells of what was held back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Logged {
    /// A command was, by Codex's own sandbox.
    Command,
    /// A patch was rejected for what it would have changed.
    Patch,
}

/// Reads a line of standard error.
pub(super) fn logged(line: &str) -> Option<Logged> {
    if line.contains(VIOLATION) {
        return Some(Logged::Command);
    }
    let (_, reason) = line.split_once(REJECTED)?;
    let held_back = reason.contains("read-only") || reason.contains("outside of the project");
    held_back.then_some(Logged::Patch)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn command(exit: i64, output: &str) -> Item {
        Item::Command {
            command: "touch x".to_owned(),
            output: output.to_owned(),
            exit: Some(exit),
            standing: Standing::Done,
        }
    }

    #[test]
    fn a_command_that_failed_for_what_it_may_not_do_was_denied_and_no_other() {
        for (exit, output, read, edit) in [
            (1, "touch: x: Read-only file system", true, true),
            (1, "touch: x: Permission denied", true, false),
            (0, "touch: x: Read-only file system", false, false),
            (1, "no such file", false, false),
        ] {
            let held = |permissions| denied(&command(exit, output), permissions).is_some();
            assert_eq!((held(Permissions::Read), held(Permissions::Edit)), (read, edit), "{exit} {output}");
            assert!(!held(Permissions::Full));
        }
    }

    #[test]
    fn what_is_logged_of_what_was_held_back_is_read_and_nothing_else() {
        for (line, expected) in [
            (
                "ERROR x: error=patch rejected: writing is blocked by read-only sandbox; by user",
                Some(Logged::Patch),
            ),
            ("ERROR x: error=patch rejected: writing outside of the project; by user", Some(Logged::Patch)),
            ("WARN x: recorded sandbox violation: resource=filesystem", Some(Logged::Command)),
            ("ERROR x: error=patch rejected: it is empty", None),
            ("ERROR x: error=apply_patch verification failed", None),
        ] {
            assert_eq!(logged(line), expected, "{line}");
        }
    }
}
