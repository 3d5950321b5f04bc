//! A person's messages to an agent, end to end with the scripted agent.

use std::fs;

use rustix::process::Signal;
use serde_json::{Value, json};

use crate::support::{
    cli::Desk,
    held_run::{HeldRun, HeldRuns, call_named},
    inside::wait_for_file,
    processes::{kill, nothing_left, the_process},
    resident::Resident,
    shim::SHIM,
    wait::{SOON, wait_for_words, wait_until},
};

const TOLD: &str = "Message from the person: Hurry.";
const TOLD_AGAIN: &str = "Message from the person, which a tool's result may have told you already: ";

/// What the run that began as `execution` was told.
fn opening(desk: &Desk, execution: &str) -> String {
    let number = execution.trim_start_matches('x');
    fs::read_to_string(desk.state().join(format!("executions/{number}/launch.json"))).unwrap()
}

fn show(desk: &Desk) -> Value {
    desk.callbox(["show", "t1", "--json"]).end().expect(0).json()
}

fn tell(runs: &HeldRuns, run: &HeldRun, more: &[&str]) -> String {
    let words = ["tell", &run.task, "Hurry."];
    runs.desk.callbox(words.into_iter().chain(more.iter().copied())).end().expect(0).stdout
}

fn wait_for_the_end(runs: &HeldRuns, run: &HeldRun) -> Value {
    wait_until("the task is completed", SOON, || runs.show(&run.task)["task"]["state"] == "completed");
    runs.show(&run.task)
}

#[test]
fn a_message_goes_along_with_one_tool_result_and_is_said_again_where_nothing_proves_that_it_was_heard() {
    let (runs, run) = HeldRuns::one();
    assert!(tell(&runs, &run, &[]).contains("with its agent's next tool result"));
    let message = |runs: &HeldRuns| runs.show(&run.task)["messages"][0].clone();
    assert_eq!((&message(&runs)["state"], &message(&runs)["execution"]), (&json!("waiting"), &json!(null)));

    let mut shim = runs.shim(&run.token);
    let progress = json!({"message": "half way"});
    let unnamed = shim.call("record_progress", &progress);
    assert_eq!(unnamed, (false, "Recorded.".to_owned()), "nothing that is said later could prove this one");
    let (_, given) = call_named(&mut shim, "toolu_1", "record_progress", &progress);
    assert!(given.starts_with("Recorded.") && given.contains(TOLD), "{given}");
    assert_eq!(call_named(&mut shim, "toolu_1", "record_progress", &progress).1, given, "the same call");
    let (_, next) = call_named(&mut shim, "toolu_2", "record_progress", &progress);
    assert_eq!(next, "Recorded.");
    let handed = message(&runs);
    assert_eq!((&handed["state"], &handed["execution"]), (&json!("handed"), &json!(run.execution)));
    assert!(handed["actor"].as_str().unwrap().contains("callbox"), "{handed}");
    let shown = runs.desk.callbox(["show", &run.task]).end().expect(0).stdout;
    assert!(shown.contains("message Hurry. (given to x1, not proven to be taken)"), "{shown}");

    kill(the_process(&runs.desk, |line| line.contains(" scripted")), Signal::KILL);
    let ended = wait_for_the_end(&runs, &run);
    assert_eq!(ended["executions"].as_array().unwrap().len(), 2, "{ended}");
    assert!(opening(&runs.desk, "x2").contains(TOLD_AGAIN), "{}", opening(&runs.desk, "x2"));
    let taken = &ended["messages"][0];
    assert_eq!((&taken["state"], &taken["execution"]), (&json!("taken"), &json!("x2")), "{taken}");
}

#[test]
fn with_now_the_turn_is_ended_and_goes_on_with_the_message_in_the_same_conversation() {
    let (runs, run) = HeldRuns::one();
    assert!(tell(&runs, &run, &["--now"]).contains("the turn of t1 is being ended"));
    let ended = wait_for_the_end(&runs, &run);
    let executions = ended["executions"].as_array().unwrap();
    assert_eq!(executions.len(), 2, "{ended}");
    assert_eq!((&executions[0]["outcome"], &executions[1]["attempt"]), (&json!("interrupted"), &json!(1)));
    assert_eq!(executions[0]["session_id"], executions[1]["session_id"]);
    let said = opening(&runs.desk, "x2");
    assert!(said.contains("Message from the person: ") && said.contains("Hurry."), "{said}");
    assert_eq!(ended["messages"][0]["state"], "taken");
}

#[test]
fn where_no_store_stays_a_turn_is_ended_too_and_it_is_said_how_to_go_on() {
    let desk = Desk::new();
    let steps = "- progress: at work\n- sleep: 600s\n- summary: heard";
    let run = desk.callbox(["run", "-p", steps, "--agent", "scripted", "--no-project"]).start();
    wait_for_words(desk.state().join("executions/1/transcript.log"), "Recorded.");
    kill(run.pid(), Signal::KILL);
    run.end();
    let _ =
        desk.callbox(["tell", "t1", "-", "--now"]).stdin("Hurry.").end().expect(0).says("resume t1 --run");
    assert_eq!(desk.standing("t1"), "queued");
    let ended = desk.callbox(["resume", "t1", "--run", "--json"]).end().expect(0).json();
    assert_eq!((&ended["summary"], &ended["messages"][0]["state"]), (&json!("heard"), &json!("taken")));
    nothing_left(&desk);
}

