//! Wrong usage is found before anything is done, and said with what to do about it.

use std::process::{Command, Stdio};

use crate::support::cli::{CALLBOX, Desk};

#[test]
fn help_and_version_are_no_errors() {
    let desk = Desk::new();
    let help = desk.callbox(["--help"]).end().expect(0);
    for command in ["run", "submit", "answer", "doctor", "attach"] {
        assert!(help.stdout.contains(&format!("\n  {command} ")), "`{command}` is missing in\n{help}");
    }
    assert!(desk.callbox(["--version"]).end().expect(0).stdout.starts_with("callbox 0."));
}

#[test]
fn what_is_no_command_no_flag_and_no_id_is_wrong_usage() {
    let desk = Desk::new();
    for arguments in [
        &["frobnicate"][..],
        &[],
        &["ls", "--frobnicate"],
        &["show"],
        &["why", "q1"],
        &["answer", "q1"],
        &["answer", "q1", "yes", "--option", "1"],
        &["answer", "q1", "--rnu"],
        &["run", "--max-wait", "soon"],
        &["run", "-p", "x", "task.yaml"],
        &["run", "-p", "- print: '{{a}}'", "--var", "a=b", "--agent", "scripted"],
        &["attach"],
    ] {
        let ended = desk.callbox(arguments).end().expect(2);
        assert_eq!(ended.stdout, "", "{ended}");
    }
    assert!(!desk.has_database());
}

#[test]
fn a_state_in_place_of_the_state_directory_is_explained() {
    let desk = Desk::new();
    desk.callbox(["ls", "--state", "running"]).end().expect(2).says("hint: `callbox ls --in running`");
}

#[test]
fn whoever_stops_reading_makes_no_failure() {
    let mut child =
        Command::new(CALLBOX).arg("--help").stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    drop(child.stdout.take());
    let ended = child.wait_with_output().unwrap();
    assert_eq!((ended.status.code(), ended.stderr.as_slice()), (Some(0), &b""[..]));
}

#[test]
fn without_a_home_the_state_directory_must_be_named() {
    let desk = Desk::new();
    desk.callbox(["ls"]).variable("HOME", "").end().expect(69).says("hint: name one with `--state DIR`");
}
