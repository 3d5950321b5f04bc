//! Tasks that leave open which agent runs them.

use std::fs;

use serde_json::{Value, json};

use crate::support::{
    cli::{Call, Desk},
    fake_programs::{Deed, claude, codex, desk, with_keys},
    repository::Repository,
    resident::Resident,
    wait::{SOON, wait_until},
};

fn callbox(desk: &Desk, arguments: &[&str]) -> Call {
    with_keys(desk.callbox(arguments))
}

/// `callbox run` of a task for any agent, which does not wait for providers.
fn run(desk: &Desk, more: &[&str]) -> Call {
    let task = ["run", "--agent", "any", "--no-project", "-p", "Paint it.", "--max-wait", "0s", "--json"];
    callbox(desk, &[&task, more].concat())
}

fn show(desk: &Desk, task: &str) -> Value {
    callbox(desk, &["show", task, "--json"]).end().expect(0).json()
}

/// The agent and the outcome of every run of a task.
fn runs(shown: &Value) -> Vec<(String, String)> {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let runs = shown["executions"].as_array().unwrap();
    runs.iter().map(|run| (text(&run["agent"]), text(&run["outcome"]))).collect()
}

fn pairs(wanted: &[(&str, &str)]) -> Vec<(String, String)> {
    wanted.iter().map(|(agent, outcome)| ((*agent).to_owned(), (*outcome).to_owned())).collect()
}

#[test]
fn tasks_for_any_are_spread_over_the_agents_and_it_is_said_which_each_came_to() {
    let desk = desk();
    let gate = format!("while [ ! -e {} ]; do sleep 0.05; done", desk.path("gate").display());
    claude(&desk, Deed::Does(&gate));
    codex(&desk, Deed::Does(&gate));
    let _store = Resident::from(&desk, callbox(&desk, &["serve"]).start());
    for _ in 0..3 {
        let task = ["submit", "--agent", "any", "--no-project", "-p", "Paint it."];
        callbox(&desk, &task).end().expect(0);
    }
    wait_until("all run", SOON, || {
        let lines = desk.callbox(["ls", "--in", "running", "--json"]).end().expect(0).json();
        lines.as_array().unwrap().len() == 3
    });
    let picked = ["t1", "t2", "t3"].map(|task| show(&desk, task)["task"]["picked_agent"].clone());
    assert_eq!(picked, ["claude", "codex", "claude"]);
    let shown = show(&desk, "t2");
    assert_eq!((&shown["task"]["agent"], &shown["execution"]["agent"]), (&json!("any"), &json!("codex")));
    let listed = desk.callbox(["ls"]).end().expect(0).stdout;
    assert!(listed.contains("any: claude") && listed.contains("any: codex"), "{listed}");
    let why = desk.callbox(["why", "t2"]).end().expect(0).stdout;
    assert!(why.contains("running as x2 with `codex`, which `any` came to"), "{why}");
    fs::write(desk.path("gate"), "").unwrap();
    wait_until("all are done", SOON, || {
        ["t1", "t2", "t3"].iter().all(|task| desk.standing(task) == "completed")
    });
    let told = desk.callbox(["show", "t2"]).end().expect(0).stdout;
    assert!(told.contains("codex, for which the task asked for `any`"), "{told}");
}

#[test]
fn a_task_that_is_refused_before_its_model_did_anything_goes_to_the_next_agent_with_all_it_was_asked() {
    for status in [429, 401] {
        let desk = desk();
        claude(&desk, Deed::Refused(status));
        let refused = if status == 401 { "auth" } else { "rate_limited" };
        let done = run(&desk, &[]).end().expect(0).json();
        assert_eq!(
            (&done["task"]["state"], &done["execution"]["agent"]),
            (&json!("completed"), &json!("codex"))
        );
        let shown = show(&desk, "t1");
        assert_eq!(runs(&shown), pairs(&[("claude", refused), ("codex", "succeeded")]), "{shown}");
        let told = fs::read_to_string(desk.state().join("executions/2/launch.json")).unwrap();
        let told: Value = serde_json::from_str(&told).unwrap();
        let conversation = &told["conversation"];
        assert_eq!(conversation["kind"], "fresh", "{told}");
        assert!(conversation["message"].to_string().contains("Paint it."), "{told}");
        // What is known of the one is heeded by the next task.
        run(&desk, &[]).end().expect(0);
        assert_eq!(runs(&show(&desk, "t2")), pairs(&[("codex", "succeeded")]));
    }
}

#[test]
fn a_conversation_stays_with_its_agent_also_where_that_is_refused_and_another_is_free() {
    let desk = desk();
    run(&desk, &[]).end().expect(0);
    claude(&desk, Deed::Refused(429));
    let resume = ["resume", "t1", "In blue.", "--run", "--max-wait", "0s"];
    callbox(&desk, &resume).end().expect(6);
    let waits = show(&desk, "t1");
    assert_eq!(runs(&waits), pairs(&[("claude", "succeeded"), ("claude", "rate_limited")]));
    claude(&desk, Deed::Does(""));
    callbox(&desk, &["resume", "t1", "--run"]).end().expect(0);
    assert_eq!(runs(&show(&desk, "t1")).last(), pairs(&[("claude", "succeeded")]).first());
    // Done anew it is anybody's.
    claude(&desk, Deed::Refused(401));
    run(&desk, &[]).end().expect(0);
    callbox(&desk, &["retry", "t1", "--fresh", "--run", "--max-wait", "0s"]).end().expect(0);
    assert_eq!(runs(&show(&desk, "t1")).last(), pairs(&[("codex", "succeeded")]).first());
}

