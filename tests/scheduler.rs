//! Many tasks that hang on each other: diamonds, broken links, trees of subtasks, and who goes first where there is
//! little room.

use rustix::process::Signal;
use serde_json::{Value, json};

use crate::support::{
    cli::Desk,
    processes::{kill, nothing_left, stop, the_process},
    repository::Repository,
    resident::Resident,
    wait::{SOON, wait_until},
};

const FILE: &str = "home/.config/callbox/config.toml";

fn show(desk: &Desk, task: &str) -> Value {
    desk.callbox(["show", task, "--json"]).end().expect(0).json()
}

fn states(desk: &Desk) -> Vec<String> {
    let listed = desk.callbox(["ls", "--json"]).end().expect(0).json();
    listed.as_array().unwrap().iter().map(|line| line["state"].as_str().unwrap().to_owned()).collect()
}

fn submit_file(desk: &Desk, text: &str) {
    desk.write("home/tasks.yaml", text);
    let _ = desk.callbox(["submit", "tasks.yaml"]).end().expect(0);
}

fn submit(desk: &Desk, steps: &str) {
    let _ = desk.callbox(["submit", "--agent", "scripted", "--no-project", "-p", steps]).end().expect(0);
}

fn runs(shown: &Value) -> usize {
    shown["executions"].as_array().unwrap().len()
}

/// Four tasks on `project`: two on top of one, and one on top of both.
fn diamond(project: &Repository, first: &str) -> String {
    let task = |name: &str, after: &str, steps: &str| {
        format!(
            "  - name: {name}\n    agent: scripted\n    project: {}\n{after}    instructions: |\n{steps}",
            project.root().display()
        )
    };
    let writes =
        |name: &str| format!("      - write: {{path: {name}.txt, text: {name}}}\n      - summary: {name}\n");
    let on = |names: &str| format!("    after: [{names}]\n");
    let all = [
        task("top", "", first),
        task("left", &on("top"), &writes("left")),
        task("right", &on("top"), &writes("right")),
        task("bottom", &on("left, right"), &writes("bottom")),
    ];
    format!("tasks:\n{}", all.concat())
}

fn project() -> Repository {
    let project = Repository::on_branch("trunk");
    project.write("a.txt", "one");
    project.commit("one");
    project
}

#[test]
fn the_last_of_a_diamond_runs_once_and_stands_on_the_work_of_all_before_it() {
    let (desk, project) = (Desk::new(), project());
    submit_file(
        &desk,
        &diamond(&project, "      - write: {path: top.txt, text: top}\n      - summary: top\n"),
    );
    let _store = Resident::start(&desk);
    wait_until("all are done", 2 * SOON, || states(&desk).iter().all(|state| state == "completed"));
    let bottom = show(&desk, "t4");
    assert_eq!(runs(&bottom), 1, "{bottom}");
    let branch = bottom["delivery"]["branch"].as_str().unwrap();
    for name in ["a.txt", "top.txt", "left.txt", "right.txt", "bottom.txt"] {
        project.git(["show", &format!("{branch}:{name}")]);
    }
    for before in ["t2", "t3"] {
        assert!(
            show(&desk, before)["execution"]["ended_at"].as_str()
                <= bottom["execution"]["started_at"].as_str()
        );
    }
}

#[test]
fn a_broken_link_fails_everything_behind_it_by_name_and_all_of_it_can_be_taken_up_again() {
    let (desk, project) = (Desk::new(), project());
    submit_file(
        &desk,
        &diamond(
            &project,
            "      - exit: 3\n      - write: {path: top.txt, text: top}\n      - summary: top\n",
        ),
    );
    let store = Resident::start(&desk);
    wait_until("all have failed", SOON, || states(&desk).iter().all(|state| state == "failed"));
    for (task, before) in [("t2", "t1"), ("t3", "t1"), ("t4", "t2")] {
        let shown = show(&desk, task);
        assert_eq!((runs(&shown), &shown["error"]["code"]), (0, &json!("dependency")), "{shown}");
        let message = shown["error"]["message"].as_str().unwrap();
        assert!(message.contains(&format!("`{before}`")) && message.contains("is failed"), "{message}");
    }
    store.stop();
    // From the last to the first: none runs before what it hangs on.
    for task in ["t1", "t2", "t3", "t4"] {
        let _ = desk.callbox(["resume", task]).end().expect(0);
    }
    let _store = Resident::start(&desk);
    wait_until("all are done", 2 * SOON, || states(&desk).iter().all(|state| state == "completed"));
    project.git(["show", "callbox/t4-bottom:top.txt"]);
}

