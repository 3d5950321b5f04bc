//! A task whose project was moved goes on where the project stands now.

use std::fs;

use serde_json::json;

use crate::support::{
    cli::Desk,
    leftovers::run,
    repository::{Repository, git},
};

const ASKS: &str = "- write: {path: a.txt, text: one}\n- subtask: {name: side, instructions: '- summary: side'}\n\
                    - ask: {question: Which?}\n- write: {path: b.txt, text: '{answer}'}\n- summary: '{answer}'";

#[test]
fn a_project_that_was_moved_is_found_where_the_person_says_it_stands() {
    for act in ["answer", "resume"] {
        let (desk, project) = (Desk::new(), Repository::new());
        run(&desk, &project, ASKS, &[]).expect(3);
        let moved = project.beside("moved");
        fs::rename(project.root(), &moved).unwrap();
        let place = moved.display().to_string();
        let line = if act == "answer" {
            vec!["answer", "q1", "red", "--run", "--project", &place, "--json"]
        } else {
            desk.callbox(["answer", "q1", "red"]).end().expect(0);
            vec!["resume", "t1", "--run", "-C", &place, "--json"]
        };
        let ended = desk.callbox(&line).end().expect(0).json();
        assert_eq!((&ended["summary"], &ended["task"]["project"]), (&json!("red"), &json!(place)), "{act}");
        let branch = ended["delivery"]["branch"].as_str().unwrap();
        assert_eq!(git(&moved, ["show", &format!("{branch}:b.txt")]), "red", "{act}");
        let side = desk.callbox(["show", "t2", "--json"]).end().expect(0).json();
        assert_eq!(side["task"]["project"], json!(place), "the whole tree moves");
    }
}

#[test]
fn a_place_that_is_no_clone_of_the_project_is_refused_and_nothing_changes() {
    let (desk, project) = (Desk::new(), Repository::new());
    run(&desk, &project, ASKS, &[]).expect(3);
    let other = Repository::unborn("main");
    other.write("x", "x");
    other.commit("another history");
    let place = other.root().display().to_string();
    let line = ["answer", "q1", "red", "--run", "--project", &place];
    let _ = desk.callbox(line).end().expect(1).says("is not the project of `t1`");
    let nowhere = ["answer", "q1", "red", "--run", "--project", "/nowhere/at/all"];
    desk.callbox(nowhere).end().expect(69);
    let shown = desk.callbox(["show", "t1", "--json"]).end().expect(0).json();
    assert_eq!(
        (&shown["task"]["project"], &shown["questions"][0]["state"]),
        (&json!(project.root()), &json!("open"))
    );
    let bare = ["run", "--agent", "scripted", "--no-project", "-p", "- ask: Which?\n- summary: x"];
    desk.callbox(bare).end().expect(3);
    let line = ["answer", "t3", "red", "--project", &place];
    let _ = desk.callbox(line).end().expect(1).says("t3 has no project");
}
