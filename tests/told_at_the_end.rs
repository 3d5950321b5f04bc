//! A person's message to real agent programs while they work, whose output does not name their calls: nothing
//! shows that a result with the message was heard.

use serde_json::json;

use crate::support::{
    cli::Desk,
    fake_model::{Script, Step},
    office::Office,
    processes::nothing_left,
    wait::wait_for_words,
};

const TOLD: &str = "Message from the person: Hurry.";

#[test]
fn codex_and_gemini_hear_a_message_once_at_the_end_of_their_turn_in_the_same_conversation() {
    for agent in ["codex", "gemini"] {
        let desk = Desk::new();
        let progress = |words: &str| Step::call("record_progress", json!({"message": words}));
        let script = Script::of([
            progress("at work"),
            Step::once(desk.path("go"), progress("further")),
            Step::say("The turn is over."),
            Step::call("report_summary", json!({"summary": "hurried"})),
            Step::say("Done."),
        ]);
        let Some(office) = Office::of(agent, desk, script) else { return };
        let running = office.run(&["--json"]).start();
        wait_for_words(office.desk.state().join("executions/1/transcript.log"), "Recorded.");
        office.callbox(&["tell", "t1", "Hurry."]).end().expect(0);
        office.desk.write("go", "");
        let ended = running.end().expect(0).json();
        assert_eq!(ended["summary"], "hurried", "{ended}");
        let last = office.model.turns().pop().unwrap();
        assert_eq!(last.said().concat().matches(TOLD).count(), 1, "{agent}");
        assert!(!last.tool_results().iter().any(|result| result.to_string().contains(TOLD)), "{agent}");
        let shown = office.callbox(&["show", "t1", "--json"]).end().expect(0).json();
        let runs = shown["executions"].as_array().unwrap();
        assert_eq!((runs.len(), &runs[0]["session_id"]), (2, &runs[1]["session_id"]), "{shown}");
        assert_eq!(shown["messages"][0]["state"], "taken", "{shown}");
        nothing_left(&office.desk);
    }
}
