//! What is easily done wrong when agents are run: what becomes of their work and of their turns. The
//! list of all lessons stands in `lessons`.

use std::fs;

use serde_json::{Value, json};

use crate::support::{
    belongings::belongings,
    cli::{Call, Desk},
    processes::nothing_left,
    repository::Repository,
    resident::Resident,
    supervised::write_agent,
    wait::{SOON, wait_until},
};

const WORK: &str = "- write: {path: a.txt, text: a}\n- commit: do it\n- ask: {question: Deliver?}\n\
    - summary: done";

fn scripted(desk: &Desk, steps: &str) -> Call {
    desk.callbox(["run", "--agent", "scripted", "--no-project", "--json", "-p", steps])
}

fn submit(desk: &Desk, more: &[&str], steps: &str) {
    let arguments = ["submit", "--agent", "scripted", "--no-project", "-p", steps];
    desk.callbox([&arguments[..], more].concat()).end().expect(0);
}

fn show(desk: &Desk, task: &str) -> Value {
    desk.callbox(["show", task, "--json"]).end().expect(0).json()
}

fn one_at_a_time(desk: &Desk) {
    desk.write("home/.config/callbox/config.toml", "max_concurrent = 1\n");
}

#[track_caller]
fn wait_for(desk: &Desk, task: &str, state: &str) {
    wait_until(&format!("{task} is {state}"), 2 * SOON, || desk.standing(task) == state);
}

#[test]
fn a_branch_that_cannot_be_written_is_no_success_and_keeps_the_work() {
    let (desk, project) = (Desk::new(), Repository::new());
    let run = ["run", "--agent", "scripted", "--name", "work", "-p", WORK];
    desk.callbox(run).within(project.root()).end().expect(3);
    // A branch of this name leaves no room for any below it.
    project.git(["branch", "callbox"]);
    let before = belongings(&project.root());
    let ended = desk.callbox(["answer", "q1", "yes", "--run", "--json"]).end().expect(1).json();
    assert_eq!((&ended["task"]["state"], &ended["error"]["code"]), (&json!("failed"), &json!("delivery")));
    assert_eq!(
        ended["error"]["message"],
        "the branch `callbox` leaves no room for the branch `callbox/t1-work`"
    );
    assert_eq!((&ended["execution"]["outcome"], &ended["delivery"]), (&json!("failed"), &Value::Null));
    let sandbox = ended["sandbox"].as_str().unwrap();
    let hint = ended["error"]["hint"].as_str().unwrap();
    assert!(hint.contains("rename that branch") && hint.contains(sandbox), "{hint}");
    assert_eq!(fs::read_to_string(format!("{sandbox}/a.txt")).unwrap(), "a");
    assert_eq!(ended["kept"]["reference"], "refs/callbox/x2", "{ended}");
    assert_eq!(project.git(["show", "refs/callbox/x2:a.txt"]), "a");
    project.git(["update-ref", "-d", "refs/callbox/x2"]);
    assert_eq!(belongings(&project.root()), before);

    project.git(["branch", "-D", "callbox"]);
    let again = desk.callbox(["resume", "t1", "deliver it", "--run", "--json"]).end().expect(0).json();
    assert_eq!(again["delivery"]["branch"], "callbox/t1-work", "{again}");
    assert_eq!(project.git(["show", "callbox/t1-work:a.txt"]), "a");
    nothing_left(&desk);
}

#[test]
fn an_error_flag_counts_before_a_good_exit_status() {
    let desk = Desk::new();
    let result =
        r#"{"type":"result","subtype":"success","is_error":true,"num_turns":1,"result":"out of tea"}"#;
    write_agent(&desk.path("bin/claude"), &format!("cat > /dev/null; begin; echo '{result}'; exit 0"));
    let run = ["run", "--agent", "claude", "--no-project", "--json", "-p", "Paint it."];
    let ended = desk.callbox(run).variable("ANTHROPIC_API_KEY", "sk-ant-dummy").end().expect(1).json();
    assert_eq!(
        (&ended["task"]["state"], &ended["execution"]["exit"]),
        (&json!("failed"), &json!({"code": 0}))
    );
    assert!(ended["error"]["message"].as_str().unwrap().contains("out of tea"), "{ended}");
}