#[test]
fn a_message_goes_along_with_the_answers_that_a_task_waits_for() {
    let desk = Desk::new();
    let steps = "- ask: Which?\n- summary: '{answer}'";
    desk.callbox(["run", "-p", steps, "--agent", "scripted", "--no-project"]).end().expect(3);
    let said = desk.callbox(["tell", "t1", "Hurry.", "--now"]).end().expect(0).stdout;
    assert!(said.contains("t1 is told together with the answers"), "{said}");
    assert_eq!(desk.standing("t1"), "blocked");
    let ended = desk.callbox(["answer", "q1", "red", "--run", "--json"]).end().expect(0).json();
    assert_eq!((&ended["summary"], &ended["messages"][0]["state"]), (&json!("red"), &json!("taken")));
    let said = opening(&desk, "x2");
    assert!(said.contains("Answer to question 1") && said.contains("Message from the person: "), "{said}");
}

#[test]
fn a_message_before_the_first_run_stands_behind_the_instructions() {
    let desk = Desk::new();
    let task = ["submit", "--hold", "-p", "- summary: x", "--agent", "scripted", "--no-project"];
    desk.callbox(task).end().expect(0);
    let told = desk.callbox(["tell", "t1", "Hurry."]).end().expect(0);
    assert!(told.stdout.contains("when its next run begins"), "{told}");
    desk.callbox(["start", "t1"]).end().expect(0);
    desk.callbox(["run", "--queued"]).end().expect(0);
    let said = opening(&desk, "x1");
    assert!(said.contains("Hurry.") && !said.contains("begun before"), "{said}");
    assert_eq!(show(&desk)["messages"][0]["state"], "taken");
}

#[test]
fn a_task_that_waits_for_its_subtasks_goes_on_with_a_message_at_once() {
    let desk = Desk::new();
    let steps = "- subtask: {name: part, instructions: '- ask: Which?'}\n- print: waiting\n- summary: heard";
    desk.callbox(["run", "-p", steps, "--agent", "scripted", "--no-project"]).end().expect(3);
    desk.callbox(["tell", "t1", "Hurry."]).end().expect(0).says("callbox resume t1 --run");
    assert_eq!(desk.standing("t1"), "queued");
    let ended = desk.callbox(["resume", "t1", "--run", "--json"]).end().expect(3).json();
    assert_eq!(
        (&ended["task"]["state"], &ended["messages"][0]["state"]),
        (&json!("blocked"), &json!("taken"))
    );
}

#[test]
fn whoever_has_ended_is_told_nothing_and_the_way_to_say_it_is_named() {
    let desk = Desk::new();
    let steps = "- summary: one\n- summary: two";
    let task = ["-p", steps, "--agent", "scripted", "--no-project"];
    desk.callbox(["run"].into_iter().chain(task)).end().expect(0);
    let refused = desk.callbox(["tell", "t1", "Hurry."]).end().expect(1);
    refused.says("t1 is completed").says("`callbox resume t1 TEXT` says it");
    desk.callbox(["run", "--review", "yes"].into_iter().chain(task)).end().expect(0);
    desk.callbox(["tell", "t2", "Hurry."]).end().expect(1).says("callbox reject");
    desk.callbox(["tell", "t1", " "]).end().expect(2);
    desk.callbox(["tell", "t9", "Hurry."]).end().expect(1).says("no `t9`");
    assert_eq!(show(&desk)["messages"], json!([]), "what was refused is not kept");
}

#[test]
fn a_command_started_by_hand_is_told_with_its_next_result_and_proves_it_with_the_one_behind() {
    for (calls, state, standing) in [(1, "handed", "queued"), (2, "taken", "completed")] {
        let desk = Desk::new();
        let call = format!("{SHIM} call record_progress '{{\"message\": \"on\"}}'");
        let (out, go) = (desk.path("out"), wait_for_file(&desk.path("go")));
        let script = format!("{call} >{}; {go}; {}", out.display(), vec![call.clone(); calls].join("; "));
        let attached = desk.callbox(["attach", "--", "sh", "-c", &script]).start();
        wait_for_words(out, "Recorded.");
        desk.callbox(["tell", "t1", "Hurry.", "--now"]).end().expect(1).says("started by hand");
        desk.callbox(["tell", "t1", "Hurry."]).end().expect(0);
        desk.write("go", "go");
        let ended = attached.end().expect(0);
        assert_eq!(ended.stdout.matches("Hurry.").count(), 1, "{ended}");
        assert_eq!(
            (&show(&desk)["messages"][0]["state"], desk.standing("t1").as_str()),
            (&json!(state), standing)
        );
    }
}

#[test]
fn a_message_that_came_too_late_for_its_task_is_said_to_be_unheard_until_the_task_goes_on() {
    let desk = Desk::new();
    let _resident = Resident::start(&desk);
    let (seen, go) = (desk.path("seen"), desk.path("go"));
    let verify = format!("echo x > {}; [ -e {} ] || sleep 600", seen.display(), go.display());
    let task = ["submit", "--agent", "scripted", "--no-project", "--isolation", "none", "--verify", &verify];
    desk.callbox(task.into_iter().chain(["-p", "- summary: done"])).end().expect(0);
    wait_until("the work is verified", 3 * SOON, || seen.exists());
    desk.callbox(["tell", "t1", "Hurry."]).end().expect(0);
    assert_eq!(show(&desk)["messages"][0]["state"], "waiting");
    desk.callbox(["cancel", "t1"]).end().expect(0);
    wait_until("the task has ended", 3 * SOON, || desk.standing("t1") == "cancelled");
    assert_eq!(show(&desk)["messages"][0]["state"], "unheard");
    let shown = desk.callbox(["show", "t1"]).end().expect(0).stdout;
    assert!(
        shown.contains("Hurry. (unheard, since the task has ended; `resume` goes on with it)"),
        "{shown}"
    );
    desk.write("go", "go");
    desk.callbox(["resume", "t1", "--run"]).end().expect(0);
    assert_eq!(show(&desk)["messages"][0]["state"], "taken");
}
