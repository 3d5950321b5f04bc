//! Looking at everything at once: `ls` as a tree, `status`, and `watch` on a terminal and anywhere else.

use std::fs::{self, File};

use rustix::process::Signal;
use serde_json::{Value, json};

use crate::support::{
    cli::Desk,
    processes::{kill, nothing_left},
    resident::Resident,
    terminal::Terminal,
    wait::{SOON, wait_until},
};

fn submit(desk: &Desk, steps: &str) {
    let _ = desk.callbox(["submit", "--agent", "scripted", "--no-project", "-p", steps]).end().expect(0);
}

fn status(desk: &Desk) -> Value {
    desk.callbox(["status", "--json"]).end().expect(0).json()
}

#[test]
fn subtasks_are_listed_below_their_parents() {
    let desk = Desk::new();
    let parent = "- subtask: {name: inner, instructions: '- summary: done'}\n- summary: outer";
    for steps in [parent, "- summary: another"] {
        let _ = desk.callbox(["run", "--agent", "scripted", "--no-project", "-p", steps]).end().expect(0);
    }
    let listed = desk.callbox(["ls"]).end().expect(0).stdout;
    let names: Vec<&str> =
        listed.lines().skip(1).map(|line| line.split_whitespace().next().unwrap()).collect();
    assert_eq!(names, ["t1", "t2", "t3"], "{listed}");
    assert!(listed.lines().nth(2).unwrap().contains("└ inner"), "{listed}");
    let alone = desk.callbox(["ls", "--in", "completed"]).end().expect(0).stdout;
    assert_eq!(alone.lines().count(), 4, "{alone}");
}

#[test]
fn the_status_counts_what_stands_and_names_agents_that_are_of_no_use_now() {
    let desk = Desk::new();
    let before = status(&desk);
    assert_eq!(
        (&before["resident"], &before["tasks"], &before["agents"]),
        (&json!(false), &json!({}), &json!([]))
    );
    let text = desk.callbox(["status"]).end().expect(0).stdout;
    assert!(text.contains("none is resident; `callbox serve`"), "{text}");

    let store = Resident::start(&desk);
    submit(&desk, "- auth\n- summary: x");
    wait_until("the login is refused", SOON, || status(&desk)["agents"][0]["held"] == "auth");
    let now = status(&desk);
    assert_eq!(
        (&now["resident"], &now["slots"], &now["pid"]),
        (&json!(true), &json!(4), &json!(store.pid()))
    );
    let text = desk.callbox(["status"]).end().expect(0).stdout;
    assert!(
        text.contains("scripted   ") && text.contains("held because its login is refused, tried again"),
        "{text}"
    );

    let metrics = desk.callbox(["status", "--prometheus"]).end().expect(0).stdout;
    assert!(metrics.contains("callbox_agent_held{agent=\"scripted\",reason=\"auth\"} 1\n"), "{metrics}");
    assert!(metrics.contains("callbox_executions_total{agent=\"scripted\",outcome=\"auth\"} "), "{metrics}");
    assert!(metrics.contains("callbox_store_resident 1\n"), "{metrics}");
    let both = desk.callbox(["status", "--prometheus", "--json"]).end().expect(2);
    assert!(both.stderr.contains("name one"), "{both}");
}

#[test]
fn watching_without_a_terminal_prints_a_line_for_each_event_and_ends_with_ctrl_c() {
    let desk = Desk::new();
    submit(&desk, "- summary: before");
    let (plain, lines) = (desk.path("plain"), desk.path("lines"));
    let text = desk.callbox(["watch"]).showing_on(File::create(&plain).unwrap()).start();
    let json = desk.callbox(["watch", "--json"]).showing_on(File::create(&lines).unwrap()).start();
    // Nobody who watches keeps the store from whoever runs something.
    let printed = |path| fs::read_to_string(path).unwrap();
    wait_until("both have begun and tell what another command does", SOON, || {
        let run = ["run", "--agent", "scripted", "--no-project", "-p", "- progress: {message: half}"];
        let _ = desk.callbox(run).end().expect(0);
        printed(&plain).contains("progress: half") && printed(&lines).contains("\"half\"")
    });
    for watching in [text, json] {
        kill(watching.pid(), Signal::INT);
        let _ = watching.end().expect(0);
    }
    let events: Vec<Value> =
        printed(&lines).lines().map(|line| serde_json::from_str(line).expect(line)).collect();
    let seqs: Vec<i64> = events.iter().map(|event| event["seq"].as_i64().unwrap()).collect();
    assert!(seqs.is_sorted() && seqs.windows(2).all(|pair| pair[0] < pair[1]), "{seqs:?}");
    assert!(events.iter().all(|event| event["task"] != "t1"), "what happened before is not told");
    assert!(printed(&plain).lines().all(|line| line.starts_with("20")), "{}", printed(&plain));
    nothing_left(&desk);
}