#[test]
fn ended_subtasks_or_none_complete_nothing_by_themselves() {
    let subtask = "- subtask: {name: side, instructions: \"- summary: side done\"}\n";
    for (subtask, count) in [(subtask, 1), ("", 0)] {
        let desk = Desk::new();
        let failed = scripted(&desk, &format!("{subtask}- exit: 1")).end().expect(1).json();
        assert_eq!(
            (&failed["task"]["state"], failed["subtasks"].as_array().unwrap().len()),
            (&json!("failed"), count)
        );
        let asked = scripted(&desk, &format!("{subtask}- ask: {{question: What?}}")).end().expect(3).json();
        assert_eq!(asked["task"]["state"], "blocked");
        for report in [failed, asked] {
            for side in report["subtasks"].as_array().unwrap() {
                assert_eq!(side["state"], "completed", "{report}");
            }
        }
    }
}

#[test]
fn a_task_runs_as_long_as_its_execution_whoever_looks_when() {
    let desk = Desk::new();
    let store = Resident::start(&desk);
    for steps in ["- summary: x", "- exit: 1", "- ask: {question: What?}", "- sleep: 500ms"] {
        submit(&desk, &[], steps);
    }
    let mut seen = std::collections::BTreeSet::new();
    wait_until("all have run", SOON, || {
        let mut over = 0;
        for task in ["t1", "t2", "t3", "t4"] {
            let shown = show(&desk, task);
            let (state, execution) =
                (shown["task"]["state"].as_str().unwrap().to_owned(), &shown["execution"]);
            let runs = execution.is_object() && execution["outcome"].is_null();
            assert_eq!(state == "running", runs, "{shown}");
            over += usize::from(state != "running" && state != "queued");
            seen.insert(state);
        }
        over == 4
    });
    assert!(seen.len() >= 4, "{seen:?}");
    store.stop();
}

/// When the executions of `tasks` began and ended, in milliseconds of no matter what.
fn intervals(desk: &Desk, tasks: usize) -> Vec<(i64, i64)> {
    let mut found = Vec::new();
    for task in 1..=tasks {
        for run in show(desk, &format!("t{task}"))["executions"].as_array().unwrap() {
            let at = |name: &str| {
                run[name].as_str().map(|time| time.parse::<chrono::DateTime<chrono::Utc>>().unwrap())
            };
            if let (Some(began), Some(ended)) = (at("started_at"), at("ended_at")) {
                found.push((began.timestamp_millis(), ended.timestamp_millis()));
            }
        }
    }
    found
}

#[test]
fn slots_are_neither_exceeded_nor_lost_by_cancels() {
    const TASKS: usize = 9;
    let desk = Desk::new();
    desk.write("home/.config/callbox/config.toml", "max_concurrent = 2\n");
    let store = Resident::start(&desk);
    for task in 1..=TASKS {
        let steps = match task {
            1 => "- hang",
            4 | 7 => "- sleep: 10m",
            _ => "- sleep: 100ms\n- summary: x",
        };
        submit(&desk, &[], steps);
    }
    for hanging in ["t1", "t4", "t7"] {
        wait_for(&desk, hanging, "running");
        // Told again while it is being ended, and once more when it has ended.
        for _ in 0..3 {
            desk.callbox(["cancel", hanging]).end();
        }
        wait_for(&desk, hanging, "cancelled");
        desk.callbox(["cancel", hanging]).end();
    }
    for task in 1..=TASKS {
        wait_for(&desk, &format!("t{task}"), if task % 3 == 1 { "cancelled" } else { "completed" });
    }
    let intervals = intervals(&desk, TASKS);
    for (began, _) in &intervals {
        let at_once = intervals.iter().filter(|(from, to)| from <= began && began < to).count();
        assert!(at_once <= 2, "{at_once} ran at once: {intervals:?}");
    }
    store.stop();
    nothing_left(&desk);
}

