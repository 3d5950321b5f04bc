//! A command that a person starts by hand, with a line back of its own.

use std::fs;

use rustix::process::Signal;

use crate::support::{
    cli::{Call, Desk, Running},
    processes::kill,
    resident::Resident,
    shim::SHIM,
    wait::{SOON, wait_until},
};

#[test]
fn a_command_is_given_a_token_and_ends_as_it_ends() {
    let desk = Desk::new();
    let script = format!(
        "test -r \"$CALLBOX_MCP_CONFIG\" && {SHIM} call ask_user '{{\"question\":\"Which?\"}}' && exit 3"
    );
    let ended = desk.callbox(["attach", "--name", "mine", "--", "sh", "-c", &script]).end().expect(3);
    assert!(ended.stdout.contains("Recorded as q1"), "{ended}");
    let answered = desk.callbox(["answer", "t1", "Latin"]).end().expect(0);
    assert!(!answered.stdout.contains("a store"), "{answered}");
    let _ = answered.says("t1 waits for its command to be started by hand; `callbox attach --task t1");
    let resumed = desk.callbox(["resume", "t1", "-"]).stdin("or Greek").end().expect(0);
    assert!(!resumed.stdout.contains("same conversation"), "{resumed}");
    desk.callbox(["run", "--queued"]).end().expect(0).says("nothing waits to be run");
    assert!(desk.callbox(["resume", "t1", "--run"]).end().status != 0, "nobody but a person can go on");
    let again = desk.callbox(["attach", "--task", "t1", "--", "sh", "-c", "exit 0"]).end().expect(0);
    let _ = again.says("Latin");
    let lines = desk.callbox(["ls", "--json"]).end().expect(0).json();
    assert_eq!((&lines[0]["name"], &lines[0]["state"]), (&"mine".into(), &"completed".into()));
}

#[test]
fn a_resident_store_leaves_a_task_that_was_begun_by_hand_to_the_person() {
    let desk = Desk::new();
    let store = desk.callbox(["serve"]).start();
    wait_until("the store answers", SOON, || desk.state().join("operator/store.sock").exists());
    let script = format!("{SHIM} call ask_user '{{\"question\":\"Which?\"}}'");
    desk.callbox(["attach", "--", "sh", "-c", &script]).end().expect(0);
    let answered = desk.callbox(["answer", "q1", "Latin"]).end().expect(0);
    assert!(answered.stdout.contains("once its command is started again by hand"), "{answered}");
    let _ = answered.says("`callbox attach --task t1 -- COMMAND`");
    // A second task is claimed and ended, so the first one was looked at too.
    let other = ["run", "-p", "- print: x", "--agent", "scripted", "--no-project"];
    desk.callbox(other).end().expect(0);
    let lines = desk.callbox(["ls", "--in", "queued", "--json"]).end().expect(0).json();
    assert_eq!((&lines[0]["number"], &lines[0]["wait"]), (&"t1".into(), &"attach".into()), "{lines}");
    desk.callbox(["attach", "--task", "t1", "--", "sh", "-c", "exit 0"]).end().expect(0).says("Latin");
    kill(store.pid(), Signal::TERM);
    store.end().expect(0);
}

