//! The environment an agent is given: nothing of this process's own, all of what was looked up for it.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
};

use super::ports::PORT_VARIABLE;
use crate::{
    ids::{ExecutionNumber, Secret},
    vocabulary::{EXECUTION_VARIABLE, is_ordinary},
};

/// Where programs are looked for when the run has no PATH.
pub(super) const DEFAULT_PATH: &str = "/usr/local/bin:/usr/bin:/bin";

/// What tells an agent program that it runs inside another agent, and where that one listens. A
/// person may well start callbox from an agent's terminal; the runs are none of that agent's.
const NESTED: [&str; 15] = [
    "AGENT",
    "AI_AGENT",
    "CLAUDECODE",
    "CLAUDE_CODE_ENTRYPOINT",
    "CLAUDE_CODE_EXECPATH",
    "CLAUDE_CODE_MESSAGING_TOKEN",
    "CLAUDE_CODE_SESSION_ID",
    "CLAUDE_CODE_SSE_PORT",
    "CLAUDE_PROJECT_DIR",
    "CODEX_CI",
    "CODEX_SESSION_ID",
    "CODEX_THREAD_ID",
    "CODEX_TOOL_CALL_ID",
    "GEMINI_CLI",
    "QWEN_CODE",
];
/// The same, by their beginnings: Codex describes its sandbox, callbox the run around.
const NESTED_PREFIXES: [&str; 2] = ["CODEX_SANDBOX", "CALLBOX_"];

/// What callbox adds to what was looked up. Paths are absolute.
#[derive(Debug)]
pub(super) struct Own<'a> {
    /// The execution.
    pub(super) execution: ExecutionNumber,
    /// The run's own folder for temporary files.
    pub(super) tmp: &'a Path,
    /// The folder of all sandboxes; above it no git looks for a repository.
    pub(super) sandboxes: PathBuf,
    /// The first of ten free ports, where there are any.
    pub(super) port: Option<u16>,
}

/// Puts it together. Later wins: callbox's habits (unattended git and ssh), what was looked up, the
/// task's own variables, what the adapter needs, and last what tells processes of this run apart.
pub(super) fn environment(
    given: &BTreeMap<String, Secret>,
    task: &BTreeMap<String, String>,
    adapter: &BTreeMap<String, Secret>,
    own: &Own<'_>,
) -> BTreeMap<String, Secret> {
    let plain = |(name, value): (&str, &str)| (name.to_owned(), Secret::new(value));
    let path = |path: &Path| path.to_string_lossy().into_owned();
    let mut built: BTreeMap<String, Secret> = [
        ("PATH", DEFAULT_PATH),
        ("TERM", "dumb"),
        ("GIT_EDITOR", "true"),
        ("GIT_SSH_COMMAND", "ssh -o BatchMode=yes"),
        ("GIT_TERMINAL_PROMPT", "0"),
    ]
    .map(plain)
    .into();
    let looked_up = given.iter().filter(|(name, _)| !is_nested(name));
    built.extend(looked_up.map(|(name, value)| (name.clone(), value.clone())));
    built.extend(task.iter().map(|(name, value)| plain((name, value))));
    built.extend(adapter.iter().map(|(name, value)| (name.clone(), value.clone())));
    built.extend(
        [
            ("GIT_CEILING_DIRECTORIES", path(&own.sandboxes).as_str()),
            ("TMPDIR", path(own.tmp).as_str()),
            (EXECUTION_VARIABLE, own.execution.to_string().as_str()),
        ]
        .map(plain),
    );
    built.extend(own.port.map(|port| (PORT_VARIABLE.to_owned(), Secret::new(port.to_string()))));
    built
}

/// `given` without what is `withheld`, unless any program or, as `of_agents` says, some agent program needs it too.
pub(super) fn for_agent(
    given: &BTreeMap<String, Secret>,
    withheld: &[String],
    of_agents: &[&str],
) -> BTreeMap<String, Secret> {
    let is_needed = |name: &str| is_ordinary(name) || of_agents.contains(&name);
    let kept = given.iter().filter(|(name, _)| !withheld.contains(name) || is_needed(name));
    kept.map(|(name, value)| (name.clone(), value.clone())).collect()
}

