//! Budgets with the real Claude Code: it is told what is left, ends by itself there, and the conversation goes
//! on with more.

use serde_json::json;

use crate::support::{
    fake_model::{Script, Step},
    office::Office,
    processes::nothing_left,
};

#[test]
fn claude_code_ends_at_what_is_left_of_the_budget_and_goes_on_when_it_is_raised() {
    let step =
        |name: &str| Step::call("Bash", json!({"command": format!("touch {name}"), "description": "work"}));
    let script = Script::of([step("one"), step("two"), step("three"), Step::say("Done.")]);
    let Some(office) = Office::new(script) else { return };
    let ended = office.run(&["--max-cost-usd", "0.000001", "--json"]).end().expect(5).json();
    assert_eq!(
        (&ended["task"]["state"], &ended["error"]["code"]),
        (&json!("budget_exceeded"), &json!("budget"))
    );
    let spent = ended["execution"]["cost_usd"].as_f64().unwrap();
    assert!(spent > 0.000_001, "{ended}");
    assert!(ended["error"]["message"].as_str().unwrap().contains("`max_cost_usd` is 0.000001"), "{ended}");
    let turns = office.model.turns().len();
    assert!(turns < 4, "it went on for {turns} turns");
    nothing_left(&office.desk);

    let resumed =
        office.callbox(&["resume", "t1", "--max-cost-usd", "10", "--run", "--json"]).end().expect(0).json();
    assert_eq!(resumed["task"]["state"], "completed", "{resumed}");
    assert_eq!(resumed["execution"]["session_id"], ended["execution"]["session_id"]);
    // Each run counts what it used itself, not what its conversation had used before.
    let own = resumed["execution"]["cost_usd"].as_f64().unwrap();
    assert!((resumed["totals"]["cost_usd"].as_f64().unwrap() - spent - own).abs() < 1e-9, "{resumed}");
}