#[test]
fn what_goes_behind_a_task_that_failed_is_taken_up_again_behind_that_one() {
    let desk = Desk::new();
    let task = |more: &str| format!("  - {{agent: scripted, {more}}}\n");
    let (first, second) =
        ("name: a, instructions: '- exit: 5'", "name: b, after: [a], instructions: '- summary: x'");
    submit_file(&desk, &format!("tasks:\n{}{}", task(first), task(second)));
    desk.callbox(["run", "--queued"]).end().expect(1);
    assert_eq!(states(&desk), ["failed", "failed"]);
    let why = desk.callbox(["why", "t2"]).end().expect(0).stdout;
    assert!(why.contains("once t1 is completed, `callbox resume t2`"), "{why}");
    for act in ["resume", "retry"] {
        let refused = desk.callbox([act, "t2"]).end().expect(1);
        let _ = refused
            .says("t2 goes behind t1, which is failed")
            .says("`callbox resume t1` takes that up again first");
        assert_eq!(states(&desk), ["failed", "failed"], "{act}");
    }
}

#[test]
fn tasks_that_wait_for_each_other_are_refused_when_they_are_submitted() {
    let desk = Desk::new();
    let task = |name: &str, after: &str| {
        format!(
            "  - name: {name}\n    agent: scripted\n    after: [{after}]\n    instructions: '- summary: x'\n"
        )
    };
    desk.write("home/tasks.yaml", &format!("tasks:\n{}{}{}", task("a", "c"), task("b", "a"), task("c", "b")));
    let refused = desk.callbox(["submit", "tasks.yaml"]).end().expect(2);
    assert!(refused.stderr.contains("goes round in a circle"), "{refused}");
    assert_eq!(states(&desk), Vec::<String>::new());
}

#[test]
fn with_one_slot_the_highest_priority_always_goes_next_and_the_oldest_among_equals() {
    let desk = Desk::new();
    desk.write(FILE, "max_concurrent = 1\n");
    let priorities = ["low", "high", "normal"];
    let task = |number: usize| {
        let priority = priorities[number % 3];
        format!(
            "  - {{name: n{number}, agent: scripted, priority: {priority}, instructions: '- summary: x'}}\n"
        )
    };
    submit_file(&desk, &format!("tasks:\n{}", (0..24).map(task).collect::<String>()));
    let _store = Resident::start(&desk);
    wait_until("all are done", 3 * SOON, || states(&desk).iter().all(|state| state == "completed"));
    let listed = desk.callbox(["ls", "--json"]).end().expect(0).json();
    let mut began: Vec<(String, String, usize)> = Vec::new();
    for (place, line) in listed.as_array().unwrap().iter().enumerate() {
        let shown = show(&desk, line["number"].as_str().unwrap());
        let priority = line["priority"].as_str().unwrap().to_owned();
        began.push((shown["execution"]["started_at"].as_str().unwrap().to_owned(), priority, place));
    }
    began.sort();
    let order: Vec<(usize, usize)> = began
        .iter()
        .map(|(_, priority, place)| {
            (["high", "normal", "low"].iter().position(|one| one == priority).unwrap(), *place)
        })
        .collect();
    assert!(order.is_sorted(), "{order:?}");
}

#[test]
fn a_cancel_ends_a_tree_of_thirty_whatever_each_of_it_does() {
    let desk = Desk::new();
    desk.write(FILE, "max_concurrent = 3\n[limits]\nchildren = 40\n");
    let inner = |number: usize| {
        let steps = match number % 3 {
            0 => "- ask: {question: which?}",
            1 => "- sleep: 1h",
            _ => "- orphan: {sleep: 600s}\\n- sleep: 1h",
        };
        format!("- subtask: {{name: n{number}, instructions: \"{steps}\"}}\n")
    };
    let steps: String = (1..30).map(inner).collect();
    let store = Resident::start(&desk);
    submit(&desk, &format!("{steps}- sleep: 1h"));
    wait_until("the tree stands, and some of it runs", SOON, || {
        let states = states(&desk);
        states.len() == 30 && states.iter().filter(|state| *state == "running").count() == 3
    });
    let _ = desk.callbox(["cancel", "t1"]).end().expect(0);
    wait_until("all of it is cancelled", SOON, || states(&desk).iter().all(|state| state == "cancelled"));
    assert!(desk.callbox(["questions"]).end().expect(0).stdout.contains("no open questions"));
    store.stop();
    nothing_left(&desk);
}

