//! What the configuration gives the real Claude Code beside a task: standing instructions and MCP servers of the
//! person's own.

use std::fs;

use serde_json::{Value, json};

use crate::support::{
    cli::Desk,
    fake_model::{Request, Script, Step},
    office::Office,
    processes::nothing_left,
    tracker::with_tracker,
};

const FILE: &str = "home/.config/callbox/config.toml";

/// A model that looks an issue up, its program having put off the descriptions of such tools.
fn lookup(then: impl IntoIterator<Item = Step>) -> Script {
    let search = Step::call("ToolSearch", json!({"query": "select:mcp__tracker__lookup"}));
    Script::of([search, Step::call("mcp__tracker__lookup", json!({}))].into_iter().chain(then))
}

/// What the model is told of the tool `name`.
fn description(request: &Request, name: &str) -> String {
    let tools = request.body["tools"].as_array().unwrap();
    let tool = tools.iter().find(|tool| tool["name"] == name).unwrap();
    tool["description"].as_str().map(str::to_owned).unwrap_or_default()
}

/// What tools answered to the model, in its last request.
fn results(office: &Office) -> String {
    Value::from(office.model.turns().pop().unwrap().tool_results()).to_string()
}

#[test]
fn a_preamble_of_the_persons_own_stands_in_the_place_of_callboxs_and_the_tools_say_how_they_are_used() {
    let desk = Desk::new();
    desk.write(
        FILE,
        "preamble = 'of all agents'\n[agents.claude]\npreamble = 'Paint by the canary rules.'\n",
    );
    let Some(office) = Office::at(desk, Script::of([Step::say("Painted.")])) else { return };
    office.run(&[]).end().expect(0);
    let request = office.model.turns().remove(0);
    let system = request.system();
    assert!(system.contains("Paint by the canary rules."), "{system}");
    assert!(!system.contains("of all agents") && !system.contains("unattended on one task"), "{system}");
    let asking = description(&request, "mcp__callbox__ask_user");
    assert!(asking.contains("After this call end your turn"), "{asking}");
}

#[test]
fn a_tool_of_the_persons_own_server_is_called_with_the_secret_that_the_agent_itself_is_not_given() {
    let bash = |command: &str| Step::call("Bash", json!({"command": command, "description": "look"}));
    let script = lookup([bash("echo own=${TRACKER_TOKEN-unset}"), Step::say("Looked.")]);
    let Some(office) = Office::at(with_tracker("claude"), script) else { return };
    let ended = office.run(&["--json"]).variable("TRACKER_TOKEN", "canary-secret").end().expect(0);
    let results = results(&office);
    assert!(results.contains("issue of board 7 under canary-secret"), "{results}");
    assert!(results.contains("own=unset"), "{results}");
    assert_eq!(ended.json()["denied"], json!([]));
    let files =
        ["executions/1/mcp.json", "executions/1/launch.json"].map(|file| office.desk.state().join(file));
    assert!(!files[0].exists() && !fs::read_to_string(&files[1]).unwrap().contains("canary"));
    nothing_left(&office.desk);
}

#[test]
fn an_agent_that_may_only_look_is_denied_the_tools_of_such_a_server_until_an_option_allows_them() {
    let Some(office) = Office::at(with_tracker("claude"), lookup([Step::say("Looked.")])) else { return };
    let read = |more: &[&str]| {
        let arguments = [&["--json", "--permissions", "read", "--deliver", "none"], more].concat();
        office.run(&arguments).variable("TRACKER_TOKEN", "canary-secret").end()
    };
    let denied = read(&[]).expect(1).json();
    assert_eq!(denied["denied"][0]["tool"], "mcp__tracker__lookup", "{denied}");
    let hint = denied["error"]["hint"].as_str().unwrap();
    assert!(hint.contains("options: {allow: \"mcp__tracker__lookup\"}"), "{hint}");
    read(&["--options", "allow=mcp__tracker__lookup"]).expect(0);
    assert!(results(&office).contains("under canary-secret"), "{}", results(&office));
}

#[test]
fn a_server_that_does_not_start_is_said_and_the_agent_goes_on() {
    let desk = Desk::new();
    desk.write(FILE, "[agents.claude.mcp_servers.broken]\ncommand = '/nowhere/server'\n");
    let Some(office) = Office::at(desk, Script::of([Step::say("Painted.")])) else { return };
    let said = "the MCP server `broken` does not work (its status is `failed`)";
    let ended = office.run(&[]).end().expect(0).says(said);
    assert_eq!(ended.stderr.matches(said).count(), 1, "{ended}");
}

#[test]
fn a_variable_that_such_a_server_needs_and_nobody_has_fails_the_run_by_its_name() {
    let Some(office) = Office::at(with_tracker("claude"), lookup([])) else { return };
    office.run(&[]).end().expect(69).says("`TRACKER_TOKEN` has no value here");
    assert!(office.model.requests().is_empty());
}
