//! A command that a person starts by hand, with a line back of its own.

use crate::support::{cli::Desk, shim::SHIM};

#[test]
fn a_command_is_given_a_token_and_ends_as_it_ends() {
    let desk = Desk::new();
    let script = format!(
        "test -r \"$CALLBOX_MCP_CONFIG\" && {SHIM} call ask_user '{{\"question\":\"Which?\"}}' && exit 3"
    );
    let ended = desk.callbox(["attach", "--name", "mine", "--", "sh", "-c", &script]).end().expect(3);
    assert!(ended.stdout.contains("Recorded as q1"), "{ended}");
    let _ = desk.callbox(["answer", "t1", "Latin"]).end().expect(0);
    let again = desk.callbox(["attach", "--task", "t1", "--", "sh", "-c", "exit 0"]).end().expect(0);
    let _ = again.says("Latin");
    let lines = desk.callbox(["ls", "--json"]).end().expect(0).json();
    assert_eq!((&lines[0]["name"], &lines[0]["state"]), (&"mine".into(), &"completed".into()));
}

#[test]
fn the_file_with_the_token_is_gone_behind_the_command() {
    let desk = Desk::new();
    let ended = desk.callbox(["attach", "--", "sh", "-c", "echo $CALLBOX_MCP_CONFIG"]).end().expect(0);
    let path = std::path::Path::new(ended.stdout.trim());
    assert!(path.is_absolute() && path.parent().unwrap().is_dir() && !path.exists(), "{ended}");
}

#[test]
fn a_program_that_is_not_there_makes_no_task() {
    let desk = Desk::new();
    desk.callbox(["attach", "--", "no-such"]).end().expect(69).says("`no-such` is not to be found");
    assert!(!desk.has_database());
}

#[test]
fn a_command_that_a_signal_ends_is_told_as_a_shell_would() {
    let desk = Desk::new();
    let _ = desk.callbox(["attach", "--", "sh", "-c", "kill -TERM $$"]).end().expect(143);
    let lines = desk.callbox(["ls", "--json"]).end().expect(0).json();
    assert_eq!(lines[0]["state"], "failed");
}
