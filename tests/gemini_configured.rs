//! What the configuration gives the real Gemini CLI beside a task: MCP servers of the person's own.

use serde_json::{Value, json};

use crate::support::{
    cli::Desk,
    fake_model::{Script, Step},
    gemini::shell,
    office::Office,
    processes::nothing_left,
    tracker::with_tracker,
};

const FILE: &str = "home/.config/callbox/config.toml";

/// A model that looks an issue up.
fn lookup(then: impl IntoIterator<Item = Step>) -> Script {
    Script::of([Step::call("mcp_tracker_lookup", json!({}))].into_iter().chain(then))
}

/// What tools answered to the model, in its last request.
fn results(office: &Office) -> String {
    Value::from(office.model.turns().pop().unwrap().tool_results()).to_string()
}

#[test]
fn a_tool_of_the_persons_own_server_is_called_with_the_secret_that_the_agent_itself_is_not_given() {
    let script = lookup([shell("echo own=${TRACKER_TOKEN-unset}"), Step::say("Looked.")]);
    let Some(office) = Office::of("gemini", with_tracker("gemini"), script) else { return };
    let ended = office.run(&["--json"]).variable("TRACKER_TOKEN", "canary-secret").end().expect(0);
    let results = results(&office);
    assert!(results.contains("issue of board 7 under canary-secret"), "{results}");
    assert!(results.contains("own=unset"), "{results}");
    assert_eq!(ended.json()["denied"], json!([]));
    nothing_left(&office.desk);
}

#[test]
fn an_agent_that_may_only_look_is_denied_the_tools_of_such_a_server_until_an_option_allows_them() {
    let script = lookup([Step::say("Looked.")]);
    let Some(office) = Office::of("gemini", with_tracker("gemini"), script) else { return };
    let read = |more: &[&str]| {
        let arguments = [&["--json", "--permissions", "read", "--deliver", "none"], more].concat();
        office.run(&arguments).variable("TRACKER_TOKEN", "canary-secret").end()
    };
    let denied = read(&[]).expect(1).json();
    assert_eq!(denied["denied"][0]["tool"], "mcp_tracker_lookup", "{denied}");
    let hint = denied["error"]["hint"].as_str().unwrap();
    assert!(hint.contains("options: {allow: \"mcp_tracker_lookup\"}"), "{hint}");
    read(&["--options", "allow=mcp_tracker_lookup"]).expect(0);
    assert!(results(&office).contains("under canary-secret"), "{}", results(&office));
}

#[test]
fn a_server_that_does_not_start_is_said_and_the_agent_goes_on() {
    let desk = Desk::new();
    desk.write(FILE, "[agents.gemini.mcp_servers.broken]\ncommand = '/nowhere/server'\n");
    let Some(office) = Office::of("gemini", desk, Script::of([Step::say("Painted.")])) else { return };
    let said = "an MCP server of this run does not work, and Gemini CLI does not say which";
    let ended = office.run(&[]).end().expect(0).says(said);
    assert_eq!(ended.stderr.matches(said).count(), 1, "{ended}");
}

#[test]
fn servers_of_the_persons_own_settings_are_none_of_a_runs() {
    let desk = with_tracker("claude");
    let tracker = json!({"mcpServers": {"tracker": {"command": desk.path("opt/tracker"), "trust": true}}});
    desk.write("home/.gemini/settings.json", &tracker.to_string());
    let Some(office) = Office::of("gemini", desk, Script::of([Step::say("Painted.")])) else { return };
    office.run(&[]).end().expect(0);
    let offered = office.model.turns().remove(0).offered();
    assert!(offered.iter().all(|name| !name.contains("tracker")), "{offered:?}");
}
