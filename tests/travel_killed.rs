//! An import that is killed at any point leaves all of it or nothing, and the next one works.

use serde_json::json;

use crate::support::{
    cli::Desk,
    journey::{export, import, import_call},
    leftovers::run,
    processes::nothing_left,
    repository::Repository,
};

const ASKS: &str = "- write: {path: a.txt, text: one}\n- subtask: {name: side, instructions: '- ask: {question: Mine?}'}\n\
                    - ask: {question: Which?}\n- summary: '{answer}'";

#[test]
fn a_killed_import_has_taken_all_or_nothing_and_another_finds_no_trace_of_it() {
    for (point, all) in [
        ("import:set_apart", false),
        ("import:one_placed", false),
        ("import:placed", false),
        ("store:import_recorded", true),
        ("import:recorded", true),
    ] {
        let (desk, project) = (Desk::new(), Repository::new());
        run(&desk, &project, ASKS, &[]).expect(3);
        let archive = export(&desk, &["t1"], &[]);
        let (there, clone) = (Desk::new(), project.cloned());
        let killed = import_call(&there, &archive, Some(&clone)).variable("CALLBOX_FAULT", point).end();
        assert_eq!(killed.status, -1, "{point}: {killed}");
        let listed = there.callbox(["ls", "--json"]).end().expect(0).json();
        let states: Vec<_> = listed.as_array().unwrap().iter().map(|task| task["state"].clone()).collect();
        let again = import_call(&there, &archive, Some(&clone)).end();
        let first = if all {
            assert_eq!(states, ["blocked", "blocked"], "{point}: {listed}");
            let _ = again.expect(1).says("is here already, as `t1`");
            1
        } else {
            assert_eq!(listed, json!([]), "{point}");
            let taken = again.expect(0).json();
            assert_eq!(taken["tasks"][0]["number"], "t3", "{point}: numbers are not given again: {taken}");
            3
        };
        let mut standing: Vec<_> = std::fs::read_dir(there.state().join("sandboxes"))
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        standing.sort();
        assert_eq!(standing, [first.to_string(), (first + 1).to_string()], "{point}");
        assert!(!there.state().join(format!("sandboxes/{first}/importing")).exists(), "{point}");
        let question = there.callbox(["questions", "--json"]).end().expect(0).json();
        let asked = question.as_array().unwrap().iter().find(|asked| asked["question"] == "Which?").unwrap();
        let number = asked["number"].as_str().unwrap();
        let answered = there.callbox(["answer", number, "red", "--run", "--json"]).end().expect(3).json();
        assert_eq!(answered["summary"], "red", "{point}: {answered}");
        nothing_left(&there);
    }
}

#[test]
fn what_a_killed_import_left_goes_with_gc_too() {
    let (desk, project) = (Desk::new(), Repository::new());
    run(&desk, &project, ASKS, &[]).expect(3);
    let archive = export(&desk, &["t1"], &[]);
    let (there, clone) = (Desk::new(), project.cloned());
    let killed = import_call(&there, &archive, Some(&clone)).variable("CALLBOX_FAULT", "import:placed").end();
    assert_eq!(killed.status, -1, "{killed}");
    assert!(there.state().join("sandboxes/1").exists());
    let _ = there.callbox(["gc"]).end().expect(0).says("an import left that was broken off is removed");
    assert!(!there.state().join("sandboxes/1").exists() && !there.state().join("sandboxes/2").exists());
    import(&there, &archive, &clone);
}