#[test]
fn a_parent_with_a_question_and_open_subtasks_is_resumed_once_for_the_answer_and_once_for_all_reports() {
    let desk = Desk::new();
    let _store = Resident::start(&desk);
    let parent = "- subtask: {name: quick, instructions: \"- summary: quick\"}\n\
                  - subtask: {name: asks, instructions: \"- ask: {question: inner?}\\n- summary: '{answer}'\"}\n\
                  - ask: {question: outer?}\n\
                  - summary: heard\n";
    submit(&desk, parent);
    wait_until("both wait for a person", SOON, || {
        desk.standing("t1") == "blocked"
            && desk.standing("t2") == "completed"
            && desk.standing("t3") == "blocked"
    });
    assert_eq!(runs(&show(&desk, "t1")), 1, "a question keeps the parent, whatever its subtasks do");
    let outer = show(&desk, "t1")["questions"]
        .as_array()
        .unwrap()
        .iter()
        .find(|one| one["task"] == "t1")
        .unwrap()["number"]
        .clone();
    let _ = desk.callbox(["answer", outer.as_str().unwrap(), "blue"]).end().expect(0);
    wait_until("the parent waits for its last subtask", SOON, || {
        show(&desk, "t1")["task"]["wait"].as_str().unwrap_or_default().starts_with("subtasks t3")
    });
    let _ = desk.callbox(["answer", "t3", "red"]).end().expect(0);
    wait_until("the parent is done", SOON, || desk.standing("t1") == "completed");
    assert_eq!(show(&desk, "t3")["summary"], "red");
    assert_eq!(runs(&show(&desk, "t1")), 3, "{}", show(&desk, "t1"));
}

/// The one who is to end later is stopped until the other has ended.
#[test]
fn a_subtask_that_ends_right_before_or_right_behind_its_parent_is_reported_to_it_once() {
    for later in ["parent", "subtask"] {
        let desk = Desk::new();
        let _store = Resident::start(&desk);
        let mark = |name: &str| format!("- progress: {{message: {name}}}\n- sleep: 1ms\n");
        let inner = "- progress: {message: inner}\\n- sleep: 1500ms\\n- summary: done";
        let parent = format!(
            "- subtask: {{name: inner, instructions: \"{inner}\"}}\n{}- sleep: 1500ms\n",
            mark("outer")
        );
        submit(&desk, &parent);
        wait_until("both are at work", SOON, || {
            ["t1", "t2"].iter().all(|task| {
                let listed = desk.callbox(["ls", "--json"]).end().expect(0).json();
                listed
                    .as_array()
                    .unwrap()
                    .iter()
                    .any(|line| line["number"] == *task && line["state"] == "running")
            })
        });
        let (slow, fast) = if later == "parent" { ("t1", "t2") } else { ("t2", "t1") };
        let execution = show(&desk, slow)["execution"]["number"].as_str().unwrap()[1..].to_owned();
        let supervisor = the_process(&desk, |line| {
            line.contains(" supervise ") && line.contains(&format!("--execution x{execution} "))
        });
        stop(supervisor);
        wait_until("the other has ended", SOON, || {
            let shown = show(&desk, fast);
            shown["executions"][0]["outcome"] == "succeeded"
        });
        kill(supervisor, Signal::CONT);
        wait_until("all is done", SOON, || states(&desk).iter().all(|state| state == "completed"));
        let shown = show(&desk, "t1");
        assert_eq!(runs(&shown), 2, "{later}: one run, and one for the report: {shown}");
        let log = desk.callbox(["logs", "t1"]).end().expect(0);
        assert_eq!(runs(&show(&desk, "t2")), 1, "{later}: {log}");
    }
}
