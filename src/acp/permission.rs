//! Whether a call is allowed; **pure**.

use std::path::{Component, Path, PathBuf};

use agent_client_protocol::v1::schema::{PermissionOption, PermissionOptionKind, ToolKind};

use super::told::Rules;
use crate::vocabulary::Permissions;

/// A call that the program asks about.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Wanted {
    /// Its name, where it is known.
    pub(super) name: Option<String>,
    /// Whether it is one of the four.
    pub(super) own: Option<&'static str>,
    /// What kind of call it is, as the program tells it.
    pub(super) kind: ToolKind,
    /// What it touches.
    pub(super) paths: Vec<PathBuf>,
}

/// What is decided.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Decision {
    /// It is allowed, this once.
    Allow,
    /// It is not.
    Deny,
}

/// Decides on `wanted`, of an agent that works in `directory`.
pub(super) fn decide(rules: &Rules, directory: &Path, wanted: &Wanted) -> Decision {
    let named = |allowed: &String| wanted.name.as_ref() == Some(allowed) || *allowed == word(wanted.kind);
    let inside = || !wanted.paths.is_empty() && wanted.paths.iter().all(|path| is_within(path, directory));
    let allowed = match (rules.permissions, wanted.kind) {
        _ if wanted.own.is_some() => true,
        // Plans what somebody is to approve, and nobody is there.
        (_, ToolKind::SwitchMode) => false,
        (Permissions::Full, _) => true,
        _ if rules.allow.iter().any(named) => true,
        (_, ToolKind::Read | ToolKind::Search | ToolKind::Think) | (Permissions::Edit, ToolKind::Execute) => {
            true
        }
        (Permissions::Read, _) => false,
        (Permissions::Edit, ToolKind::Edit | ToolKind::Delete | ToolKind::Move) => inside(),
        (Permissions::Edit, _) => rules.servers.iter().any(|server| is_of(wanted, server)),
    };
    if allowed { Decision::Allow } else { Decision::Deny }
}

/// The option of the program's that says so, for this once where there is one: what is allowed for always, some
/// programs write into files of the repository.
pub(super) fn option(decision: Decision, options: &[PermissionOption]) -> Option<&PermissionOption> {
    let wanted = match decision {
        Decision::Allow => [PermissionOptionKind::AllowOnce, PermissionOptionKind::AllowAlways],
        Decision::Deny => [PermissionOptionKind::RejectOnce, PermissionOptionKind::RejectAlways],
    };
    wanted.into_iter().find_map(|kind| options.iter().find(|option| option.kind == kind))
}

/// The protocol's word for a kind of call.
pub(super) fn word(kind: ToolKind) -> &'static str {
    match kind {
        ToolKind::Read => "read",
        ToolKind::Edit => "edit",
        ToolKind::Delete => "delete",
        ToolKind::Move => "move",
        ToolKind::Search => "search",
        ToolKind::Execute => "execute",
        ToolKind::Think => "think",
        ToolKind::Fetch => "fetch",
        ToolKind::SwitchMode => "switch_mode",
        _ => "other",
    }
}

/// Whether the call is one of the MCP server `server`, as programs name such tools.
fn is_of(wanted: &Wanted, server: &str) -> bool {
    let Some(name) = &wanted.name else { return false };
    [format!("mcp__{server}__"), format!("mcp_{server}_"), format!("{server}/")]
        .iter()
        .any(|beginning| name.starts_with(beginning))
}

/// Whether `path` stands in `directory`, told from its words alone.
fn is_within(path: &Path, directory: &Path) -> bool {
    let mut whole = PathBuf::from(directory);
    for part in path.components() {
        match part {
            Component::ParentDir => drop(whole.pop()),
            Component::CurDir => {}
            part => whole.push(part),
        }
    }
    whole.starts_with(directory) && whole != directory
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decided(permissions: Permissions, kind: ToolKind, name: Option<&str>, paths: &[&str]) -> Decision {
        let wanted = Wanted {
            name: name.map(str::to_owned),
            own: name.and_then(super::super::own_tool),
            kind,
            paths: paths.iter().map(PathBuf::from).collect(),
        };
        let rules =
            Rules { permissions, allow: vec!["WebFetch".to_owned()], servers: vec!["tracker".to_owned()] };
        decide(&rules, Path::new("/s/1"), &wanted)
    }

    #[test]
    fn each_permission_allows_its_kinds_and_no_more() {
        use Decision::{Allow, Deny};
        use Permissions::{Edit, Full, Read};
        for (kind, name, paths, expected) in [
            (ToolKind::Read, None, &["/etc/hosts"][..], [Allow, Allow, Allow]),
            (ToolKind::Search, None, &[], [Allow, Allow, Allow]),
            (ToolKind::Execute, None, &[], [Deny, Allow, Allow]),
            (ToolKind::Edit, None, &["/s/1/a", "b"], [Deny, Allow, Allow]),
            (ToolKind::Edit, None, &["/s/1/a", "/s/1/../2/a"], [Deny, Deny, Allow]),
            (ToolKind::Delete, None, &["../../etc/x"], [Deny, Deny, Allow]),
            (ToolKind::Edit, None, &[], [Deny, Deny, Allow]),
            (ToolKind::Edit, None, &["/s/1"], [Deny, Deny, Allow]),
            (ToolKind::Fetch, None, &[], [Deny, Deny, Allow]),
            (ToolKind::Fetch, Some("WebFetch"), &[], [Allow, Allow, Allow]),
            (ToolKind::Other, Some("Agent"), &[], [Deny, Deny, Allow]),
            (ToolKind::Other, Some("mcp__tracker__look"), &[], [Deny, Allow, Allow]),
            (ToolKind::Other, Some("mcp__trackers__look"), &[], [Deny, Deny, Allow]),
            (ToolKind::Other, Some("mcp__callbox__ask_user"), &[], [Allow, Allow, Allow]),
            (ToolKind::SwitchMode, Some("ExitPlanMode"), &[], [Deny, Deny, Deny]),
        ] {
            let all = [Read, Edit, Full].map(|permissions| decided(permissions, kind, name, paths));
            assert_eq!(all, expected, "{kind:?} {name:?} {paths:?}");
        }
    }

    #[test]
    fn what_is_allowed_is_allowed_once_where_that_can_be_said() {
        let offered = |kinds: &[PermissionOptionKind]| -> Vec<PermissionOption> {
            kinds.iter().map(|kind| PermissionOption::new(format!("{kind:?}"), "", *kind)).collect()
        };
        let all = offered(&[
            PermissionOptionKind::AllowAlways,
            PermissionOptionKind::AllowOnce,
            PermissionOptionKind::RejectAlways,
            PermissionOptionKind::RejectOnce,
        ]);
        let chosen = |decision, options: &[PermissionOption]| option(decision, options).map(|one| one.kind);
        assert_eq!(chosen(Decision::Allow, &all), Some(PermissionOptionKind::AllowOnce));
        assert_eq!(chosen(Decision::Deny, &all), Some(PermissionOptionKind::RejectOnce));
        assert_eq!(chosen(Decision::Allow, &all[..1]), Some(PermissionOptionKind::AllowAlways));
        assert_eq!(chosen(Decision::Deny, &all[..2]), None);
    }
}
