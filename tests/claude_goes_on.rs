//! How the real Claude Code goes on: behind a review, a failed check, lost places, answers and kills.

use std::fs;

use rustix::process::Signal;
use serde_json::{Value, json};

use crate::support::{
    cli::Desk,
    fake_model::{Script, Step},
    office::Office,
    processes::{kill, nothing_left, the_process},
    wait::{SOON, wait_for_words, wait_until},
};

fn bash(command: &str) -> Step {
    Step::call("Bash", json!({"command": command, "description": "work"}))
}

fn ask(question: &str) -> Step {
    Step::call("ask_user", json!({"question": question}))
}

fn summary(words: &str) -> Step {
    Step::call("report_summary", json!({"summary": words}))
}

/// What was said to the model in the last request, in one piece.
fn said(office: &Office) -> String {
    office.model.turns().pop().unwrap().said().concat()
}

/// Every run of the task; all of one conversation.
#[track_caller]
fn runs_of_one_conversation(office: &Office, count: usize) -> Vec<Value> {
    let shown = office.callbox(&["show", "t1", "--json"]).end().expect(0).json();
    let runs = shown["executions"].as_array().unwrap().clone();
    assert_eq!(runs.len(), count, "{shown}");
    assert!(runs.iter().all(|run| run["session_id"] == runs[0]["session_id"]), "{shown}");
    runs
}

#[test]
fn work_that_was_delivered_and_is_sent_back_goes_on_in_its_conversation_and_onto_its_branch() {
    let paint = |colour: &str| bash(&format!("echo {colour} > colour.txt"));
    let script = [paint("red"), Step::say("Red."), paint("blue"), Step::say("Blue.")];
    let Some(office) = Office::new(Script::of(script)) else { return };
    office.run(&["--review", "yes"]).end().expect(0);
    assert_eq!(office.project.git(["show", "callbox/t1-colours:colour.txt"]).trim(), "red");
    let again = office.callbox(&["reject", "t1", "Make it blue.", "--run", "--json"]).end().expect(0).json();
    assert_eq!((&again["task"]["state"], &again["summary"]), (&json!("ready"), &json!("Blue.")));
    assert!(said(&office).contains("does not accept it yet: Make it blue."), "{}", said(&office));
    assert_eq!(again["delivery"]["branch"], "callbox/t1-colours");
    assert_eq!(office.project.git(["show", "callbox/t1-colours:colour.txt"]).trim(), "blue");
    assert_eq!(again["messages"][0]["state"], "taken", "{again}");
    runs_of_one_conversation(&office, 2);
}

#[test]
fn work_that_fails_its_command_is_mended_in_the_same_conversation() {
    let script = [
        bash("echo red > colour.txt"),
        Step::say("Red."),
        bash("echo blue > colour.txt"),
        Step::say("Blue."),
    ];
    let Some(office) = Office::new(Script::of(script)) else { return };
    let check = "echo it must be blue; test \"$(cat colour.txt)\" = blue";
    let ended = office.run(&["--verify", check, "--json"]).end().expect(0).json();
    let told = said(&office);
    assert!(
        told.contains("The command that decides about your work") && told.contains("it must be blue"),
        "{told}"
    );
    assert_eq!((&ended["summary"], &ended["verify"]["exit"]), (&json!("Blue."), &json!({"code": 0})));
    runs_of_one_conversation(&office, 2);
}

/// A run that asked once it had left something; told anew, it reports.
fn asked() -> Option<Office> {
    let begun = [
        Step::call("record_progress", json!({"message": "half way"})),
        bash("echo draft > draft.txt"),
        ask("Which colour?"),
        Step::say("I have asked."),
    ];
    let anew = [summary("told anew"), Step::say("Done.")];
    let script = Script::default().about("in a conversation that is gone", anew).about("", begun);
    let office = Office::new(script)?;
    office.run(&[]).end().expect(3);
    Some(office)
}

/// What whoever is told anew must know.
#[track_caller]
fn told_anew(office: &Office, place: &str) {
    let told = said(office);
    for part in ["Paint it.", "progress: half way", "Answer to question 1 (Which colour?): blue", place] {
        assert!(told.contains(part), "{part} is missing from {told}");
    }
    let shown = office.callbox(&["show", "t1", "--json"]).end().expect(0).json();
    let runs = &shown["executions"];
    assert!(runs[0]["session_id"] != runs[1]["session_id"], "{shown}");
    nothing_left(&office.desk);
}

#[test]
fn a_conversation_that_is_gone_is_told_anew_in_its_own_directory() {
    let Some(office) = asked() else { return };
    fs::remove_dir_all(office.desk.path("home/.claude/projects")).unwrap();
    let ended = office.callbox(&["answer", "q1", "blue", "--run", "--json"]).end().expect(0);
    let ended = ended.says("the agent no longer knew the session; a new conversation begins").json();
    assert_eq!(ended["summary"], "told anew");
    assert_eq!(office.project.git(["show", "callbox/t1-colours:draft.txt"]).trim(), "draft");
    told_anew(&office, "what was left there is still there");
}

