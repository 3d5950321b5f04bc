//! How runs of the real Codex end that do not go well, end to end: denied tools, a shim that is gone, kills, and
//! conversations that are lost.

use std::fs;

use rustix::process::Signal;
use serde_json::{Value, json};

use crate::support::{
    busy::busy,
    cli::Desk,
    fake_model::{Script, Step},
    office::Office,
    processes::{kill, kill_group, nothing_left, the_process},
    wait::{SOON, wait_until},
};

fn shell(command: &str) -> Step {
    Step::call("exec_command", json!({"cmd": command}))
}

fn summary(words: &str) -> Step {
    Step::call("report_summary", json!({"summary": words}))
}

#[track_caller]
fn office(script: Script) -> Option<Office> {
    Office::of("codex", Desk::new(), script)
}

/// Every run of the task.
fn runs(office: &Office) -> Vec<Value> {
    let shown = office.callbox(&["show", "t1", "--json"]).end().expect(0).json();
    shown["executions"].as_array().unwrap().clone()
}

#[test]
fn a_denied_tool_without_a_change_fails_the_run_with_the_line_that_would_allow_it() {
    for isolation in ["auto", "none"] {
        let Some(office) = office(Script::of([shell("touch made.txt"), Step::say("Done.")])) else { return };
        let run = office.run(&["--permissions", "read", "--isolation", isolation, "--json"]);
        let ended = run.end().expect(1).json();
        assert_eq!(ended["error"]["code"], "permission_denied", "{isolation}: {ended}");
        assert!(ended["error"]["hint"].as_str().unwrap().contains("permissions: edit"), "{ended}");
        assert_eq!(ended["denied"][0]["tool"], "exec_command", "{ended}");
        assert_eq!(office.project.git(["branch", "--list", "callbox/*"]), "");
        nothing_left(&office.desk);
    }
}

#[test]
fn who_may_only_look_looks_and_nothing_is_written_by_whatever_way() {
    let patch = "*** Begin Patch\n*** Add File: made.txt\n+x\n*** End Patch\n";
    let Some(office) = office(Script::of([
        shell("cat a.txt && echo; echo x > made.txt; echo x > .git/made; true"),
        Step::call("apply_patch", json!(patch)),
        summary("looked"),
        Step::say("Done."),
    ])) else {
        return;
    };
    let ended = office.run(&["--permissions", "read", "--json"]).end().json();
    assert_eq!(ended["summary"], "looked", "{ended}");
    let results = office.model.turns().pop().unwrap().tool_results();
    assert!(results[0].to_string().contains("one"), "{results:?}");
    let sandbox = office.desk.state().join("sandboxes/1/1");
    assert!(sandbox.join("a.txt").exists());
    assert!(!sandbox.join("made.txt").exists() && !sandbox.join(".git/made").exists());
    assert!(ended["denied"].to_string().contains("apply_patch"), "{ended}");
}

#[test]
fn a_shim_that_is_killed_fails_the_run_that_calls_it_next() {
    let desk = Desk::new();
    let go = desk.path("go");
    let steps = [shell("touch begun.txt"), Step::once(go, summary("told")), Step::say("Done.")];
    let Some(office) = Office::of("codex", desk, Script::of(steps)) else { return };
    let running = office.run(&["--json"]).start();
    let begun = office.desk.state().join("sandboxes/1/1/begun.txt");
    wait_until("the agent works", 3 * SOON, || begun.exists());
    kill(the_process(&office.desk, |line| line.trim_end().ends_with("callbox-mcp")), Signal::KILL);
    office.desk.write("go", "");
    let ended = running.end().expect(69).json();
    assert_eq!(ended["error"]["code"], "wiring", "{ended}");
    assert!(ended["error"]["message"].as_str().unwrap().contains("shim"), "{ended}");
    nothing_left(&office.desk);
}

fn busy_script() -> Script {
    Script::of([shell("echo x > begun.txt; sleep 600"), summary("taken up again"), Step::say("Done.")])
}

#[test]
fn ctrl_c_leaves_no_process_and_a_task_that_can_be_taken_up_again() {
    let Some(office) = office(busy_script()) else { return };
    let running = busy(&office, "exec --json");
    kill_group(running.pid(), Signal::INT);
    let ended = running.end().expect(7).json();
    assert_eq!(ended["task"]["state"], "cancelled", "{ended}");
    nothing_left(&office.desk);
    let resumed = office.callbox(&["resume", "t1", "--run", "--json"]).end().expect(0).json();
    assert_eq!(resumed["summary"], "taken up again");
    assert_eq!(resumed["execution"]["session_id"], ended["execution"]["session_id"]);
    assert_eq!(office.project.git(["show", "callbox/t1-colours:begun.txt"]).trim(), "x");
}

#[test]
fn a_kill_in_the_middle_of_a_command_leaves_nothing_and_the_conversation_goes_on() {
    for (victim, status, outcome) in [("exec --json", 1, "failed"), (" supervise ", 0, "lost")] {
        let Some(office) = office(busy_script()) else { return };
        let running = busy(&office, "exec --json");
        kill(the_process(&office.desk, |line| line.contains(victim)), Signal::KILL);
        let ended = running.end().expect(status).json();
        if status == 1 {
            let message = ended["error"]["message"].as_str().unwrap();
            assert!(message.contains("ended by signal 9"), "{message}");
            office.callbox(&["resume", "t1", "--run"]).end().expect(0);
        }
        let runs = runs(&office);
        assert_eq!(runs.len(), 2, "{runs:?}");
        assert_eq!(runs[0]["session_id"], runs[1]["session_id"]);
        assert_eq!((&runs[0]["outcome"], &runs[1]["outcome"]), (&json!(outcome), &json!("succeeded")));
        assert_eq!((&runs[0]["tokens_in"], &runs[1]["tokens_in"]), (&json!(null), &json!(2000)), "{runs:?}");
        assert_eq!(office.project.git(["show", "callbox/t1-colours:begun.txt"]).trim(), "x");
        nothing_left(&office.desk);
    }
}

#[test]
fn a_conversation_that_is_gone_is_told_anew_and_its_figures_begin_anew() {
    let begun = [
        shell("echo draft > draft.txt"),
        Step::call("ask_user", json!({"question": "Which colour?"})),
        Step::say("I have asked."),
    ];
    let anew = [summary("told anew"), Step::say("Done.")];
    let script = Script::default().about("in a conversation that is gone", anew).about("", begun);
    let Some(office) = office(script) else { return };
    office.run(&[]).end().expect(3);
    fs::remove_dir_all(office.desk.path("home/.codex/sessions")).unwrap();
    let ended = office.callbox(&["answer", "q1", "blue", "--run", "--json"]).end().expect(0);
    let ended = ended.says("the agent no longer knew the session; a new conversation begins").json();
    assert_eq!(ended["summary"], "told anew");
    let said = office.model.turns().pop().unwrap().said().concat();
    assert!(said.contains("Answer to question 1 (Which colour?): blue"), "{said}");
    let runs = runs(&office);
    assert!(runs[0]["session_id"] != runs[1]["session_id"], "{runs:?}");
    assert_eq!(runs[1]["tokens_in"], 2000, "{runs:?}");
    nothing_left(&office.desk);
}
