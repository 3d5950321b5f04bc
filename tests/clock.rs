//! A clock that was set back by a year since a state directory was last used: all times in it lie in the future.

use std::{fs, time::Instant};

use rusqlite::Connection;

use crate::support::{
    cli::Desk,
    processes::nothing_left,
    resident::Resident,
    wait::{SOON, wait_until},
};

const YEAR: i64 = 365 * 24 * 3600 * 1000;

/// Moves every time in the database of `desk`, whose store has ended, a year ahead.
fn move_ahead(desk: &Desk) {
    let database = Connection::open(desk.state().join("callbox.db")).unwrap();
    let mut tables = database.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'").unwrap();
    let tables: Vec<String> =
        tables.query_map([], |row| row.get(0)).unwrap().collect::<Result<_, _>>().unwrap();
    let mut moved = Vec::new();
    for table in tables {
        let mut columns = database.prepare("SELECT name FROM pragma_table_info(?1)").unwrap();
        let columns: Vec<String> =
            columns.query_map([&table], |row| row.get(0)).unwrap().collect::<Result<_, _>>().unwrap();
        for column in columns.iter().filter(|column| *column == "at" || column.ends_with("_at")) {
            database.execute(&format!("UPDATE {table} SET {column} = {column} + {YEAR}"), []).unwrap();
            moved.push(format!("{table}.{column}"));
        }
    }
    for known in
        ["tasks.updated_at", "events.at", "questions.asked_at", "signals.at", "executions.started_at"]
    {
        assert!(moved.iter().any(|moved| moved == known), "{known} is not among {moved:?}");
    }
    let states = "SELECT number, state_data FROM tasks WHERE state_data LIKE '%until%'";
    let waiting: (i64, String) =
        database.query_row(states, [], |row| Ok((row.get(0)?, row.get(1)?))).unwrap();
    let mut year = waiting.1.find("20").unwrap();
    while !waiting.1[year..].starts_with("20") || waiting.1.as_bytes()[year + 4] != b'-' {
        year += 1;
    }
    let next: u32 = waiting.1[year..year + 4].parse::<u32>().unwrap() + 1;
    let state = format!("{}{next}{}", &waiting.1[..year], &waiting.1[year + 4..]);
    database.execute("UPDATE tasks SET state_data = ?1 WHERE number = ?2", (state, waiting.0)).unwrap();
}

#[test]
fn a_clock_that_was_set_back_loses_nothing_and_neither_fires_nor_holds_up_a_limit() {
    let desk = Desk::new();
    let file = |name: &str, text: &str| desk.write(&format!("home/{name}.yaml"), text).display().to_string();
    let head = "agent: scripted\ntimeout: 1h\nidle_timeout: 1h\n";
    let retries = "retry: {max_attempts: 2, delay: 1h}\ninstructions: |\n  - exit: 3\n  - summary: at last\n";
    let asks =
        "instructions: |\n  - ask: {question: First?}\n  - progress: between\n  - summary: \"{answer}\"\n";
    let more = "instructions: |\n  - ask: {question: Second?}\n  - summary: \"{answer}\"\n";
    let store = Resident::start(&desk);
    for (name, text) in [("retries", retries), ("asks", asks), ("more", more)] {
        let task = desk.callbox(["submit", &file(name, &format!("{head}{text}"))]).end().expect(0).stdout;
        wait_until("it waits for its second attempt or for an answer", SOON, || {
            let shown = desk.callbox(["show", task.trim(), "--json"]).end().expect(0).json();
            let wait = shown["task"]["wait"].as_str().unwrap_or_default();
            wait.starts_with("retry") || wait.starts_with("answer")
        });
    }
    store.stop();
    move_ahead(&desk);
    let questions = desk.callbox(["questions", "--json"]).end().expect(0).json();
    let order: Vec<_> = questions.as_array().unwrap().iter().map(|asked| asked["question"].clone()).collect();
    assert_eq!(order, ["First?", "Second?"]);
    let begun = Instant::now();
    let second = desk.callbox(["run", "--queued", "--json"]).end().expect(0).json();
    assert_eq!((&second["task"]["number"], &second["summary"]), (&"t1".into(), &"at last".into()));
    for (question, answer) in [("q1", "red"), ("q2", "blue")] {
        let ended = desk.callbox(["answer", question, answer, "--run", "--json"]).end().expect(0).json();
        assert_eq!(ended["summary"], answer, "{ended}");
        assert!(ended["totals"]["seconds"].as_f64().unwrap() < 60.0, "{ended}");
    }
    assert!(begun.elapsed() < 3 * SOON, "something waited for a clock");
    let shown = desk.callbox(["show", "t2", "--json"]).end().expect(0).json();
    let tools: Vec<_> =
        shown["signals"].as_array().unwrap().iter().map(|said| said["tool"].clone()).collect();
    assert_eq!(tools, ["ask_user", "record_progress", "report_summary"]);
    assert!(fs::read_dir(desk.state().join("executions")).unwrap().count() >= 6);
    nothing_left(&desk);
}