#[test]
fn a_command_that_is_killed_before_its_run_began_gives_its_task_back() {
    let desk = Desk::new();
    let _resident = Resident::start(&desk);
    let attach = desk.callbox(["attach", "--", "sh", "-c", "exit 0"]);
    attach.variable("CALLBOX_FAULT", "attach:before_started").end().expect(-1);
    wait_until("the task waits for its person again", SOON, || desk.standing("t1") == "queued");
    desk.callbox(["attach", "--task", "t1", "--", "sh", "-c", "exit 0"]).end().expect(0);
    assert_eq!(desk.standing("t1"), "completed");
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

/// A task begun by hand whose question `Which?` is answered with `answer`.
fn answered(desk: &Desk, answer: &str) {
    let script = format!("{SHIM} call ask_user '{{\"question\":\"Which?\"}}'");
    desk.callbox(["attach", "--", "sh", "-c", &script]).end().expect(0);
    desk.callbox(["answer", "q1", answer]).end().expect(0);
}

/// `callbox attach` to the first task, with a script.
fn again(desk: &Desk, script: &str) -> Call {
    desk.callbox(["attach", "--task", "t1", "--", "sh", "-c", script])
}

const SHOWN: &str = "Answer to q1 (Which?): ";

#[test]
fn an_answer_is_shown_before_the_command_begins_and_lies_there_for_its_agent() {
    let desk = Desk::new();
    answered(&desk, "Latin\u{202e}");
    let ended = again(&desk, "echo begun >&2; cat \"$CALLBOX_MESSAGE\"").end().expect(0);
    let (shown, begun) = (ended.stderr.find(SHOWN), ended.stderr.find("begun"));
    assert!(shown.is_some() && shown < begun, "{ended}");
    assert!(ended.stderr.contains("Latin") && !ended.stderr.contains('\u{202e}'), "{ended}");
    assert!(ended.stdout.starts_with("callbox: ") && ended.stdout.contains("(Which?): Latin"), "{ended}");
    // Once is enough.
    let last = again(&desk, "cat \"$CALLBOX_MESSAGE\"").end().expect(0);
    assert!(!last.stderr.contains(SHOWN) && last.stdout.is_empty(), "{last}");
}

#[test]
fn an_answer_that_was_not_shown_is_shown_the_next_time_and_one_that_was_is_not() {
    let desk = Desk::new();
    let _resident = Resident::start(&desk);
    answered(&desk, "Latin");
    for (point, shown) in [("attach:before_shown", false), ("attach:shown", true), ("none", false)] {
        let ended = again(&desk, "exit 0").variable("CALLBOX_FAULT", point).end();
        assert_eq!(ended.stderr.contains(SHOWN), shown, "{point}: {ended}");
        wait_until("the task waits for its person", SOON, || desk.standing("t1") != "running");
    }
    assert_eq!(desk.standing("t1"), "completed");
}

#[test]
fn an_answer_given_while_the_command_still_runs_is_shown_the_next_time() {
    let desk = Desk::new();
    let _resident = Resident::start(&desk);
    let gate = desk.path("go");
    let script = format!(
        "{SHIM} call ask_user '{{\"question\":\"Which?\"}}'; while ! test -e {}; do sleep 0.05; done",
        gate.display()
    );
    let running = desk.callbox(["attach", "--", "sh", "-c", &script]).start();
    wait_until("it has asked", SOON, || {
        let questions = desk.callbox(["questions", "--json"]).end().expect(0).json();
        !questions.as_array().unwrap().is_empty()
    });
    desk.callbox(["answer", "q1", "Latin"]).end().expect(0);
    desk.write("go", "");
    running.end().expect(0);
    assert_eq!(desk.standing("t1"), "queued");
    again(&desk, "exit 0").end().expect(0).says(&format!("{SHOWN}Latin"));
}

#[test]
fn an_agent_that_is_started_by_hand_for_a_task_with_instructions_is_told_them() {
    let desk = Desk::new();
    let held = ["submit", "--hold", "-p", "- print: canary words", "--agent", "scripted", "--no-project"];
    desk.callbox(held).end().expect(0);
    let ended = again(&desk, "cat \"$CALLBOX_MESSAGE\"").end().expect(0);
    assert!(ended.stdout.starts_with("callbox: this is your task t1"), "{ended}");
    assert!(ended.stdout.contains("canary words"), "{ended}");
}

#[test]
fn the_log_of_a_command_started_by_hand_holds_its_calls_and_says_what_is_not_recorded() {
    let desk = Desk::new();
    let script = format!("echo printed; {SHIM} call record_progress '{{\"message\":\"half way\"}}'");
    desk.callbox(["attach", "--", "sh", "-c", &script]).end().expect(0);
    let log = desk.callbox(["logs", "t1", "--follow"]).end().expect(0);
    let head = "[callbox: x1 was started by hand: its output is not recorded, its calls are]";
    assert_eq!(log.stdout, format!("{head}\n> record_progress: half way\n"), "{log}");
    assert_eq!(log.stderr, "");
    desk.callbox(["logs", "x1", "--raw"]).end().expect(1).says("nobody recorded what its command printed");
}

/// `callbox attach` of a script that leaves its process number in the file `pid` of the desk.
fn started(desk: &Desk, script: &str) -> (Running, u32) {
    let file = desk.path("pid");
    let script = format!("{script} echo $$ > {}; while :; do sleep 0.05; done", file.display());
    let attach = desk.callbox(["attach", "--", "sh", "-c", &script]).start();
    let mut command = None;
    wait_until("the command has begun", SOON, || {
        let said = fs::read_to_string(&file).unwrap_or_default();
        command = said.strip_suffix('\n').map(|pid| pid.parse().unwrap());
        command.is_some()
    });
    (attach, command.unwrap())
}

/// Whether the process has ended, whether anybody has asked for its status or not.
fn is_gone(pid: u32) -> bool {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    stat.rsplit_once(") ").is_none_or(|(_, rest)| rest.starts_with('Z'))
}

#[test]
fn a_command_whose_attach_is_killed_ends_with_it() {
    let desk = Desk::new();
    let (attach, command) = started(&desk, "");
    kill(attach.pid(), Signal::KILL);
    // A command that goes on holds the ends of the pipes that its `attach` had.
    wait_until("the command is gone", SOON, || is_gone(command));
    attach.end().expect(-1);
    assert_eq!(desk.standing("t1"), "queued", "it can be attached to again");
}

#[test]
fn what_is_left_of_a_command_whose_attach_was_killed_is_ended_by_the_next_store() {
    let desk = Desk::new();
    let (attach, command) = started(&desk, "trap '' TERM;");
    kill(attach.pid(), Signal::KILL);
    wait_until("it is killed", SOON, || is_gone(attach.pid()));
    assert!(!is_gone(command), "it does not heed the signal");
    assert_eq!(desk.standing("t1"), "queued");
    assert!(is_gone(command));
    attach.end().expect(-1);
}

#[test]
fn a_lost_terminal_is_handed_on_to_the_command() {
    let desk = Desk::new();
    let (attach, command) = started(&desk, "");
    kill(attach.pid(), Signal::HUP);
    attach.end().expect(129);
    assert!(is_gone(command));
    assert_eq!(desk.standing("t1"), "failed");
}
