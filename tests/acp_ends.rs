//! How runs of each program that speaks the Agent Client Protocol end that do not go well, end to end: denied tools, a
//! shim that is lost, a kill in the middle of a command, a person's Ctrl-C, and a conversation that is gone.

use std::fs;

use rustix::process::Signal;
use serde_json::json;

use crate::support::{
    bridges::{Bridge, over_bridges},
    busy::busy,
    cli::Desk,
    fake_model::{Script, Step},
    processes::{kill, kill_group, nothing_left, the_process},
    wait::{SOON, wait_until},
};

over_bridges!(
    a_denied_tool_without_a_change_fails_the_run_with_the_line_that_would_allow_it,
    an_edit_outside_the_sandbox_is_denied,
    a_program_that_is_killed_in_the_middle_of_a_command_has_failed_and_leaves_no_process,
    a_client_that_is_killed_in_the_middle_of_a_command_leaves_no_process,
    ctrl_c_leaves_no_process_and_a_task_that_can_be_taken_up_again,
    a_shim_that_is_killed_is_no_good_end_or_is_started_again,
    a_question_outlives_the_shim_that_took_it,
    a_conversation_that_is_gone_is_told_anew,
);

fn a_denied_tool_without_a_change_fails_the_run_with_the_line_that_would_allow_it(bridge: &Bridge) {
    for isolation in ["auto", "none"] {
        let script = Script::of([bridge.shell("touch made.txt"), Step::say("Done.")]);
        let Some(office) = bridge.office(script) else { return };
        let run = office.run(&["--permissions", "read", "--isolation", isolation, "--json"]);
        let ended = run.end().expect(1).json();
        let (error, denied) = (&ended["error"], &ended["denied"]);
        assert_eq!(
            (&error["code"], &denied[0]["tool"]),
            (&"permission_denied".into(), &bridge.denied.0.into())
        );
        assert!(error["hint"].as_str().unwrap().contains("permissions: edit"), "{ended}");
        assert_eq!(office.project.git(["branch", "--list", "callbox/*"]), "");
        nothing_left(&office.desk);
    }
}

fn an_edit_outside_the_sandbox_is_denied(bridge: &Bridge) {
    let desk = Desk::new();
    let outside = desk.path("outside.txt");
    let script = Script::of([bridge.write(outside.to_str().unwrap()), Step::say("Done.")]);
    let Some(office) = bridge.office_at(desk, script) else { return };
    let ended = office.run(&["--isolation", "none", "--json"]).end().expect(1).json();
    assert_eq!(ended["error"]["code"], "permission_denied", "{ended}");
    assert_eq!(ended["denied"][0]["tool"], bridge.denied.1, "{ended}");
    assert!(!outside.exists());
}

/// A call that was cut off stands in some conversations and not in others.
fn busy_script(bridge: &Bridge) -> Script {
    let again = ["taken up again"; 3].map(Bridge::summary);
    Script::default()
        .about("Take it up again.", again.into_iter().chain(["Done."; 3].map(Step::say)))
        .about("", [bridge.shell("echo x > begun.txt; sleep 600")])
}

fn a_program_that_is_killed_in_the_middle_of_a_command_has_failed_and_leaves_no_process(bridge: &Bridge) {
    let Some(office) = bridge.office(busy_script(bridge)) else { return };
    let running = busy(&office, bridge.process);
    kill(the_process(&office.desk, |line| line.contains(bridge.process)), Signal::KILL);
    let ended = running.end().expect(1).json();
    assert_eq!((&ended["task"]["state"], &ended["error"]["code"]), (&"failed".into(), &"agent_error".into()));
    assert!(ended["error"]["message"].as_str().unwrap().contains("in the middle of the run"), "{ended}");
    nothing_left(&office.desk);
}

