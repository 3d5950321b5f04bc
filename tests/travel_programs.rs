//! Conversations of real agent programs that go on in another place: another state directory, another home, another
//! clone of the project, another user where there can be one, and nothing of the first place is left.

use std::fs;

use serde_json::json;

use crate::support::{
    cli::{Desk, give},
    fake_model::{Script, Step},
    journey::{KEY, export, import_call},
    office::Office,
    processes::nothing_left,
    programs,
};

/// Somebody else.
const OTHER: u32 = 12_345;

/// A conversation in which the model asks with the tool `ask`, and writes with `write` before and behind that.
fn script(ask: &str, write: impl Fn(&str, &str) -> Step) -> Script {
    Script::of([
        write("draft.txt", "draft"),
        Step::call(ask, json!({"question": "Which colour?", "options": ["red", "blue"]})),
        Step::say("I have asked."),
        write("colour.txt", "blue"),
        Step::call("report_summary", json!({"summary": "It is blue."})),
        Step::say("Done."),
    ])
}

/// Runs `script` with the program `agent` until it asks, moves to `there`, answers there, and holds what comes of it.
#[track_caller]
fn moves(agent: &'static str, script: Script, there: Option<Desk>) {
    let Some(office) = Office::of(agent, Desk::new(), script) else { return };
    let Some(there) = there else { return };
    let asked = office.run(&["--json"]).end().expect(3).json();
    assert_eq!(asked["task"]["state"], "blocked", "{asked}");
    let session = asked["execution"]["session_id"].clone();
    let archive = export(&office.desk, &["t1"], &[]);
    let bytes = fs::read(&archive).unwrap();
    let text = String::from_utf8_lossy(&bytes);
    let variables = programs::wired(agent, &office.model).into_iter();
    let keys = variables.filter(|(name, _)| name.contains("KEY")).map(|(_, value)| value);
    for words in keys.chain(["cbx_", "\"mcpServers\"", "hooks/"].map(str::to_owned)) {
        assert!(!text.contains(&words), "only the conversation goes along, and no {words}");
    }
    let came = there.path("tmp/came.archive");
    fs::copy(&archive, &came).unwrap();
    let turns = office.model.turns().len();

    let office = office.moved_to(there).unwrap();
    give(&office.desk.path(""), OTHER);
    give(&office.project.beside(""), OTHER);
    let taken = import_call(&office.desk, &came, Some(&office.project)).end().expect(0).json();
    assert_eq!(
        (&taken["tasks"][0]["sandbox"], &taken["tasks"][0]["conversation"]),
        (&json!(true), &json!(true)),
        "{taken}"
    );
    let answered = office.callbox(&["answer", "q1", "blue", "--run", "--json"]).end().expect(0).json();
    assert_eq!(answered["task"]["state"], "completed", "{answered}");
    assert_eq!(answered["summary"], "It is blue.");
    assert_eq!(answered["execution"]["session_id"], session, "it is the same conversation");
    let first = office.model.turns()[turns].said().concat();
    assert!(
        first.contains("Paint it.") && first.contains("Which colour?"),
        "the earlier turns are heard: {first}"
    );
    assert_eq!(first.matches("Answer to question 1 (Which colour?): blue").count(), 1, "{first}");
    let branch = answered["delivery"]["branch"].as_str().unwrap();
    for (file, text) in [("draft.txt", "draft"), ("colour.txt", "blue")] {
        assert_eq!(office.project.git(["show", &format!("{branch}:{file}")]).trim(), text);
    }
    let shown = office.callbox(&["show", "t1", "--json"]).end().expect(0).json();
    assert_eq!(shown["executions"].as_array().unwrap().len(), 2, "{shown}");
    nothing_left(&office.desk);
}

fn claude_writes(file: &str, text: &str) -> Step {
    Step::call("Bash", json!({"command": format!("echo {text} > {file}"), "description": "work"}))
}

#[test]
fn a_conversation_of_claudes_goes_on_elsewhere_as_another_user() {
    moves("claude", script("ask_user", claude_writes), Desk::of_another_user(OTHER));
}

#[test]
fn a_conversation_of_codexs_goes_on_elsewhere_as_another_user() {
    let writes =
        |file: &str, text: &str| Step::call("exec_command", json!({"cmd": format!("echo {text} > {file}")}));
    moves("codex", script("ask_user", writes), Desk::of_another_user(OTHER));
}

#[test]
fn a_conversation_of_geminis_goes_on_elsewhere_as_another_user() {
    let writes = |file: &str, text: &str| {
        Step::call("run_shell_command", json!({"command": format!("echo {text} > {file}")}))
    };
    moves("gemini", script("ask_human", writes), Desk::of_another_user(OTHER));
}

#[test]
fn a_conversation_that_goes_on_in_a_copy_of_the_same_home_is_the_one_that_is_there() {
    let Some(office) = Office::new(script("ask_user", claude_writes)) else { return };
    office.run(&["--json"]).end().expect(3);
    let archive = export(&office.desk, &["t1"], &[]);
    let state = office.desk.path("other").display().to_string();
    let file = archive.display().to_string();
    let line = ["import", &file, "--state", &state, "--json"];
    let taken = office.callbox(&line).variable("CALLBOX_ARCHIVE_KEY", KEY).end().expect(0).json();
    assert_eq!(taken["tasks"][0]["conversation"], true, "{taken}");
    let line = ["answer", "q1", "blue", "--run", "--json", "--state", &state];
    let answered = office.callbox(&line).end().expect(0).json();
    assert_eq!(answered["summary"], "It is blue.", "{answered}");
}
