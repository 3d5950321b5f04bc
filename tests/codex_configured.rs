//! What a person gives the real Codex beside a task: standing instructions, MCP servers of their own, a login.

use std::{
    fs,
    process::{Command, Stdio},
};

use serde_json::{Value, json};

use crate::support::{
    cli::Desk,
    fake_model::{FakeModel, Script, Step},
    office::Office,
    processes::nothing_left,
    programs,
    resident::Resident,
    tracker::with_tracker,
};

const FILE: &str = "home/.config/callbox/config.toml";

fn lookup(then: impl IntoIterator<Item = Step>) -> Script {
    Script::of([Step::call("mcp__tracker__lookup", json!({}))].into_iter().chain(then))
}

/// What tools answered to the model, in its last request.
fn results(office: &Office) -> String {
    Value::from(office.model.turns().pop().unwrap().tool_results()).to_string()
}

#[test]
fn a_preamble_of_the_persons_own_stands_in_the_place_of_callboxs() {
    let desk = Desk::new();
    desk.write(FILE, "preamble = 'of all agents'\n[agents.codex]\npreamble = 'Paint by the canary rules.'\n");
    let Some(office) = Office::of("codex", desk, Script::of([Step::say("Painted.")])) else { return };
    office.run(&[]).end().expect(0);
    let said = office.model.turns().remove(0).said().concat();
    assert!(said.contains("Paint by the canary rules."), "{said}");
    assert!(!said.contains("of all agents") && !said.contains("unattended on one task"), "{said}");
}

#[test]
fn a_tool_of_the_persons_own_server_is_called_with_the_secret_that_commands_are_not_given() {
    let shell = Step::call("exec_command", json!({"cmd": "echo own=${TRACKER_TOKEN-unset}"}));
    let script = lookup([shell, Step::say("Looked.")]);
    let Some(office) = Office::of("codex", with_tracker("codex"), script) else { return };
    let ended = office.run(&["--json"]).variable("TRACKER_TOKEN", "canary-secret").end().expect(0);
    let results = results(&office);
    assert!(results.contains("issue of board 7 under canary-secret"), "{results}");
    assert!(results.contains("own=unset"), "{results}");
    assert_eq!(ended.json()["denied"], json!([]));
    let launch = fs::read_to_string(office.desk.state().join("executions/1/launch.json")).unwrap();
    assert!(!launch.contains("canary"));
    nothing_left(&office.desk);
}

#[test]
fn an_agent_that_may_only_look_is_given_no_such_server() {
    let Some(office) = Office::of("codex", with_tracker("codex"), lookup([Step::say("Looked.")])) else {
        return;
    };
    let run = office.run(&["--permissions", "read"]).variable("TRACKER_TOKEN", "canary-secret");
    run.end().expect(0);
    let results = results(&office);
    assert!(results.contains("no tool ") && !results.contains("canary-secret"), "{results}");
}

#[test]
fn a_server_that_does_not_start_fails_the_run_by_its_name() {
    let desk = Desk::new();
    desk.write(FILE, "[agents.codex.mcp_servers.broken]\ncommand = '/nowhere/server'\n");
    let Some(office) = Office::of("codex", desk, Script::of([Step::say("Painted.")])) else { return };
    let ended = office.run(&["--json"]).end().expect(1).json();
    let message = ended["error"]["message"].as_str().unwrap();
    assert!(message.contains("an MCP server of yours: broken"), "{message}");
    assert!(office.model.turns().is_empty());
}

#[test]
fn a_login_by_hand_is_told_for_what_it_is() {
    let Some(office) = Office::of("codex", Desk::new(), Script::of([Step::say("Done."), Step::say("Done.")]))
    else {
        return;
    };
    office.desk.write("home/.codex/auth.json", r#"{"OPENAI_API_KEY": "sk-of-the-file"}"#);
    let ended = office.run(&["--json"]).variable("CODEX_API_KEY", "").end().expect(0).json();
    assert_eq!(ended["execution"]["credential"], "auth.json", "{ended}");
    assert_eq!(office.model.turns()[0].headers["authorization"], "Bearer sk-of-the-file");
}

#[test]
fn codex_speaks_with_the_configuration_that_a_person_gave_it() {
    let Some(codex) = programs::installed("codex") else { return };
    let desk = Desk::new();
    let _resident = Resident::start(&desk);
    let script =
        Script::of([Step::call("report_summary", json!({"summary": "painted by hand"})), Step::say("Done.")]);
    let model = FakeModel::start(script).unwrap();
    let toml = desk.callbox(["mcp-config", "--for", "codex"]).end().expect(0).stdout;
    let place = format!("openai_base_url = \"{}/v1\"\n", model.url());
    desk.write("home/.codex/config.toml", &(place + &toml));
    let ended = Command::new(codex)
        .args(["exec", "--json", "--skip-git-repo-check", "Paint it."])
        .env_clear()
        .env("HOME", desk.path("home"))
        .env("PATH", std::env::var_os("PATH").unwrap_or_default())
        .env("CODEX_API_KEY", "sk-dummy")
        .current_dir(desk.path("home"))
        .stdin(Stdio::null())
        .output()
        .unwrap();
    assert!(ended.status.success(), "{ended:?}");
    let shown = || desk.callbox(["show", "t1", "--json"]).end().expect(0).json();
    desk.callbox(["end", "t1"]).end();
    assert_eq!(shown()["summary"], "painted by hand", "{ended:?}");
}
