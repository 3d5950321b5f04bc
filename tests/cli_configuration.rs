//! What the configuration file says, and what a command makes of it.

use crate::support::cli::Desk;

const FILE: &str = "home/.config/callbox/config.toml";

#[test]
fn an_unknown_key_is_wrong_usage_with_its_file_and_line() {
    let desk = Desk::new();
    desk.write(FILE, "max_concurrent = 2\nagnet = \"scripted\"\n");
    let ended = desk.callbox(["ls"]).end().expect(2);
    let fault = format!("{}:2: `agnet`", desk.path(FILE).display());
    let _ = ended.says(&fault);
    assert!(!desk.has_database());
    let looked = desk.callbox(["doctor"]).end().expect(69);
    assert!(looked.stdout.contains("fail  configuration") && looked.stdout.contains(&fault), "{looked}");
}

#[test]
fn a_default_counts_where_neither_a_flag_nor_a_file_says_otherwise() {
    let desk = Desk::new();
    desk.write(FILE, "agent = \"scripted\"\ntags = [\"night\"]\n");
    let report = desk.callbox(["run", "--json", "-p", "- print: x", "--tag", "docs"]).end().expect(0).json();
    assert_eq!(report["task"]["agent"], "scripted");
    assert_eq!(report["task"]["tags"], serde_json::json!(["docs", "night"]));
}

#[test]
fn a_program_that_the_configuration_names_must_be_there() {
    let desk = Desk::new();
    desk.write(FILE, "[agents.claude]\nprogram = \"/nowhere/claude\"\n");
    let arguments = ["run", "-p", "x", "--agent", "claude", "--no-project"];
    let _ = desk.callbox(arguments).end().expect(69).says("is not at `/nowhere/claude`");
}

#[test]
fn another_folder_for_configurations_is_looked_into() {
    let desk = Desk::new();
    desk.write("xdg/callbox/config.toml", "nonsense = 1\n");
    let folder = desk.path("xdg");
    let _ = desk.callbox(["ls"]).variable("XDG_CONFIG_HOME", folder).end().expect(2).says("`nonsense`");
}

#[test]
fn what_an_agent_can_do_nothing_with_is_refused_with_its_file_line_and_key() {
    let desk = Desk::new();
    desk.write(FILE, "[agents.scripted]\npreamble = 'x'\n[agents.scripted.mcp_servers.x]\ncommand = 'x'\n");
    let ended = desk.callbox(["ls"]).end().expect(2);
    for (line, key) in [(2, "preamble"), (3, "mcp_servers")] {
        let fault = format!("{}:{line}: `agents.scripted.{key}` is refused", desk.path(FILE).display());
        assert!(ended.stderr.contains(&fault), "{ended}");
    }
}