#[test]
fn a_sandbox_that_is_gone_is_made_anew_and_its_conversation_told_anew() {
    let Some(office) = asked() else { return };
    fs::remove_dir_all(office.desk.state().join("sandboxes/1/1")).unwrap();
    let ended = office.callbox(&["answer", "q1", "blue", "--run", "--json"]).end().expect(0);
    let ended = ended.says("the sandbox was gone; a new conversation begins").json();
    assert_eq!((&ended["summary"], &ended["delivery"]), (&json!("told anew"), &json!(null)));
    told_anew(&office, "You work in a new directory; what was not delivered is not in it.");
}

#[test]
fn two_questions_of_one_turn_are_answered_together() {
    let script =
        [ask("Which?"), ask("How many?"), Step::say("I have asked."), summary("heard"), Step::say("Done.")];
    let Some(office) = Office::new(Script::of(script)) else { return };
    office.run(&[]).end().expect(3);
    office.callbox(&["answer", "t1", "blue"]).end().expect(1);
    office.callbox(&["answer", "q1", "blue", "--run"]).end().expect(3);
    office.callbox(&["answer", "q2", "three", "--run"]).end().expect(0);
    let told = said(&office);
    for answer in ["Answer to question 1 (Which?): blue", "Answer to question 2 (How many?): three"] {
        assert_eq!(told.matches(answer).count(), 1, "{told}");
    }
    runs_of_one_conversation(&office, 2);
}

#[test]
fn an_answer_that_comes_while_the_agent_works_is_said_behind_its_turn() {
    let desk = Desk::new();
    let asked = Step::once(desk.path("go"), Step::say("I have asked."));
    let script = Script::of([ask("Which?"), asked, summary("heard"), Step::say("Done.")]);
    let Some(office) = Office::at(desk, script) else { return };
    let running = office.run(&["--json"]).start();
    wait_for_words(office.desk.state().join("executions/1/transcript.log"), "Recorded as q1");
    let answered = office.callbox(&["answer", "q1", "blue"]).end().expect(0);
    assert!(answered.stdout.contains("is still running; it is told"), "{answered}");
    office.desk.write("go", "");
    let ended = running.end().expect(0).json();
    assert_eq!(ended["summary"], "heard");
    assert_eq!(said(&office).matches("Answer to question 1 (Which?): blue").count(), 1);
    runs_of_one_conversation(&office, 2);
}

#[test]
fn a_kill_in_the_middle_of_a_command_leaves_nothing_and_the_conversation_goes_on() {
    for (victim, status) in [("--permission-mode", 1), (" supervise ", 0)] {
        // A call that was cut off may count as one turn more that was spoken.
        let script = [
            bash("echo x > begun.txt; sleep 600"),
            summary("further"),
            summary("further"),
            Step::say("Done."),
        ];
        let Some(office) = Office::new(Script::of(script)) else { return };
        let running = office.run(&["--json"]).start();
        let begun = office.desk.state().join("sandboxes/1/1/begun.txt");
        wait_until("the agent runs a command", 3 * SOON, || begun.exists());
        // The launch of an agent is itself a line with its arguments for a moment.
        kill(the_process(&office.desk, |line| line.contains(victim)), Signal::KILL);
        let ended = running.end().expect(status).json();
        if status == 1 {
            let message = ended["error"]["message"].as_str().unwrap();
            assert!(message.contains("ended by signal 9"), "{message}");
            office.callbox(&["resume", "t1", "--run"]).end().expect(0);
        }
        let runs = runs_of_one_conversation(&office, 2);
        let outcome = if status == 1 { "failed" } else { "lost" };
        assert_eq!((&runs[0]["outcome"], &runs[1]["outcome"]), (&json!(outcome), &json!("succeeded")));
        assert_eq!(office.project.git(["show", "callbox/t1-colours:begun.txt"]).trim(), "x");
        nothing_left(&office.desk);
    }
}

#[test]
fn a_shim_that_is_killed_is_started_again_and_nothing_is_lost() {
    let desk = Desk::new();
    let go = desk.path("go");
    let progress = |words: &str| Step::call("record_progress", json!({"message": words}));
    // Claude Code says of the first call behind a kill that the connection is closed, or makes it at once to the new
    // shim: what is said again is there once more or for the first time.
    let steps = [
        progress("before"),
        bash("echo x > begun.txt"),
        Step::once(go, progress("behind")),
        summary("told"),
        summary("told"),
        Step::say("Done."),
    ];
    let Some(office) = Office::at(desk, Script::of(steps)) else { return };
    let running = office.run(&["--json"]).start();
    let begun = office.desk.state().join("sandboxes/1/1/begun.txt");
    wait_until("the agent works", 3 * SOON, || begun.exists());
    kill(the_process(&office.desk, |line| line.trim_end().ends_with("callbox-mcp")), Signal::KILL);
    office.desk.write("go", "");
    let ended = running.end().expect(0).json();
    assert_eq!(ended["summary"], "told", "{ended}");
    let shown = office.callbox(&["show", "t1", "--json"]).end().expect(0).json();
    let said: Vec<_> =
        shown["signals"].as_array().unwrap().iter().map(|signal| &signal["arguments"]).collect();
    assert_eq!(said[0]["message"], "before", "{shown}");
    nothing_left(&office.desk);
}
