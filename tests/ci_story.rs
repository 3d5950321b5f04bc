//! Two jobs of CI and a person between them, with real programs: the first job asks and ends, and all that it leaves is an
//! archive; a later one, elsewhere and as somebody else, answers and goes on in the same conversation.

use std::fs;

use serde_json::{Value, json};

use crate::support::{
    cli::{Call, Desk, give},
    fake_model::{Script, Step},
    journey::KEY,
    office::Office,
    processes::nothing_left,
};

/// Somebody else.
const OTHER: u32 = 12_346;

/// A command of a job: hermetic, with the state in `ci`, and no variable of a person's.
fn job(office: &Office, line: &[&str]) -> Call {
    let state = office.desk.path("ci").display().to_string();
    let line = [line, &["--hermetic", "--state", &state, "--json"]].concat();
    let call = office.callbox(&line).variable("CALLBOX_ARCHIVE_KEY", KEY);
    ["HOME", "USER", "TERM", "LANG", "TMPDIR"].into_iter().fold(call, Call::without)
}

#[track_caller]
fn story(agent: &'static str, script: Script) {
    let Some(there) = Desk::of_another_user(OTHER) else { return };
    let Some(office) = Office::of(agent, Desk::new(), script) else { return };
    let task =
        ["run", "--agent", agent, "--name", "colours", "-p", "Paint it.", "--summary", "../summary.md"];
    let asked = job(&office, &task).end().expect(3).json();
    assert_eq!(asked["questions"][0]["question"], "Which colour?", "{asked}");
    let page = fs::read_to_string(office.project.beside("summary.md")).unwrap();
    assert!(page.contains("**t1** asks, as q1"), "{page}");
    assert_eq!(
        fs::read_dir(office.desk.path("home")).unwrap().count(),
        0,
        "nothing of the person's is touched"
    );
    nothing_left(&office.desk);

    let archive = office.desk.path("ci.archive").display().to_string();
    job(&office, &["export", "t1", "--encrypt", "-o", &archive]).end().expect(0);
    let came = there.path("tmp/came.archive");
    fs::copy(archive, &came).unwrap();
    let office = office.moved_to(there).unwrap();
    give(&office.desk.path(""), OTHER);
    give(&office.project.beside(""), OTHER);

    let (came, project) = (came.display().to_string(), office.project.root().display().to_string());
    job(&office, &["import", &came, "--project", &project]).end().expect(0);
    let answered = job(&office, &["answer", "q1", "-", "--run"]).stdin("blue").end().expect(0).json();
    assert_eq!(
        (&answered["task"]["state"], &answered["summary"]),
        (&json!("completed"), &json!("It is blue."))
    );
    assert_eq!(
        answered["execution"]["session_id"], asked["execution"]["session_id"],
        "the same conversation"
    );
    let branch = answered["delivery"]["branch"].as_str().unwrap();
    assert_eq!(office.project.git(["show", &format!("{branch}:colour.txt")]).trim(), "blue");
    assert_ne!(answered["totals"]["executions"], Value::Null);
    nothing_left(&office.desk);
}

fn script(ask: &str, write: Step) -> Script {
    Script::of([
        Step::call(ask, json!({"question": "Which colour?"})),
        Step::say("I have asked."),
        write,
        Step::call("report_summary", json!({"summary": "It is blue."})),
        Step::say("Done."),
    ])
}

const WRITES: &str = "echo blue > colour.txt";

#[test]
fn a_question_of_claudes_is_answered_by_a_later_job() {
    story(
        "claude",
        script("ask_user", Step::call("Bash", json!({"command": WRITES, "description": "work"}))),
    );
}

#[test]
fn a_question_of_codexs_is_answered_by_a_later_job() {
    story("codex", script("ask_user", Step::call("exec_command", json!({"cmd": WRITES}))));
}

#[test]
fn a_question_of_geminis_is_answered_by_a_later_job() {
    story("gemini", script("ask_human", Step::call("run_shell_command", json!({"command": WRITES}))));
}
