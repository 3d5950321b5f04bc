//! callbox's three words for what an agent may do, in Claude Code's terms.

use super::options::{Contained, Options};
use crate::{
    agents::{Adapter as _, Claude, User},
    vocabulary::{Fault, McpServer, Permissions},
};

/// The four tools of the shim.
const OWN_TOOLS: [&str; 4] = ["ask_user", "report_summary", "spawn_subtask", "record_progress"];

/// Tools that look and change nothing.
const READING: [&str; 3] = ["Read", "Glob", "Grep"];

/// Tools that are off in every run: they ask or tell a person who is not there, plan turns that will
/// not come, leave the sandbox, or speak with sessions of other runs.
pub(super) const OFF: [&str; 20] = [
    "AskUserQuestion",
    "CronCreate",
    "CronDelete",
    "CronList",
    "EnterPlanMode",
    "EnterWorktree",
    "ExitPlanMode",
    "ExitWorktree",
    "ListAgents",
    "Monitor",
    "PushNotification",
    "RemoteTrigger",
    "ReportFindings",
    "ScheduleWakeup",
    "SendMessage",
    "SendUserFile",
    "SendUserMessage",
    "TeamCreate",
    "TeamDelete",
    "Workflow",
];

/// The arguments that hold Claude Code to `permissions`.
pub(super) fn arguments(permissions: Permissions, options: &Options, servers: &[McpServer]) -> Vec<String> {
    let mode = match permissions {
        Permissions::Read => "dontAsk",
        Permissions::Edit => "acceptEdits",
        Permissions::Full => "bypassPermissions",
    };
    let allowed = allowed(permissions, options, servers);
    vec![
        format!("--permission-mode={mode}"),
        format!("--allowedTools={}", allowed.join(",")),
        format!("--disallowedTools={}", OFF.join(",")),
    ]
}

/// The tools that are allowed without asking. What the tools of the person's own `servers` do nobody here knows, so
/// who may only look may use them only where `allow` names them.
pub(super) fn allowed(permissions: Permissions, options: &Options, servers: &[McpServer]) -> Vec<String> {
    let tools: &[&str] = match permissions {
        Permissions::Read => &READING,
        Permissions::Edit => &["Bash", "Read"],
        Permissions::Full => &[],
    };
    tools
        .iter()
        .map(|tool| (*tool).to_owned())
        .chain(options.allow.iter().cloned())
        .chain(servers.iter().filter(|_| permissions != Permissions::Read).map(whole_server))
        .chain(OWN_TOOLS.iter().map(|tool| Claude.tool_name(tool)))
        .collect()
}

/// The rule under which every tool of `server` is allowed.
fn whole_server(server: &McpServer) -> String {
    format!("mcp__{}", server.name)
}

/// Refuses what cannot be enforced. Claude Code itself refuses to do everything as root unless it is
/// told that it runs in a sandbox, and nobody but the person can know that.
pub(super) fn check(permissions: Permissions, options: &Options, user: User) -> Result<(), Fault> {
    match (permissions, user, options.contained) {
        (Permissions::Full, User::Root, Contained::No) => Err(Fault::new(
            "permissions_refused",
            "`permissions: full` is refused as root: nothing would hold Claude Code from changing the whole machine",
        )
        .hinted(
            "say `permissions: edit`, or run callbox as another user; where it runs in a container made to be \
             thrown away, say `options: {contained: yes}`",
        )),
        _ => Ok(()),
    }
}

/// The line of a task file under which `tool` would have been allowed.
pub(super) fn allowing(tool: &str) -> String {
    match tool {
        "Bash" => "permissions: edit".to_owned(),
        // With `edit` these are denied only outside the sandbox and for files that decide what runs.
        "Edit" | "Write" | "NotebookEdit" => "permissions: edit  # outside the sandbox: full".to_owned(),
        _ => format!("options: {{allow: \"{tool}\"}}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::vocabulary::ServerWay;

    #[test]
    fn the_four_tools_are_allowed_by_full_name_whatever_the_permissions() {
        for permissions in [Permissions::Read, Permissions::Edit, Permissions::Full] {
            let arguments = arguments(permissions, &Options::default(), &[]).join(" ");
            for tool in OWN_TOOLS {
                assert!(arguments.contains(&format!("mcp__callbox__{tool}")), "{arguments}");
            }
        }
    }

    #[test]
    fn a_server_of_the_persons_own_is_allowed_to_whoever_may_do_more_than_look() {
        let way = ServerWay::Url { url: "https://x".to_owned(), bearer_env: None };
        let servers = [McpServer { name: "tracker".to_owned(), way }];
        let allowed = [Permissions::Read, Permissions::Edit, Permissions::Full].map(|permissions| {
            let arguments = arguments(permissions, &Options::default(), &servers);
            arguments[1].split(['=', ',']).any(|rule| rule == "mcp__tracker")
        });
        assert_eq!(allowed, [false, true, true]);
    }

    #[test]
    fn everything_as_root_needs_a_container() {
        let bare = Options::default();
        let contained = Options { contained: Contained::Yes, ..Options::default() };
        let fault = check(Permissions::Full, &bare, User::Root).unwrap_err();
        assert!(fault.hint.unwrap().contains("contained: yes"));
        assert_eq!(check(Permissions::Full, &contained, User::Root), Ok(()));
        assert_eq!(check(Permissions::Full, &bare, User::Ordinary), Ok(()));
        assert_eq!(check(Permissions::Edit, &bare, User::Root), Ok(()));
    }

    #[test]
    fn a_denial_names_the_least_that_would_have_allowed_it() {
        assert_eq!(allowing("Bash"), "permissions: edit");
        assert!(allowing("Write").starts_with("permissions: edit"));
        assert_eq!(allowing("WebFetch"), "options: {allow: \"WebFetch\"}");
    }
}
