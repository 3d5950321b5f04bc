//! callbox's three words for what an agent may do, in Codex's terms.
//!
//! Codex holds the commands of its model in a sandbox of its own (bubblewrap), which cannot be set up under Landlock:
//! mounting is refused there. So where callbox's isolation holds all of Codex, Codex is told to hold nothing itself, and
//! who may only look is held to that by the rules around it. A launcher of the person's holds what they want held;
//! whether another sandbox can be set up within it, nobody here knows, so only `read` tries. Where nothing holds Codex,
//! it holds the commands, with two openings: its own `.git`, which Codex otherwise keeps from commits, and the network.

use std::path::Path;

use super::setting::{Setting, Value, text};
use crate::{
    agents::Reach,
    vocabulary::{Isolation, Permissions},
};

/// How a run is held.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Hold {
    /// What Codex is told of it.
    pub(super) settings: Vec<Setting>,
    /// What callbox's rules, where there are any, allow in the directory.
    pub(super) reach: Reach,
}

/// The hold of a run in `directory` under `permissions`, which `isolation` holds.
pub(super) fn hold(permissions: Permissions, isolation: &Isolation, directory: &Path) -> Hold {
    let (mode, reach) = match (permissions, isolation) {
        (Permissions::Read, Isolation::Landlock { .. }) => ("danger-full-access", Reach::Read),
        (Permissions::Read, Isolation::None | Isolation::Command { .. }) => ("read-only", Reach::Write),
        (Permissions::Edit, Isolation::None) => ("workspace-write", Reach::Write),
        (Permissions::Edit, Isolation::Landlock { .. } | Isolation::Command { .. })
        | (Permissions::Full, _) => ("danger-full-access", Reach::Write),
    };
    let mut settings = vec![text("approval_policy", "never"), text("sandbox_mode", mode)];
    if mode == "workspace-write" {
        let git = directory.join(".git").to_string_lossy().into_owned();
        settings.push(("sandbox_workspace_write.writable_roots".to_owned(), Value::Texts(vec![git])));
        settings.push(("sandbox_workspace_write.network_access".to_owned(), Value::Is(true)));
    }
    Hold { settings, reach }
}

/// The line of a task file under which `tool` would have been allowed.
pub(super) fn allowing(tool: &str) -> String {
    match tool {
        "exec_command" | "apply_patch" => "permissions: edit  # outside the sandbox: full".to_owned(),
        _ => "permissions: edit".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mode(permissions: Permissions, isolation: &Isolation) -> (String, Reach) {
        let hold = hold(permissions, isolation, Path::new("/s"));
        let mode = hold.settings.iter().find(|(name, _)| name == "sandbox_mode").unwrap();
        let Value::Text(mode) = &mode.1 else { panic!() };
        (mode.clone(), hold.reach)
    }

    #[test]
    fn codex_holds_only_what_nothing_around_it_holds_and_looking_is_always_held() {
        let landlock = Isolation::Landlock { abi: 6 };
        for (permissions, isolation, expected, reach) in [
            (Permissions::Read, &Isolation::None, "read-only", Reach::Write),
            (Permissions::Read, &landlock, "danger-full-access", Reach::Read),
            (Permissions::Edit, &Isolation::None, "workspace-write", Reach::Write),
            (Permissions::Edit, &landlock, "danger-full-access", Reach::Write),
            (Permissions::Full, &Isolation::None, "danger-full-access", Reach::Write),
            (Permissions::Full, &landlock, "danger-full-access", Reach::Write),
        ] {
            assert_eq!(
                mode(permissions, isolation),
                (expected.to_owned(), reach),
                "{permissions:?} {isolation:?}"
            );
        }
    }
}