fn is_nested(name: &str) -> bool {
    NESTED.contains(&name) || NESTED_PREFIXES.iter().any(|prefix| name.starts_with(prefix))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn built(
        given: &[(&str, &str)],
        task: &[(&str, &str)],
        adapter: &[(&str, &str)],
    ) -> BTreeMap<String, String> {
        let secrets = |entries: &[(&str, &str)]| {
            entries.iter().map(|(name, value)| ((*name).to_owned(), Secret::new(*value))).collect()
        };
        let task = task.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        let own = Own {
            execution: ExecutionNumber::new(31),
            tmp: Path::new("/s/executions/31/tmp"),
            sandboxes: "/s/sandboxes".into(),
            port: Some(20_010),
        };
        let built = environment(&secrets(given), &task, &secrets(adapter), &own);
        built.into_iter().map(|(name, value)| (name, value.expose().to_owned())).collect()
    }

    #[test]
    fn nothing_of_this_process_gets_through() {
        let names: Vec<String> = built(&[], &[], &[]).into_keys().collect();
        assert_eq!(
            names,
            [
                "CALLBOX_EXECUTION",
                "CALLBOX_PORT",
                "GIT_CEILING_DIRECTORIES",
                "GIT_EDITOR",
                "GIT_SSH_COMMAND",
                "GIT_TERMINAL_PROMPT",
                "PATH",
                "TERM",
                "TMPDIR",
            ]
        );
    }

    #[test]
    fn the_adapter_wins_over_the_task_and_the_task_over_what_was_looked_up() {
        let all = built(
            &[("A", "given"), ("B", "given"), ("C", "given"), ("GIT_SSH_COMMAND", "ssh -i key")],
            &[("B", "task"), ("C", "task")],
            &[("C", "adapter")],
        );
        assert_eq!([&all["A"], &all["B"], &all["C"]], ["given", "task", "adapter"]);
        assert_eq!(all["GIT_SSH_COMMAND"], "ssh -i key");
    }

    #[test]
    fn what_a_server_of_the_persons_needs_is_kept_from_the_agent_unless_any_program_needs_it() {
        let given = ["TRACKER_TOKEN", "HOME", "LC_ALL", "ANTHROPIC_API_KEY", "MINE"]
            .map(|name| (name.to_owned(), Secret::new("x")));
        let withheld: Vec<String> = given.iter().map(|(name, _)| name.clone()).take(4).collect();
        let names: Vec<String> =
            for_agent(&given.into(), &withheld, &["ANTHROPIC_API_KEY"]).into_keys().collect();
        assert_eq!(names, ["ANTHROPIC_API_KEY", "HOME", "LC_ALL", "MINE"]);
    }

    #[test]
    fn what_marks_the_run_cannot_be_overwritten() {
        let marks = [("TMPDIR", "/tmp"), ("CALLBOX_EXECUTION", "x1"), ("GIT_CEILING_DIRECTORIES", "")];
        let all = built(&marks, &marks, &marks);
        assert_eq!(all["TMPDIR"], "/s/executions/31/tmp");
        assert_eq!(all["CALLBOX_EXECUTION"], "x31");
        assert_eq!(all["GIT_CEILING_DIRECTORIES"], "/s/sandboxes");
    }

    #[test]
    fn a_run_started_from_within_an_agent_does_not_know_of_it() {
        let all = built(
            &[
                ("CLAUDECODE", "1"),
                ("CODEX_SANDBOX", "seatbelt"),
                ("CALLBOX_TOKEN", "cbx_other"),
                ("KEY", "k"),
            ],
            &[],
            &[],
        );
        assert!(["CLAUDECODE", "CODEX_SANDBOX", "CALLBOX_TOKEN"].iter().all(|name| !all.contains_key(*name)));
        assert_eq!(all["KEY"], "k");
    }
}