#[test]
fn where_none_can_run_it_what_holds_each_is_said_by_every_later_store_too() {
    let desk = desk();
    claude(&desk, Deed::Refused(401));
    codex(&desk, Deed::Refused(429));
    let waits = run(&desk, &[]).end().expect(6).json();
    assert!(waits["task"]["wait"].as_str().unwrap().starts_with("rate_limit until "), "{waits}");
    let _store = Resident::from(&desk, callbox(&desk, &["serve"]).start());
    let held = || desk.callbox(["why", "t1"]).end().expect(0).stdout;
    wait_until("the probe of the new store is refused", SOON, || held().contains("none of its agents"));
    let why = held();
    assert!(
        why.contains(
            "`claude`, since its provider refused the login; `codex`, since its provider refuses until"
        ),
        "{why}"
    );
    codex(&desk, Deed::Does(""));
    callbox(&desk, &["resume", "t1"]).end().expect(0);
    wait_until("the one that serves again does it", SOON, || desk.standing("t1") == "completed");
    assert_eq!(show(&desk, "t1")["task"]["picked_agent"], "codex");
}

#[test]
fn an_agent_that_cannot_be_held_to_the_task_is_left_out_and_where_none_is_left_each_reason_is_said() {
    let desk = desk();
    // Codex knows no `max_turns`.
    let submit = ["submit", "--agent", "any", "--no-project", "-p", "x"];
    for _ in 0..2 {
        callbox(&desk, &[&submit[..], &["--options", "max_turns=3"]].concat()).end().expect(0);
    }
    callbox(&desk, &["run", "--queued"]).end().expect(0);
    assert_eq!(
        ["t1", "t2"].map(|task| show(&desk, task)["task"]["picked_agent"].clone()),
        ["claude", "claude"]
    );
    let refused = callbox(&desk, &[&submit[..], &["--options", "colour=red"]].concat()).end().expect(2);
    for words in [
        "`any` finds no agent for the task",
        "`claude` refuses it, since",
        "`codex` refuses it, since",
        "`gemini` is not installed",
    ] {
        assert!(refused.stderr.contains(words), "{refused}");
    }
    let budget = callbox(&desk, &[&submit[..], &["--max-cost-usd", "1"]].concat()).end().expect(0);
    let _ = budget.says("`max_cost_usd` cannot hold `x` where it goes to `codex`");
    fs::remove_file(desk.path("bin/claude")).unwrap();
    fs::remove_file(desk.path("bin/codex")).unwrap();
    let none = callbox(&desk, &submit).end().expect(69);
    let _ = none.says("`claude` is not installed; `codex` is not installed");
}

#[test]
fn each_agent_is_launched_with_what_the_configuration_says_of_it() {
    let desk = desk();
    let configuration = "isolation = \"none\"\nagent = \"any\"\n[agents.claude]\nmodel = \"big\"\nenv_names = [\"MINE\"]\n\
        [agents.codex]\nmodel = \"small\"\noptions = {effort = \"low\"}\n";
    desk.write("home/.config/callbox/config.toml", configuration);
    let project = Repository::new();
    let root = project.root().display().to_string();
    let task = ["run", "-C", &root, "-p", "x"];
    callbox(&desk, &task).end().expect(0);
    callbox(&desk, &task).variable("MINE", "1").end().expect(0);
    let plan = |number: u32| -> Value {
        let path = desk.state().join(format!("executions/{number}/launch.json"));
        serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap()
    };
    // Without the variable that it needs, the one that comes first by name is none.
    assert_eq!((&plan(1)["agent"], &plan(1)["model"]), (&json!("codex"), &json!("small")));
    assert_eq!(plan(1)["options"], json!({"effort": "low"}));
    assert_eq!(
        (&plan(2)["agent"], &plan(2)["model"], &plan(2)["options"]),
        (&json!("claude"), &json!("big"), &json!({}))
    );
}

#[test]
fn a_subtask_for_any_goes_to_an_agent_of_the_list_alone() {
    let desk = desk();
    let steps = "- subtask: {name: side, instructions: Paint it., agent: any}\n- summary: done";
    let parent = ["run", "--agent", "scripted", "--no-project", "-p", steps, "--json"];
    let refused = callbox(&desk, &parent).end().expect(1);
    assert!(refused.stdout.contains("subtasks may use `scripted` here, not `any`"), "{refused}");
    let configuration = "isolation = \"none\"\n[limits]\nsubtask_agents = [\"codex\", \"gemini\"]\n";
    desk.write("home/.config/callbox/config.toml", configuration);
    let done = callbox(&desk, &parent).end().expect(0).json();
    let side = done["subtasks"][0]["number"].as_str().unwrap().to_owned();
    let side = show(&desk, &side);
    assert_eq!((&side["task"]["agent"], &side["task"]["picked_agent"]), (&json!("any"), &json!("codex")));
}
