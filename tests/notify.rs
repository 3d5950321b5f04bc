//! A command of the person's own is told what happens, once, and holds nothing up.

use std::fs;

use rustix::process::Signal;
use serde_json::{Value, json};

use crate::support::{
    cli::{CALLBOX, Call, Desk},
    processes::{kill, nothing_left},
    repository::Repository,
    resident::Resident,
    wait::{SOON, wait_until},
};

const TOLD: &str = "told.jsonl";

/// A desk whose configuration has `command` told, and `more` below it.
fn desk(command: &str, more: &str) -> Desk {
    let desk = Desk::new();
    configure(&desk, &format!("[notify]\ncommand = '''{command}'''\n{more}"));
    desk
}

fn configure(desk: &Desk, text: &str) {
    desk.write("home/.config/callbox/config.toml", text);
}

fn run(desk: &Desk, steps: &str) -> Call {
    desk.callbox(["run", "--agent", "scripted", "--no-project", "--name", "work", "-p", steps])
}

/// Appends what it is told as one write, so that several at once do not mix.
fn appends(file: &str) -> String {
    format!(r#"text=$(cat); printf "%s\n" "$text" >> {file}"#)
}

/// What was told so far, in the order of numbers of tasks and times.
fn told(desk: &Desk) -> Vec<Value> {
    let text = fs::read_to_string(desk.path("home").join(TOLD)).unwrap_or_default();
    let mut all: Vec<Value> = text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
    all.sort_by_key(|one| (one["at"].to_string(), one["task"]["number"].to_string()));
    all
}

#[track_caller]
fn told_in_all(desk: &Desk, number: usize) -> Vec<Value> {
    wait_until("it is told", SOON, || told(desk).len() >= number);
    nothing_left(desk);
    assert_eq!(told(desk).len(), number, "{:?}", told(desk));
    told(desk)
}

fn kinds(told: &[Value]) -> Vec<&str> {
    told.iter().map(|one| one["kind"].as_str().unwrap()).collect()
}

#[test]
fn questions_and_ends_are_told_once_and_in_the_shape_that_is_documented() {
    let (desk, project) = (desk(&appends(TOLD), ""), Repository::new());
    let root = project.root().display().to_string();
    let steps = "- ask: {question: \"Which \\e[31m?\", options: [red, blue]}\n\
                 - write: {path: a.txt, text: a}\n- summary: painted";
    let task = ["run", "-C", &root, "--agent", "scripted", "--name", "paint", "--review", "yes", "-p", steps];
    desk.callbox(task).end().expect(3);
    let asked = told_in_all(&desk, 1).remove(0);
    assert!(asked["at"].as_str().unwrap().ends_with('Z'), "{asked}");
    assert_eq!(
        asked,
        json!({
            "schema": 1,
            "kind": "question",
            "at": asked["at"],
            "task": {"number": "t1", "name": "paint", "state": asked["task"]["state"], "project": root, "agent": "scripted"},
            "execution": "x1",
            "text": "Which \u{1b}[31m?",
            "question": {"number": "q1", "question": "Which \u{1b}[31m?", "options": ["red", "blue"]},
        })
    );
    let bytes = fs::read(desk.path("home").join(TOLD)).unwrap();
    assert!(!bytes.contains(&0x1b), "no terminal is moved by what an agent says");
    desk.callbox(["answer", "q1", "red", "--run"]).end().expect(0);
    let all = told_in_all(&desk, 2);
    assert_eq!(
        (&all[1]["kind"], &all[1]["text"], &all[1]["question"]),
        (&json!("ready"), &json!("painted"), &Value::Null)
    );
    desk.callbox(["accept", "t1"]).end().expect(0);
    run(&desk, "- exit: 3").end().expect(1);
    run(&desk, "- ask: {question: Why?}").end().expect(3);
    desk.callbox(["cancel", "t3"]).end().expect(0);
    let all = told_in_all(&desk, 6);
    assert_eq!(kinds(&all), ["question", "ready", "completed", "failed", "question", "cancelled"]);
    assert!(all[3]["text"].as_str().unwrap().contains("exit"), "{}", all[3]);
    // Nothing is told again by whoever looks later.
    desk.callbox(["ls"]).end().expect(0);
    told_in_all(&desk, 6);
}

#[test]
fn what_happened_while_nobody_was_to_be_told_is_told_to_nobody() {
    let desk = Desk::new();
    run(&desk, "- summary: x").end().expect(0);
    let command = format!("[notify]\ncommand = '''{}'''\n", appends(TOLD));
    configure(&desk, &command);
    run(&desk, "- summary: x").end().expect(0);
    assert_eq!(told_in_all(&desk, 1)[0]["task"]["number"], "t2");
    configure(&desk, "");
    run(&desk, "- summary: x").end().expect(0);
    configure(&desk, &command);
    run(&desk, "- summary: x").end().expect(0);
    assert_eq!(told_in_all(&desk, 2)[1]["task"]["number"], "t4");
}

#[test]
fn no_more_than_four_commands_run_at_once_and_the_rest_is_told_by_the_next_store() {
    let waits = format!("echo x >> begun; while [ ! -e go ]; do sleep 0.05; done; {}", appends(TOLD));
    let desk = desk(&waits, "");
    let six: Vec<String> = (0..6)
        .map(|number| format!("- {{name: n{number}, agent: scripted, instructions: '- summary: x'}}"))
        .collect();
    desk.write(
        "home/six.yaml",
        &format!("tasks:\n{}\n", six.iter().map(|task| format!("  {task}")).collect::<Vec<_>>().join("\n")),
    );
    // What is told holds no run up.
    desk.callbox(["run", "six.yaml", "--no-project"]).end().expect(0);
    let begun = || fs::read_to_string(desk.path("home/begun")).unwrap_or_default().lines().count();
    wait_until("four have begun", SOON, || begun() == 4);
    desk.write("home/go", "");
    wait_until("they are told", SOON, || told(&desk).len() == 4);
    assert_eq!(begun(), 4);
    desk.callbox(["ls"]).end().expect(0);
    let all = told_in_all(&desk, 6);
    let mut tasks: Vec<_> = all.iter().map(|one| one["task"]["number"].as_str().unwrap()).collect();
    tasks.sort_unstable();
    assert_eq!(tasks, ["t1", "t2", "t3", "t4", "t5", "t6"]);
}

#[test]
fn a_store_that_is_killed_before_it_starts_the_command_tells_nothing_twice() {
    let desk = desk(&appends(TOLD), "");
    let died = desk.path("died");
    let store = desk.callbox(["serve"]).variable("CALLBOX_FAULT", "store:notice_passed");
    let store = store.variable("CALLBOX_FAULT_ONCE", &died).start();
    let store = Resident::from(&desk, store);
    let asks = run(&desk, "- ask: {question: Why?}").start();
    wait_until("it is killed", SOON, || died.exists());
    drop(store);
    let _ = asks.end();
    let _store = Resident::start(&desk);
    desk.callbox(["cancel", "t1"]).end().expect(0);
    wait_until("the next is told", SOON, || !told(&desk).is_empty());
    assert_eq!(kinds(&told(&desk)), ["cancelled"], "what was passed is never told again");
}

#[test]
fn a_command_that_hangs_is_ended_with_all_it_started_and_one_that_fails_is_logged() {
    let hangs = "trap '' TERM; sh -c 'trap \"\" TERM; echo $$ > pid; while :; do sleep 0.05; done' & wait";
    let desk = desk(hangs, "limit = '1s'\n");
    run(&desk, "- summary: x").end().expect(0);
    let log = desk.state().join("notify.log");
    let logged = |words: &str| fs::read_to_string(&log).unwrap_or_default().contains(words);
    wait_until("it is ended", SOON, || {
        logged("`sh` was told of t1 (completed): it was ended after its limit of 1 s")
    });
    nothing_left(&desk);
    configure(&desk, "[notify]\ncommand = ['sh', '-c', 'echo no such thing >&2; exit 7']\n");
    let ended = run(&desk, "- summary: x").end().expect(0);
    assert!(!ended.stderr.contains("no such thing") && !ended.stdout.contains("no such thing"), "{ended}");
    wait_until("it is logged", SOON, || logged("it failed (exit status: 7): no such thing"));
    configure(&desk, "[notify]\ncommand = ['/no/such/program']\n");
    run(&desk, "- summary: x").end().expect(0);
    wait_until("it is logged", SOON, || logged("it could not be started"));
}

#[test]
fn the_command_has_the_environment_of_its_person_and_nothing_of_callboxs_own() {
    let desk = desk("cat > /dev/null; env > environment; pwd > where", "");
    let state = desk.state();
    run(&desk, "- summary: x").variable("CALLBOX_STATE", &state).variable("MINE", "yes").end().expect(0);
    wait_until("it was run", SOON, || desk.path("home/where").exists());
    let environment = fs::read_to_string(desk.path("home/environment")).unwrap();
    assert!(environment.contains("MINE=yes\n") && environment.contains("HOME="), "{environment}");
    assert!(!environment.contains("CALLBOX_"), "{environment}");
    nothing_left(&desk);
}

#[test]
fn a_store_that_stays_tells_while_it_stays_and_is_held_up_by_no_command() {
    let desk = desk(&format!("{}; while [ ! -e go ]; do sleep 0.05; done", appends(TOLD)), "");
    let store = Resident::start(&desk);
    run(&desk, "- ask: {question: Why?}").end().expect(3);
    wait_until("it is told", SOON, || told(&desk).len() == 1);
    desk.callbox(["ls"]).end().expect(0);
    kill(store.pid(), Signal::TERM);
    wait_until("it is gone", SOON, || !desk.state().join("operator/store.sock").exists());
    desk.write("home/go", "");
    nothing_left(&desk);
}

#[test]
fn what_is_still_to_be_told_waits_also_where_a_command_with_another_configuration_looks_in() {
    let waits = format!("echo x >> begun; while [ ! -e go ]; do sleep 0.05; done; {}", appends(TOLD));
    let desk = desk(&waits, "");
    for _ in 0..6 {
        let held = ["submit", "--hold", "--agent", "scripted", "--no-project", "-p", "- summary: x"];
        desk.callbox(held).end().expect(0);
    }
    desk.callbox(["cancel", "t1", "t2", "t3", "t4", "t5", "t6"]).end().expect(0);
    let begun = || fs::read_to_string(desk.path("home/begun")).unwrap_or_default().lines().count();
    wait_until("four have begun", SOON, || begun() == 4);
    let other = desk.path("other").display().to_string();
    desk.callbox(["ls"]).variable("XDG_CONFIG_HOME", &other).end().expect(0);
    desk.write("home/go", "");
    wait_until("they are told", SOON, || told(&desk).len() == 4);
    desk.callbox(["ls"]).end().expect(0);
    assert_eq!(kinds(&told_in_all(&desk, 6)), ["cancelled"; 6]);
}

#[test]
fn the_command_may_act_as_its_person_does() {
    let command = format!("cat > /dev/null; '{CALLBOX}' answer q1 red > said 2>&1 || true");
    let desk = desk(&command, "");
    let store = Resident::start(&desk);
    run(&desk, "- ask: {question: Which?}\n- summary: \"{answer}\"").end();
    wait_until("it is answered and done", SOON, || desk.standing("t1") == "completed");
    store.stop();
    nothing_left(&desk);
}
