//! A state directory that the first callbox left, with tasks in the middle of everything.

use std::{fs, os::unix::fs::PermissionsExt as _};

use rusqlite::Connection;
use serde_json::json;

use crate::support::{books::Books, cli::Desk, processes::nothing_left};

const SCHEMA: &str = include_str!("../src/database/migrations/0001_first.sql");
/// The session of the task that asks.
const SESSION: &str = "01a22df1-bdf3-76c9-9a87-000000000002";
const CONTENT: &str = include_str!("fixtures/version_1.sql");
/// What a supervisor of that time reported of a run, word for word; of the first four the store knows.
const REPORTS: &str = include_str!("fixtures/supervisor_1.jsonl");

/// The conversation of the task that asks, as the scripted agent keeps it.
fn conversation(desk: &Desk) {
    let kept = json!({
        "session": SESSION, "script": "- ask: Which?\n- summary: \"{answer}\"", "place": 1, "answer": null,
        "asked": ["Which?"],
    });
    let place = format!("home/.local/state/callbox/sandboxes/2/1.scripted/{SESSION}.json");
    desk.write(&place, &kept.to_string());
    fs::create_dir(desk.state().join("sandboxes/2/1")).unwrap();
}

/// A desk with all that.
fn desk() -> Desk {
    let desk = Desk::new();
    conversation(&desk);
    fs::set_permissions(desk.state(), fs::Permissions::from_mode(0o700)).unwrap();
    let database = Connection::open(desk.state().join("callbox.db")).unwrap();
    database.execute_batch(SCHEMA).unwrap();
    database.execute_batch(CONTENT).unwrap();
    // callbox's own mark, "cbox".
    database.pragma_update(None, "application_id", 0x6362_6f78).unwrap();
    database.pragma_update(None, "user_version", 1).unwrap();
    database.close().unwrap();
    desk
}

#[test]
fn what_the_first_callbox_left_in_the_middle_is_taken_up_and_brought_to_its_end() {
    let desk = desk();
    let questions = desk.callbox(["questions", "--json"]).end().expect(0).json();
    assert_eq!(questions[0]["question"], "Which?", "{questions}");
    let copies = fs::read_dir(desk.state()).unwrap().flatten();
    let copy = copies.filter(|entry| entry.file_name().to_string_lossy().starts_with("callbox.db.before-"));
    assert_eq!(copy.count(), 1, "there is no copy of what was before");
    for (task, state) in [("t1", "completed"), ("t2", "blocked"), ("t5", "failed"), ("t7", "pending")] {
        assert_eq!(desk.standing(task), state, "{task}");
    }
    let lost = desk.callbox(["show", "t4", "--json"]).end().expect(0).json();
    assert_eq!(
        (&lost["task"]["state"], &lost["executions"][0]["outcome"]),
        (&json!("queued"), &json!("lost"))
    );

    let answered = desk.callbox(["answer", "q1", "red", "--run", "--json"]).end().expect(0).json();
    assert_eq!(answered["summary"], "red", "{answered}");
    desk.callbox(["start", "t7"]).end().expect(0);
    desk.callbox(["run", "--queued"]).end().expect(0);
    for (task, summary) in
        [("t1", "of old"), ("t3", "at last"), ("t4", "all the same"), ("t6", "later"), ("t7", "when started")]
    {
        let shown = desk.callbox(["show", task, "--json"]).end().expect(0).json();
        assert_eq!(
            (&shown["task"]["state"], &shown["summary"]),
            (&json!("completed"), &json!(summary)),
            "{shown}"
        );
    }
    nothing_left(&desk);
    let books = Books::open(&desk);
    books.are_sound();
    books.hold_what_was_acknowledged();
}

#[test]
fn what_a_supervisor_of_the_first_callbox_reported_while_no_store_was_there_is_understood() {
    let desk = desk();
    desk.write("home/.local/state/callbox/executions/3/spool.jsonl", REPORTS);
    let shown = desk.callbox(["show", "t4", "--json"]).end().expect(0).json();
    assert_eq!(
        (&shown["task"]["state"], &shown["summary"]),
        (&json!("completed"), &json!("all steps are played"))
    );
    assert_eq!(shown["delivery"]["head"], "652b452bb6cb04d8dd532997344bd0f2dad08c96", "{shown}");
    let [run] = &shown["executions"].as_array().unwrap()[..] else { panic!("one run: {shown}") };
    assert_eq!((&run["outcome"], &run["exit"]["code"]), (&json!("succeeded"), &json!(0)), "{run}");
}
