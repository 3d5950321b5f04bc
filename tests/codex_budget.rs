//! Budgets of the real Codex, which tells tokens and no dollars.

use serde_json::json;

use crate::support::{
    cli::Desk,
    fake_model::{Script, Step},
    office::Office,
    processes::nothing_left,
};

#[test]
fn a_conversation_that_has_used_up_its_tokens_goes_on_only_when_they_are_raised() {
    let script = Script::of([
        Step::call("ask_user", json!({"question": "Which?"})),
        Step::say("I have asked."),
        Step::call("report_summary", json!({"summary": "It is blue."})),
        Step::say("Done."),
    ]);
    let Some(office) = Office::of("codex", Desk::new(), script) else { return };
    office.run(&["--max-tokens", "1500"]).end().expect(3);
    let spent = office.callbox(&["answer", "q1", "blue", "--run", "--json"]).end().expect(5).json();
    assert_eq!(spent["task"]["state"], "budget_exceeded", "{spent}");
    assert_eq!(office.model.turns().len(), 2, "nothing more was asked");
    let arguments = ["resume", "t1", "--max-tokens", "9000", "--run", "--json"];
    let raised = office.callbox(&arguments).end().expect(0).json();
    assert_eq!(
        (&raised["summary"], &raised["execution"]["tokens_in"]),
        (&json!("It is blue."), &json!(2000))
    );
    assert_eq!(raised["totals"]["tokens_in"], 4000, "{raised}");
    nothing_left(&office.desk);
}

#[test]
fn a_limit_of_dollars_is_said_to_hold_nobody() {
    let Some(office) = Office::of("codex", Desk::new(), Script::of([Step::say("Done.")])) else { return };
    let said = "`max_cost_usd` cannot hold `colours`: the agent `codex` does not report";
    office.run(&["--max-cost-usd", "1"]).end().expect(0).says(said);
}