#[test]
fn what_follows_from_a_state_follows_from_a_persons_act() {
    let desk = Desk::new();
    let asks = "'- ask: {question: What?}'";
    let text = format!(
        "tasks:\n- {{name: first, agent: scripted, instructions: {asks}}}\n\
         - {{name: second, agent: scripted, instructions: '- summary: x', after: [first]}}\n"
    );
    desk.write("home/two.yaml", &text);
    desk.callbox(["run", "two.yaml"]).end().expect(3);
    assert_eq!(desk.standing("t2"), "queued");
    desk.callbox(["cancel", "t1"]).end().expect(0);
    let second = show(&desk, "t2");
    assert_eq!(second["task"]["state"], "failed");
    assert!(second["error"]["message"].as_str().unwrap().contains("t1"), "{second}");

    let parent =
        "- subtask: {name: side, instructions: \"- ask: {question: What?}\"}\n- summary: mine is done";
    let waiting = scripted(&desk, parent).end().expect(3).json();
    assert_eq!((&waiting["task"]["number"], &waiting["task"]["wait"]), (&json!("t3"), &json!("subtasks t4")));
    desk.callbox(["cancel", "t4"]).end().expect(0);
    assert_eq!(desk.standing("t3"), "queued", "the parent goes on with the report of its subtask");
    desk.callbox(["run", "--queued"]).end().expect(0);
    assert_eq!(desk.standing("t3"), "completed");
}

#[test]
fn whatever_the_default_branch_is_called_work_starts_from_it() {
    for branch in ["master", "main", "trunk", "feature/deep/one"] {
        let (desk, project) = (Desk::new(), Repository::on_branch(branch));
        let head = project.git(["rev-parse", "HEAD"]);
        let steps = "- write: {path: a.txt, text: a}";
        let run = ["run", "--agent", "scripted", "--json", "-p", steps];
        let ended = desk.callbox(run).within(project.root()).end().expect(0).json();
        assert_eq!(ended["delivery"]["base"], head.as_str(), "{branch}: {ended}");
        assert_eq!(project.git(["symbolic-ref", "--short", "HEAD"]), branch);
    }
}

#[test]
fn the_priority_decides_who_is_first() {
    let desk = Desk::new();
    one_at_a_time(&desk);
    for priority in ["low", "normal", "high", "normal"] {
        submit(&desk, &["--priority", priority], "- summary: x");
    }
    desk.callbox(["run", "--queued"]).end().expect(0);
    let began = |task: &str| show(&desk, task)["execution"]["started_at"].as_str().unwrap().to_owned();
    let mut order = ["t1", "t2", "t3", "t4"];
    order.sort_by_key(|task| began(task));
    assert_eq!(order, ["t3", "t2", "t4", "t1"]);
}

#[test]
fn a_retry_is_tried_in_the_same_conversation_and_only_so_often() {
    let desk = Desk::new();
    let run = |steps: &str| {
        let head = "agent: scripted\nretry: {max_attempts: 2, delay: 1s}\ninstructions: |\n";
        desk.write("home/retried.yaml", &format!("{head}{steps}"));
        desk.callbox(["run", "retried.yaml", "--json"]).end()
    };
    let mended = run("  - crash\n  - summary: at last\n").expect(0).json();
    assert_eq!((&mended["summary"], &mended["execution"]["attempt"]), (&json!("at last"), &json!(2)));
    let given_up = run("  - exit: 1\n  - exit: 1\n  - summary: never\n").expect(1).json();
    assert_eq!(given_up["task"]["state"], "failed");
    for task in ["t1", "t2"] {
        let shown = show(&desk, task);
        let runs = shown["executions"].as_array().unwrap();
        assert_eq!((runs.len(), &runs[0]["session_id"]), (2, &runs[1]["session_id"]), "{shown}");
    }
}
