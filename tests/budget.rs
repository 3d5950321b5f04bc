//! What a task and its subtasks may use, end to end with the scripted agent: the tree is stopped where its
//! budget is used up, and goes on in the same conversation once that is raised.

use std::{fs, os::unix::fs::PermissionsExt as _};

use serde_json::json;

use crate::support::{
    cli::{Call, Desk},
    held_run::HeldRuns,
    processes::nothing_left,
    repository::Repository,
    supervised::write_agent,
};

fn run(desk: &Desk, limit: [&str; 2], steps: &str) -> Call {
    desk.callbox(["run", "--agent", "scripted", "--no-project", "--json", limit[0], limit[1], "-p", steps])
}

#[test]
fn a_run_is_stopped_at_its_budget_and_goes_on_in_the_same_conversation_once_it_is_raised() {
    let desk = Desk::new();
    let steps = "- cost: 0.25\n- cost: 0.25\n- sleep: 1h\n- summary: at last";
    let ended = run(&desk, ["--max-cost-usd", "0.4"], steps).end().expect(5).json();
    assert_eq!(ended["task"]["state"], "budget_exceeded", "{ended}");
    assert_eq!(
        (&ended["execution"]["outcome"], &ended["error"]["code"]),
        (&json!("budget_exceeded"), &json!("budget"))
    );
    let message = ended["error"]["message"].as_str().unwrap();
    assert!(message.contains("`max_cost_usd` is 0.4 and $0.50 was spent"), "{message}");
    assert!(ended["error"]["hint"].as_str().unwrap().contains("--max-cost-usd"), "{ended}");
    nothing_left(&desk);

    let why = desk.callbox(["why", "t1"]).end().expect(0).stdout;
    assert!(why.contains("`callbox resume t1` with `--max-cost-usd DOLLARS`"), "{why}");
    for act in [["resume", "t1"], ["retry", "t1"]] {
        let refused = desk.callbox(act).end().expect(1);
        assert!(
            refused.stderr.contains("t1 has used up its budget; `callbox resume` with `--max-cost-usd"),
            "{refused}"
        );
    }
    let too_low = ["resume", "t1", "--max-cost-usd", "0.45"];
    let _ = desk.callbox(too_low).end().expect(1).says("`max_cost_usd` is 0.45 and $0.50 was spent");
    let _ = desk.callbox(["resume", "t1", "--max-cost-usd", "0"]).end().expect(2).says("must be more than 0");
    let raised = ["resume", "t1", "--max-cost-usd", "2", "--run", "--json"];
    let resumed = desk.callbox(raised).end().expect(0).json();
    assert_eq!((&resumed["summary"], &resumed["totals"]["cost_usd"]), (&json!("at last"), &json!(0.5)));
    assert_eq!(resumed["execution"]["session_id"], ended["execution"]["session_id"]);
}

#[test]
fn an_agent_is_told_what_is_left_of_the_budget_where_there_is_one() {
    let told = |configuration: &str| {
        let runs = HeldRuns::under(configuration);
        let run = runs.begin();
        let (is_error, text) = runs.shim(&run.token).call("record_progress", &json!({"message": "half"}));
        assert!(!is_error, "{text}");
        text
    };
    assert!(told("max_cost_usd = 2.5").contains("About $2.50 of the budget are left."));
    assert!(!told("").contains("budget"));
}

/// Each step that costs something takes 110 tokens.
#[test]
fn tokens_are_limited_likewise() {
    let desk = Desk::new();
    let steps = "- cost: 0.01\n- cost: 0.01\n- sleep: 1h\n- summary: at last";
    let ended = run(&desk, ["--max-tokens", "200"], steps).end().expect(5).json();
    let message = ended["error"]["message"].as_str().unwrap();
    assert!(message.contains("`max_tokens` is 200 and 220 tokens were used"), "{message}");
    let raised = ["resume", "t1", "--max-tokens", "1000", "--run", "--json"];
    assert_eq!(desk.callbox(raised).end().expect(0).json()["summary"], "at last");
}

#[test]
fn what_subtasks_use_counts_against_the_budget_of_the_tree() {
    let desk = Desk::new();
    let side = "\"- cost: 0.25\\n- sleep: 1h\\n- summary: side\"";
    let steps = format!(
        "- cost: 0.25\n- subtask: {{name: side, instructions: {side}}}\n- print: waiting\n- summary: all"
    );
    let ended = run(&desk, ["--max-cost-usd", "0.5"], &steps).end().expect(5).json();
    assert_eq!(ended["task"]["state"], "budget_exceeded", "{ended}");
    assert_eq!(
        (&ended["subtasks"][0]["state"], &ended["totals"]["cost_usd"]),
        (&json!("budget_exceeded"), &json!(0.5))
    );
    // The parent was not run again to hear of it.
    assert_eq!(ended["totals"]["executions"], 2, "{ended}");
    nothing_left(&desk);
    // The budget is that of the tree, whichever of its tasks it is raised at.
    let raised =
        desk.callbox(["resume", "t2", "--max-cost-usd", "3", "--run", "--json"]).end().expect(5).json();
    assert_eq!(raised["subtasks"][0]["state"], "completed", "{raised}");
    let resumed = desk.callbox(["resume", "t1", "--run", "--json"]).end().expect(0).json();
    assert_eq!(resumed["task"]["state"], "completed", "{resumed}");
}

#[test]
fn work_that_was_done_before_the_budget_was_used_up_is_kept() {
    let (desk, project) = (Desk::new(), Repository::new());
    let root = project.root().display().to_string();
    let steps = "- write: {path: a.txt, text: made}\n- summary: done\n- cost: 0.25\n- sleep: 1h";
    let task = ["run", "-C", &root, "--agent", "scripted", "--json", "--max-cost-usd", "0.1", "-p", steps];
    let ended = desk.callbox(task).end().expect(5).json();
    assert_eq!(
        (&ended["task"]["state"], &ended["summary"]),
        (&json!("budget_exceeded"), &json!("done")),
        "{ended}"
    );
    let kept = ended["kept"]["reference"].as_str().unwrap();
    assert_eq!(project.git(["show", &format!("{kept}:a.txt")]), "made");
    nothing_left(&desk);
}

/// Claude Code that dies before its result has named no dollars.
#[test]
fn a_limit_that_could_not_hold_a_run_is_said() {
    let desk = Desk::new();
    let program = desk.path("bin/claude");
    write_agent(&program, "cat >/dev/null; begin; done_well");
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
    let task = ["run", "--agent", "claude", "--no-project", "--max-cost-usd", "1", "-p", "x"];
    let _ = desk
        .callbox(task)
        .end()
        .expect(0)
        .says("the agent reported no cost, so `max_cost_usd` could not hold this run");
}
