//! Agents that the configuration alone describes: no line of callbox knows them.

use std::{fs, os::unix::fs::PermissionsExt as _};

use serde_json::{Value, json};

use crate::support::{
    cli::{Call, Desk},
    processes::nothing_left,
    repository::Repository,
};

/// A program without MCP, in a few lines of shell. Its conversation is a file; it prints JSON lines of its own kind.
const PARROT: &str = r#"#!/bin/sh
[ "$1" = --version ] && { echo "Parrot 3.1.4"; exit 0; }
text=$(cat)
echo "$text" >> "$HOME/.parrot/heard.txt"
echo "$@" >> "$HOME/.parrot/arguments.txt"
shim="$PARROT_SHIM"
echo '{"event": "hello", "id": "feather-7"}'
echo '{"event": "turn", "text": "I think."}'
call() { "$shim" call "$1" "$2" || { echo '{"event": "over", "fine": false, "why": "no tool"}'; exit 0; }; }
case "$*" in
*--again*)
  echo '{"event": "tool", "name": "write", "with": {"path": "colour.txt"}, "key": "c1"}'
  echo blue > colour.txt
  call report_summary '{"summary": "It is blue."}'
  ;;
*)
  call record_progress '{"message": "looking"}'
  call spawn_subtask '{"name": "side", "agent": "scripted", "instructions": "- write: {path: side.txt, text: side}\n- summary: side done"}'
  call ask_user '{"question": "Which colour?", "options": ["red", "blue"]}'
  ;;
esac
echo '{"event": "turn", "text": "That is all."}'
echo '{"event": "over", "fine": true, "cost": 0.25, "read": 10, "written": 3}'
"#;

const DESCRIPTION: &str = r#"
[agents.parrot]
command = ["parrot", "--unattended"]
fresh = ["--begin"]
resume = ["--again", "{session}"]
version = ["--version"]
variables = ["PARROT_KEY"]
folders = ["~/.parrot"]
environment = { PARROT_SHIM = "{shim}" }
mcp = "none"
permissions = { edit = ["--may", "edit"] }
lines = [
  { when = { "/event" = "hello" }, session = "/id" },
  { when = { "/event" = "turn" }, said = "/text", turn = true },
  { when = { "/event" = "tool" }, tool = "/name", input = "/with", call = "/key" },
  { when = { "/event" = "over" }, cost_usd = "/cost", tokens_in = "/read", tokens_out = "/written", error = "/why" },
  { when = { "/event" = "over", "/fine" = true }, ends = "well" },
  { when = { "/event" = "over" }, ends = "badly" },
]
"#;

struct Aviary {
    desk: Desk,
    project: Repository,
}

impl Aviary {
    fn new(program: &str, description: &str) -> Self {
        let desk = Desk::new();
        desk.write("home/.config/callbox/config.toml", description);
        let path = desk.write("bin/parrot", program);
        fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
        let project = Repository::on_branch("trunk");
        project.write("a.txt", "one");
        project.commit("one");
        Self { desk, project }
    }

    fn callbox(&self, arguments: &[&str]) -> Call {
        self.desk.callbox(arguments).within(self.project.root()).variable("PARROT_KEY", "seed")
    }

    fn run(&self, more: &[&str]) -> Call {
        let arguments = ["run", "--agent", "parrot", "--name", "colours", "--json", "-p", "Paint it."];
        self.callbox(&[&arguments[..], more].concat())
    }

    fn home(&self, file: &str) -> String {
        fs::read_to_string(self.desk.path("home/.parrot").join(file)).unwrap()
    }
}

#[test]
fn an_agent_that_the_configuration_alone_describes_asks_is_answered_and_delivers_in_one_conversation() {
    let aviary = Aviary::new(PARROT, DESCRIPTION);
    let asked = aviary.run(&[]).end().expect(3).json();
    assert_eq!(asked["task"]["state"], "blocked", "{asked}");
    assert_eq!(asked["subtasks"][0]["state"], "completed", "{asked}");
    nothing_left(&aviary.desk);

    let answered = aviary.callbox(&["answer", "q1", "blue", "--run", "--json"]).end().expect(0).json();
    assert_eq!(answered["task"]["state"], "completed", "{answered}");
    assert_eq!(answered["summary"], "It is blue.");
    assert_eq!(aviary.project.git(["show", "callbox/t1-colours:colour.txt"]).trim(), "blue");

    assert_eq!(
        aviary.home("arguments.txt"),
        "--unattended --may edit --begin\n--unattended --may edit --again feather-7\n"
    );
    let heard = aviary.home("heard.txt");
    assert_eq!(heard.matches("call ask_user '{").count(), 1, "what it is told once stays told: {heard}");
    assert!(heard.contains("Answer to question 1 (Which colour?): blue"), "{heard}");

    let shown = aviary.callbox(&["show", "t1", "--json"]).end().expect(0).json();
    for run in shown["executions"].as_array().unwrap() {
        assert_eq!(
            (&run["session_id"], &run["agent_version"]),
            (&json!("feather-7"), &json!("3.1.4")),
            "{run}"
        );
        assert_eq!(
            (&run["cost_usd"], &run["tokens_in"], &run["tokens_out"]),
            (&json!(0.25), &json!(10), &json!(3))
        );
        assert_eq!(run["credential"], "PARROT_KEY");
    }
    let tools: Vec<&Value> =
        shown["signals"].as_array().unwrap().iter().map(|signal| &signal["tool"]).collect();
    assert_eq!(tools, ["record_progress", "spawn_subtask", "ask_user", "report_summary"]);
    let logs = aviary.callbox(&["logs", "t1"]).end().expect(0);
    assert!(logs.stdout.contains("> write: colour.txt"), "{logs}");
}