fn a_client_that_is_killed_in_the_middle_of_a_command_leaves_no_process(bridge: &Bridge) {
    let Some(office) = bridge.office(busy_script(bridge)) else { return };
    let running = busy(&office, bridge.process);
    kill(the_process(&office.desk, |line| line.trim_end().ends_with("exe acp")), Signal::KILL);
    let ended = running.end().expect(1).json();
    assert_eq!((&ended["task"]["state"], &ended["error"]["code"]), (&"failed".into(), &"agent_error".into()));
    nothing_left(&office.desk);
}

fn ctrl_c_leaves_no_process_and_a_task_that_can_be_taken_up_again(bridge: &Bridge) {
    let Some(office) = bridge.office(busy_script(bridge)) else { return };
    let running = busy(&office, bridge.process);
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

/// Whether `line` is the shim's own: claude-agent-acp names it in another's arguments.
fn is_shim(line: &str) -> bool {
    line.split(' ').next().is_some_and(|program| program.ends_with("callbox-mcp"))
}

/// Claude Code starts it again; the others go on without, and what they were to say is missed.
fn a_shim_that_is_killed_is_no_good_end_or_is_started_again(bridge: &Bridge) {
    let desk = Desk::new();
    let gate = desk.path("gate");
    let script = Script::of([
        Step::call("record_progress", json!({"message": "began"})),
        Step::once(&gate, Bridge::summary("heard after all")),
        Step::say("Done."),
        Step::say("Done."),
    ]);
    let Some(office) = bridge.office_at(desk, script) else { return };
    let running = office.run(&["--json"]).start();
    wait_until("the agent speaks through its shim", SOON, || office.model.turns().len() == 2);
    kill(the_process(&office.desk, is_shim), Signal::KILL);
    fs::write(&gate, "").unwrap();
    let ended = running.end();
    let ended = if bridge.agent == "claude-acp" { ended.expect(0) } else { ended.expect(69) }.json();
    match bridge.agent {
        "claude-acp" => assert_eq!(ended["task"]["state"], "completed", "{ended}"),
        _ => assert_eq!(
            (&ended["task"]["state"], &ended["error"]["code"]),
            (&"failed".into(), &"wiring".into())
        ),
    }
    nothing_left(&office.desk);
}

fn a_question_outlives_the_shim_that_took_it(bridge: &Bridge) {
    let desk = Desk::new();
    let gate = desk.path("gate");
    let script = Script::of([bridge.ask("Which?"), Step::once(&gate, Step::say("I have asked."))]);
    let Some(office) = bridge.office_at(desk, script) else { return };
    let running = office.run(&["--json"]).start();
    wait_until("the question was taken", SOON, || office.model.turns().len() == 2);
    kill(the_process(&office.desk, is_shim), Signal::KILL);
    fs::write(&gate, "").unwrap();
    let ended = running.end().expect(3).json();
    assert_eq!(ended["task"]["state"], "blocked", "{ended}");
    nothing_left(&office.desk);
}

fn a_conversation_that_is_gone_is_told_anew(bridge: &Bridge) {
    let begun =
        [bridge.shell("echo draft > draft.txt"), bridge.ask("Which colour?"), Step::say("I have asked.")];
    let anew = [Bridge::summary("told anew"), Step::say("Done.")];
    let script = Script::default().about("in a conversation that is gone", anew).about("", begun);
    let Some(office) = bridge.office(script) else { return };
    office.run(&[]).end().expect(3);
    let sandbox = office.desk.state().join("sandboxes/1");
    match bridge.agent {
        "claude-acp" => fs::remove_dir_all(office.desk.path("home/.claude/projects")).unwrap(),
        "codex-acp" => fs::remove_dir_all(sandbox.join("1.codex")).unwrap(),
        _ => fs::remove_dir_all(sandbox.join("1.gemini")).unwrap(),
    }
    let ended = office.callbox(&["answer", "q1", "blue", "--run", "--json"]).end().expect(0);
    let ended = ended.says("the agent no longer knew the session; a new conversation begins").json();
    assert_eq!(ended["summary"], "told anew");
    assert_eq!(office.project.git(["show", "callbox/t1-colours:draft.txt"]).trim(), "draft");
    nothing_left(&office.desk);
}