#[test]
fn watching_goes_on_where_the_store_is_begun_from_an_older_copy() {
    let desk = Desk::new();
    let run =
        || desk.callbox(["run", "--agent", "scripted", "--no-project", "-p", "- summary: x"]).end().expect(0);
    desk.callbox(["backup", "older.db"]).end().expect(0);
    for _ in 0..3 {
        let _ = run();
    }
    // More events than the test will bring about again: otherwise the place that was seen would be passed some time.
    let task =
        |number: usize| format!("  - {{name: n{number}, agent: scripted, instructions: '- summary: x'}}\n");
    let held: Vec<String> = (0..1000).map(task).collect();
    desk.write("home/held.yaml", &format!("tasks:\n{}", held.concat()));
    desk.callbox(["submit", "--hold", "held.yaml"]).end().expect(0);
    let lines = desk.path("lines");
    let watching = desk.callbox(["watch", "--json"]).showing_on(File::create(&lines).unwrap()).start();
    let seen = || fs::read_to_string(&lines).unwrap().lines().count();
    wait_until("it watches", SOON, || {
        let _ = run();
        seen() > 0
    });
    for end in ["", "-wal", "-shm"] {
        let _ = fs::remove_file(desk.state().join(format!("callbox.db{end}")));
    }
    fs::copy(desk.path("home/older.db"), desk.state().join("callbox.db")).unwrap();
    let store = Resident::start(&desk);
    let before = seen();
    wait_until("what happens is seen again", SOON, || {
        let _ = run();
        seen() > before
    });
    kill(watching.pid(), Signal::INT);
    let _ = watching.end().expect(0);
    store.stop();
}

#[test]
fn watching_on_a_terminal_draws_what_stands_and_gives_the_terminal_back() {
    let desk = Desk::new();
    let store = Resident::start(&desk);
    let terminal = Terminal::new(12, 70);
    let watching = desk.callbox(["watch"]).showing_on(terminal.side()).start();
    wait_until("the first picture stands", SOON, || terminal.text().contains("0 of 4 running"));
    submit(&desk, "- progress: {message: \"\\e[2Jhalf\"}\n- sleep: 1h");
    wait_until("the run is on it", SOON, || {
        terminal.text().contains("1 of 4 running") && terminal.text().contains("t1")
    });
    kill(watching.pid(), Signal::INT);
    let _ = watching.end().expect(0);
    let shown = terminal.text();
    assert!(
        shown.starts_with("\u{1b}[?1049h\u{1b}[?25l") && shown.ends_with("\u{1b}[?25h\u{1b}[?1049l"),
        "{shown:?}"
    );
    assert!(!shown.contains("\u{1b}[2J"), "an agent's words move no terminal");
    let _ = desk.callbox(["cancel", "t1"]).end().expect(0);
    store.stop();
}

#[test]
fn a_list_has_as_many_lines_as_are_wanted_and_says_that_there_may_be_more() {
    let desk = Desk::new();
    let run = |steps: &str, status| {
        desk.callbox(["run", "--agent", "scripted", "--no-project", "-p", steps]).end().expect(status);
    };
    run("- ask: {question: One?}", 3);
    for _ in 0..2 {
        run("- summary: x", 0);
    }
    run("- ask: {question: Two?}", 3);
    let listed = |more: &[&str]| {
        let lines = desk.callbox(["ls", "--json"].iter().chain(more)).end().expect(0).json();
        let numbers =
            lines.as_array().unwrap().iter().map(|line| line["number"].as_str().unwrap().to_owned());
        numbers.collect::<Vec<_>>()
    };
    assert_eq!(listed(&[]).len(), 4);
    assert_eq!(listed(&["--limit", "0"]).len(), 4);
    assert_eq!(listed(&["--limit", "3"]), ["t1", "t3", "t4"], "what waits for the person, then the newest");
    assert_eq!(listed(&["--limit", "1", "--in", "completed"]), ["t3"]);
    let few = desk.callbox(["ls", "--limit", "2"]).end().expect(0);
    assert_eq!(few.stdout.lines().count(), 3, "{few}");
    let _ = few.says("these are the most telling 2; `--limit 0` lists all");
    let asked = desk.callbox(["questions", "--limit", "1", "--json"]).end().expect(0).json();
    assert_eq!((asked.as_array().unwrap().len(), &asked[0]["number"]), (1, &"q1".into()));
    desk.callbox(["answer", "t4", "yes"]).end().expect(0);
}
