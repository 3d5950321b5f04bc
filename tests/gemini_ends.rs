//! How runs of the real Gemini CLI end that do not go well, end to end: denied tools, a shim that is
//! lost, a kill in the middle of a command, and a person's Ctrl-C.

use rustix::process::Signal;
use serde_json::json;

use crate::support::{
    busy::busy,
    cli::Desk,
    fake_model::{Script, Step},
    gemini::{ask, office, shell, summary, write},
    office::Office,
    processes::{kill, kill_group, nothing_left, the_process},
    wait::{SOON, wait_until},
};

#[test]
fn a_denied_tool_without_a_change_fails_the_run_with_the_line_that_would_allow_it() {
    for (step, permissions, tool, line) in [
        (shell("touch made.txt"), "read", "run_shell_command", "permissions: edit"),
        (write("/outside.txt"), "edit", "write_file", "outside the sandbox only by a command"),
    ] {
        let Some(office) = office(Script::of([step, Step::say("Done.")])) else { return };
        let ended = office.run(&["--permissions", permissions, "--json"]).end().expect(1).json();
        assert_eq!(ended["task"]["state"], "failed", "{ended}");
        assert_eq!(ended["execution"]["exit"], json!({"code": 0}), "Gemini CLI itself calls it a success");
        let (error, denied) = (&ended["error"], &ended["denied"]);
        assert_eq!((&error["code"], &denied[0]["tool"]), (&"permission_denied".into(), &tool.into()));
        assert!(error["hint"].as_str().unwrap().contains(line), "{ended}");
        assert_eq!(office.project.git(["branch", "--list", "callbox/*"]), "");
        nothing_left(&office.desk);
    }
}

/// An argument by which the agent's own process is known.
const ITS_OWN: &str = "--approval-mode";

/// Nothing of a call that was cut off stands in the conversation, so that what is due is told by what was said.
fn busy_script() -> Script {
    Script::default()
        .about("Take it up again.", [summary("taken up again"), Step::say("Done.")])
        .about("", [shell("echo x > begun.txt; sleep 600")])
}

#[test]
fn an_agent_that_is_killed_in_the_middle_of_a_command_has_failed_and_leaves_no_process() {
    let Some(office) = office(busy_script()) else { return };
    let running = busy(&office, ITS_OWN);
    kill(the_process(&office.desk, |line| line.contains(ITS_OWN)), Signal::KILL);
    let ended = running.end().expect(1).json();
    assert_eq!((&ended["task"]["state"], &ended["error"]["code"]), (&"failed".into(), &"agent_error".into()));
    nothing_left(&office.desk);
}

#[test]
fn an_agent_that_is_ended_by_a_signal_has_failed_although_it_exits_with_0() {
    let Some(office) = office(busy_script()) else { return };
    let running = busy(&office, ITS_OWN);
    kill(the_process(&office.desk, |line| line.contains(ITS_OWN)), Signal::TERM);
    let ended = running.end().expect(1).json();
    assert_eq!(ended["execution"]["exit"], json!({"code": 0}), "{ended}");
    assert_eq!((&ended["task"]["state"], &ended["error"]["code"]), (&"failed".into(), &"agent_error".into()));
    nothing_left(&office.desk);
}

#[test]
fn ctrl_c_leaves_no_process_and_a_task_that_can_be_taken_up_again() {
    let Some(office) = office(busy_script()) else { return };
    let running = busy(&office, ITS_OWN);
    kill_group(running.pid(), Signal::INT);
    let ended = running.end().expect(7).says("cancelling t1; once more kills").json();
    assert_eq!(ended["task"]["state"], "cancelled", "{ended}");
    nothing_left(&office.desk);

    let resumed = office.callbox(&["resume", "t1", "Take it up again.", "--run", "--json"]);
    let resumed = resumed.end().expect(0).json();
    assert_eq!(resumed["summary"], "taken up again");
    assert_eq!(resumed["execution"]["session_id"], ended["execution"]["session_id"]);
    assert_eq!(office.project.git(["show", "callbox/t1-colours:begun.txt"]), "x");
}

#[test]
fn a_shim_that_is_killed_fails_the_run_once_the_agent_cannot_reach_it() {
    let desk = Desk::new();
    let gate = desk.path("gate");
    let script = Script::of([
        Step::call("record_progress", json!({"message": "began"})),
        Step::once(&gate, summary("never heard")),
        Step::say("Done."),
    ]);
    let Some(office) = Office::of("gemini", desk, script) else { return };
    let running = office.run(&["--json"]).start();
    wait_until("the agent speaks through its shim", SOON, || office.model.turns().len() == 2);
    kill(the_process(&office.desk, |line| line.contains("callbox-mcp")), Signal::KILL);
    std::fs::write(&gate, "").unwrap();
    let ended = running.end().expect(69).json();
    assert_eq!(
        (&ended["task"]["state"], &ended["error"]["code"]),
        (&"failed".into(), &"wiring".into()),
        "{ended}"
    );
    assert!(ended["error"]["message"].as_str().unwrap().contains("lost the shim"), "{ended}");
    nothing_left(&office.desk);
}

#[test]
fn a_question_outlives_the_shim_that_took_it() {
    let desk = Desk::new();
    let gate = desk.path("gate");
    let script = Script::of([
        ask("Which?"),
        Step::once(&gate, summary("never heard")),
        Step::say("Done."),
        Step::say("Done."),
    ]);
    let Some(office) = Office::of("gemini", desk, script) else { return };
    let running = office.run(&["--json"]).start();
    wait_until("the question was taken", SOON, || office.model.turns().len() == 2);
    kill(the_process(&office.desk, |line| line.contains("callbox-mcp")), Signal::KILL);
    std::fs::write(&gate, "").unwrap();
    let ended = running.end().expect(3).json();
    assert_eq!(ended["task"]["state"], "blocked", "{ended}");
    nothing_left(&office.desk);
}