#[test]
fn without_a_way_to_resume_a_conversation_begins_anew_and_is_told_everything_again() {
    let description = DESCRIPTION.replace("resume = [\"--again\", \"{session}\"]\n", "");
    let aviary = Aviary::new(&PARROT.replace("*--again*", "*no-such-flag*"), &description);
    aviary.run(&[]).end().expect(3);
    aviary.callbox(&["answer", "q1", "blue", "--run", "--json"]).end().expect(3);
    assert_eq!(aviary.home("arguments.txt").matches("--begin").count(), 2);
    let heard = aviary.home("heard.txt");
    assert_eq!(heard.matches("Paint it.").count(), 2, "{heard}");
    let shown = aviary.callbox(&["logs", "t1"]).end().expect(0);
    assert!(shown.stdout.contains("new conversation") || shown.stdout.contains("told again"), "{shown}");
}

#[test]
fn what_a_description_does_not_say_is_refused_at_submit_by_name() {
    let aviary = Aviary::new(PARROT, DESCRIPTION);
    for (more, named) in [
        (["--permissions", "full"], "`permissions: full`"),
        (["--permissions", "read"], "`permissions: read`"),
        (["--model", "big"], "`model`"),
        (["--options", "max_turns=3"], "`options.max_turns`"),
    ] {
        let refused = aviary.run(&more).end().expect(2);
        assert!(refused.stderr.contains(named) && refused.stderr.contains("not supported"), "{refused}");
    }
    assert!(!aviary.desk.path("home/.parrot/heard.txt").exists(), "nothing was started");
}

#[test]
fn nothing_that_is_not_understood_is_a_success() {
    let over = r#"echo '{"event": "over", "fine": true, "#;
    for (from, to, words) in [
        (over, r#"echo '{"event": "over", "fine": "true", "#, "ended its run badly"),
        (over, r#"echo '{"event": "ower", "fine": true, "#, "without a result"),
        (over, r#"echo '{"event": "over", "fine": true, "why": "a canary", "#, "a canary"),
        ("\"turn\"", "\"tern\"", "without a turn"),
        (over, r#"trap 'exit 7' EXIT; echo '{"event": "over", "fine": true, "#, "status 7"),
    ] {
        let program = PARROT.replace("*--again*", "*").replace(from, to);
        let aviary = Aviary::new(&program, DESCRIPTION);
        let ended = aviary.run(&[]).end().expect(1).json();
        let message = ended["error"]["message"].as_str().unwrap_or_default();
        assert!(message.contains(words), "{words} not in {ended}");
    }
}

#[test]
fn a_refusal_of_the_provider_is_told_by_its_status_and_waits_where_that_is_said() {
    let description = DESCRIPTION
        .replace("error = \"/why\" }", "error = \"/why\", status = \"/status\", retry_after = \"/after\" }");
    for (fields, status, code) in [
        (r#""why": "not you", "status": 401"#, 69, "auth"),
        (r#""why": "HTTP 403 not here""#, 69, "auth"),
        (r#""why": "slow down", "status": 429, "after": 3600"#, 6, "rate_limited"),
        (r#""why": "bad field", "status": 400"#, 1, "provider"),
        (r#""why": "broken", "status": "500""#, 1, "provider"),
    ] {
        let over = format!("echo '{{\"event\": \"over\", \"fine\": false, {fields}}}'; exit 1\n");
        let program = PARROT.replace("case \"$*\" in", &format!("{over}case \"$*\" in"));
        let aviary = Aviary::new(&program, &description);
        let ended = aviary.run(&["--on-rate-limit", "fail"]).end().expect(status).json();
        assert_eq!(ended["execution"]["error"]["code"], code, "{fields}: {ended}");
    }
}

#[test]
fn a_description_with_a_fault_is_refused_with_its_place() {
    for (from, to, words) in [
        (
            "command = [\"parrot\", \"--unattended\"]",
            "command = \"parrot\"",
            "`agents.parrot.command` is not understood",
        ),
        ("[agents.parrot]", "[agents.claude]", "describes an agent that is part of callbox"),
        ("[agents.parrot]", "[agents.\"Parrot x\"]", "has no usable name"),
        ("turn = true", "turns = true", "unknown field `turns`"),
        ("session = \"/id\"", "session = \"id\"", "`id` is no JSON pointer"),
        ("permissions = { edit", "permissions = { edti", "unknown variant `edti`"),
        (", turn = true", "", "needs a rule in `lines` with `turn = true`"),
        (", ends = \"well\"", "", "`ends = \"well\"`"),
        ("mcp = \"none\"", "mcp = \"telepathy\"", "unknown variant `telepathy`"),
        ("mcp = \"none\"", "mcp = \"none\"\nmpc_fields = {}", "agents.parrot.mpc_fields"),
    ] {
        let aviary = Aviary::new(PARROT, &DESCRIPTION.replace(from, to));
        let refused = aviary.run(&[]).end().expect(2);
        assert!(refused.stderr.contains(words), "{words} not in {refused}");
    }
}
