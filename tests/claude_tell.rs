//! A person's messages to the real Claude Code, with a fake model behind it.

use serde_json::{Value, json};

use crate::support::{
    cli::{Desk, Running},
    fake_model::{Script, Step},
    office::Office,
    processes::nothing_left,
    wait::{SOON, wait_for_words, wait_until},
};

const TOLD: &str = "Message from the person: Hurry.";

fn progress(words: &str) -> Step {
    Step::call("record_progress", json!({"message": words}))
}

fn bash(command: &str) -> Step {
    Step::call("Bash", json!({"command": command, "description": "work"}))
}

fn show(office: &Office) -> Value {
    office.callbox(&["show", "t1", "--json"]).end().expect(0).json()
}

/// A run whose agent has said so.
fn at_work(office: &Office) -> Running {
    let running = office.run(&["--json"]).start();
    wait_for_words(office.desk.state().join("executions/1/transcript.log"), "Recorded.");
    running
}

/// How often the model was told `words`, in its last request, by the user and by tools.
fn heard(office: &Office, words: &str) -> (usize, usize) {
    let last = office.model.turns().pop().unwrap();
    let results = Value::from(last.tool_results()).to_string();
    (last.said().concat().matches(words).count(), results.matches(words).count())
}

#[test]
fn claude_hears_a_message_with_its_next_tool_result_and_goes_on_in_the_same_run() {
    let desk = Desk::new();
    let script = Script::of([
        progress("at work"),
        Step::once(desk.path("go"), progress("further")),
        Step::call("report_summary", json!({"summary": "hurried"})),
        Step::say("Done."),
    ]);
    let Some(office) = Office::at(desk, script) else { return };
    let running = at_work(&office);
    office.callbox(&["tell", "t1", "Hurry."]).end().expect(0);
    office.desk.write("go", "");
    running.end().expect(0);
    assert_eq!(heard(&office, TOLD), (0, 1));
    let shown = show(&office);
    assert_eq!(shown["executions"].as_array().unwrap().len(), 1, "{shown}");
    let told = &shown["messages"][0];
    assert_eq!((&told["state"], &told["execution"]), (&json!("taken"), &json!("x1")), "{told}");
    nothing_left(&office.desk);
}

#[test]
fn claude_is_resumed_with_a_message_that_came_behind_its_last_tool_call() {
    let desk = Desk::new();
    let script = Script::of([
        progress("at work"),
        Step::once(desk.path("go"), Step::say("All done.")),
        Step::call("report_summary", json!({"summary": "hurried"})),
        Step::say("Done."),
    ]);
    let Some(office) = Office::at(desk, script) else { return };
    let running = at_work(&office);
    office.callbox(&["tell", "t1", "Hurry."]).end().expect(0);
    office.desk.write("go", "");
    let ended = running.end().expect(0).json();
    assert_eq!((heard(&office, TOLD), &ended["summary"]), ((1, 0), &json!("hurried")));
    let runs = show(&office)["executions"].clone();
    assert_eq!((runs.as_array().unwrap().len(), &runs[0]["session_id"]), (2, &runs[1]["session_id"]));
}

#[test]
fn with_now_claude_is_interrupted_in_the_middle_of_a_command_and_hears_the_message_at_once() {
    let summary = || Step::call("report_summary", json!({"summary": "hurried"}));
    // A call that was cut off may count as one turn more that was spoken.
    let script =
        Script::of([progress("at work"), bash("echo x > begun.txt; sleep 600"), summary(), summary()]);
    let Some(office) = Office::new(script) else { return };
    let running = at_work(&office);
    let begun = office.desk.state().join("sandboxes/1/1/begun.txt");
    wait_until("the agent runs a command", SOON, || begun.exists());
    office.callbox(&["tell", "t1", "Hurry.", "--now"]).end().expect(0);
    let ended = running.end().expect(0).says("its turn was ended for a message").json();
    assert_eq!((heard(&office, TOLD), &ended["summary"]), ((1, 0), &json!("hurried")));
    let shown = show(&office);
    let runs = shown["executions"].as_array().unwrap();
    assert_eq!((runs.len(), &runs[0]["outcome"]), (2, &json!("interrupted")), "{shown}");
    assert_eq!(runs[0]["session_id"], runs[1]["session_id"]);
    assert_eq!(shown["messages"][0]["state"], "taken");
    nothing_left(&office.desk);
}

#[test]
fn a_message_to_a_completed_task_goes_on_in_its_conversation_and_sandbox_and_delivers_again() {
    let script = Script::of([
        bash("echo red > colour.txt"),
        Step::say("Red."),
        bash("echo blue > colour.txt"),
        Step::say("Blue."),
    ]);
    let Some(office) = Office::new(script) else { return };
    let first = office.run(&["--json"]).end().expect(0).json();
    office.callbox(&["tell", "t1", "blue"]).end().expect(1).says("callbox resume t1 TEXT");
    let again = office.callbox(&["resume", "t1", "Almost: blue.", "--run", "--json"]).end().expect(0).json();
    assert_eq!(heard(&office, "Message from the person: Almost: blue."), (1, 0));
    assert_eq!(
        (&again["sandbox"], &again["execution"]["session_id"], &again["delivery"]["branch"]),
        (&first["sandbox"], &first["execution"]["session_id"], &first["delivery"]["branch"])
    );
    assert_eq!(office.project.git(["show", "callbox/t1-colours:colour.txt"]).trim(), "blue");
    assert_eq!((&again["delivery"]["commits"], &again["summary"]), (&json!(2), &json!("Blue.")), "{again}");
    assert_eq!(again["delivery"]["base"], first["delivery"]["base"]);
    nothing_left(&office.desk);
}
