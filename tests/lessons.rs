//! What is easily done wrong when agents are run, each held by a test: here what is said to agents and
//! by them, in `lessons_of_work` what becomes of their work and of their turns. All of it:
//!
//! | lesson | test |
//! |---|---|
//! | waiting live for an answer held a slot | `lessons::a_waiting_question_holds_no_slot_and_no_process` |
//! | a resume in another directory did not find the conversation | `contracts::a_resume_with_its_sandbox_goes_on_in_that_one` |
//! | a second block lost the session | `lessons::a_second_question_keeps_the_session_of_the_first` |
//! | the execution's id was taken for the session's | `lessons::the_session_is_what_the_agent_says_it_is` |
//! | `--resume` went along on fresh runs | `lessons::no_resume_goes_along_on_a_fresh_run` |
//! | a sandbox path was lost, so work was never delivered | `main_job::a_question_blocks_and_its_answer_is_delivered_in_the_same_conversation` |
//! | success was set before the push, and a failed push only logged | `lessons_of_work::a_branch_that_cannot_be_written_is_no_success_and_keeps_the_work` |
//! | clean-up ran on failures too | `contracts::an_agent_that_fails_keeps_its_sandbox_with_its_path_in_the_error` |
//! | an error flag was dropped, so exit 0 counted as success | `lessons_of_work::an_error_flag_counts_before_a_good_exit_status` |
//! | an adapter was a stub with canned success | `claude_main_job::claude_asks_is_answered_and_delivers_in_one_conversation` |
//! | "all subtasks done" was true of none | `lessons_of_work::ended_subtasks_or_none_complete_nothing_by_themselves` |
//! | execution and running state were written apart | `lessons_of_work::a_task_runs_as_long_as_its_execution_whoever_looks_when` |
//! | slots were released twice | `lessons_of_work::slots_are_neither_exceeded_nor_lost_by_cancels` |
//! | follow-ups ran when the pool reached a state, not when a person did | `lessons_of_work::what_follows_from_a_state_follows_from_a_persons_act` |
//! | agents "asked" completion reports | `shim_schemas::each_description_says_when_and_what_next` |
//! | a question stayed on after a retry | `lessons::no_question_stays_open_behind_a_run_that_goes_on` |
//! | `master` was hard-coded | `lessons_of_work::whatever_the_default_branch_is_called_work_starts_from_it` |
//! | instructions passed through a shell | `lessons::instructions_and_answers_with_shell_characters_arrive_verbatim` |
//! | priority was parsed and never used | `lessons_of_work::the_priority_decides_who_is_first` |
//! | retry was parsed and never used | `lessons_of_work::a_retry_is_tried_in_the_same_conversation_and_only_so_often` |
//! | a tool handler wrote to the execution while the runner read it | `lessons::what_is_said_in_a_run_counts_once_the_run_is_over` |

use std::fs;

use rustix::process::Signal;
use serde_json::{Value, json};

use crate::support::{
    cli::{Call, Desk},
    processes::{kill, nothing_left, processes},
    resident::Resident,
    supervised::write_agent,
    wait::{SOON, wait_until},
};

const ASKS_TWICE: &str = "- ask: {question: Which colour?}\n- write: {path: colour.txt, text: \"{answer}\"}\n\
    - ask: {question: Which size?}\n- summary: \"{answer}\"";

/// Characters that mean something to shells, formats, patterns, YAML or terminals.
const ODD: &str = "$(touch made) `touch made` ; touch made & | > made < /dev/null && ! * ? [a] {b} ~ # \\ \\n \
    \"double\" 'single' %s %n $HOME ${HOME} -- --help é 中 \u{1f980}";

fn scripted(desk: &Desk, steps: &str) -> Call {
    desk.callbox(["run", "--agent", "scripted", "--no-project", "--json", "-p", steps])
}

fn show(desk: &Desk, task: &str) -> Value {
    desk.callbox(["show", task, "--json"]).end().expect(0).json()
}

fn answer(desk: &Desk, question: &str, words: &str) -> Call {
    desk.callbox(["answer", question, words, "--run", "--json"])
}

#[test]
fn a_waiting_question_holds_no_slot_and_no_process() {
    let desk = Desk::new();
    desk.write("home/.config/callbox/config.toml", "max_concurrent = 1\n");
    let store = Resident::start(&desk);
    scripted(&desk, ASKS_TWICE).end().expect(3);
    let only = |(pid, _): &(u32, String)| *pid == store.pid();
    wait_until("nothing but the store runs", SOON, || processes(&desk).iter().all(only));
    scripted(&desk, "- summary: went by").end().expect(0);
    assert_eq!((desk.standing("t1"), desk.standing("t2")), ("blocked".to_owned(), "completed".to_owned()));
    store.stop();
    nothing_left(&desk);
}

#[test]
fn a_second_question_keeps_the_session_of_the_first() {
    let desk = Desk::new();
    scripted(&desk, ASKS_TWICE).end().expect(3);
    answer(&desk, "q1", "blue").end().expect(3);
    let ended = answer(&desk, "q2", "large").end().expect(0).json();
    assert_eq!(ended["summary"], "large");
    let shown = show(&desk, "t1");
    let sessions: Vec<_> =
        shown["executions"].as_array().unwrap().iter().map(|run| &run["session_id"]).collect();
    assert!(sessions.len() == 3 && sessions.iter().all(|session| *session == sessions[0]), "{sessions:?}");
    assert!(sessions[0].is_string(), "{sessions:?}");
}

/// An agent program that writes down what it was started with, run by run, and what it was told: outside
/// its sandbox, where the test looks.
fn noting(desk: &Desk, rest: &str) {
    let notes = desk.path("notes").display().to_string();
    let script = format!(
        "n=1; while [ -e {notes}-$n ]; do n=$((n+1)); done\n\
         printf '%s\\n' \"$@\" > {notes}-$n; cat > {notes}-$n.told\n\
         {rest}"
    );
    desk.write("home/.config/callbox/config.toml", "isolation = \"none\"\n");
    write_agent(&desk.path("bin/claude"), &script);
}

fn noted(desk: &Desk, name: &str) -> String {
    fs::read_to_string(desk.path(name)).unwrap()
}

fn with_claude(desk: &Desk, arguments: &[&str]) -> Call {
    desk.callbox(arguments).variable("ANTHROPIC_API_KEY", "sk-ant-dummy")
}

#[test]
fn the_session_is_what_the_agent_says_it_is() {
    let desk = Desk::new();
    noting(&desk, "begin; done_well");
    let run = ["run", "--agent", "claude", "--no-project", "--json", "-p", "Paint it."];
    let ended = with_claude(&desk, &run).end().expect(0).json();
    // Not the one callbox proposed, and no id of its own.
    assert_eq!(ended["execution"]["session_id"], crate::support::supervised::SESSION);
    assert_ne!(ended["task"]["id"], ended["execution"]["session_id"]);
    assert!(!noted(&desk, "notes-1").contains(crate::support::supervised::SESSION));
}

#[test]
fn no_resume_goes_along_on_a_fresh_run() {
    let desk = Desk::new();
    noting(&desk, "begin; done_well");
    let run = ["run", "--agent", "claude", "--no-project", "--json", "-p", "Paint it."];
    with_claude(&desk, &run).end().expect(0);
    with_claude(&desk, &run).end().expect(0);
    with_claude(&desk, &["resume", "t1", "And rename it.", "--run", "--json"]).end().expect(0);
    for fresh in ["notes-1", "notes-2"] {
        assert!(!noted(&desk, fresh).contains("--resume"), "{}", noted(&desk, fresh));
    }
    let resumed = noted(&desk, "notes-3");
    assert!(
        resumed.contains("--resume") && resumed.contains(crate::support::supervised::SESSION),
        "{resumed}"
    );
    assert!(noted(&desk, "notes-3.told").contains("And rename it."));
}

#[test]
fn instructions_and_answers_with_shell_characters_arrive_verbatim() {
    let desk = Desk::new();
    noting(&desk, "begin; done_well");
    desk.write("home/odd.txt", ODD);
    with_claude(&desk, &["run", "--agent", "claude", "--no-project", "-p", ODD, "--name", ODD])
        .end()
        .expect(0);
    with_claude(&desk, &["run", "--agent", "claude", "--no-project", "-p", "@odd.txt"]).end().expect(0);
    with_claude(&desk, &["resume", "t1", ODD, "--run"]).end().expect(0);
    for (arguments, told) in
        [("notes-1", "notes-1.told"), ("notes-2", "notes-2.told"), ("notes-3", "notes-3.told")]
    {
        assert!(noted(&desk, told).contains(ODD), "{}", noted(&desk, told));
        assert!(!noted(&desk, arguments).contains("touch"), "no word of it stands in the arguments");
    }
    scripted(&desk, "- ask: {question: What?}\n- summary: \"{answer}\"").end().expect(3);
    let answered = answer(&desk, "q1", ODD).end().expect(0).json();
    assert_eq!(answered["summary"], ODD);
    for folder in ["home", ""] {
        assert!(!desk.path(folder).join("made").exists());
    }
}

#[test]
fn no_question_stays_open_behind_a_run_that_goes_on() {
    let desk = Desk::new();
    scripted(&desk, ASKS_TWICE).end().expect(3);
    desk.callbox(["cancel", "t1"]).end().expect(0);
    assert_eq!(desk.callbox(["questions", "--json"]).end().expect(0).json(), json!([]));
    let resumed = desk.callbox(["resume", "t1", "go on without", "--run", "--json"]).end().expect(3).json();
    let states: Vec<_> =
        resumed["questions"].as_array().unwrap().iter().map(|asked| &asked["state"]).collect();
    assert_eq!(states, ["withdrawn", "open"]);
    desk.callbox(["answer", "q1", "blue"]).end().expect(1);
    answer(&desk, "t1", "large").end().expect(0);
    assert_eq!(desk.callbox(["questions", "--json"]).end().expect(0).json(), json!([]));
}

#[test]
fn what_is_said_in_a_run_counts_once_the_run_is_over() {
    let desk = Desk::new();
    let steps = "- summary: first\n- ask: {question: What?, keep_working: yes}\n- hang";
    let running = scripted(&desk, steps).start();
    let mut seen = Value::Null;
    wait_until("the agent has said two things", SOON, || {
        desk.state().join("operator/store.sock").exists() && {
            let shown = desk.callbox(["show", "t1", "--json"]).end();
            seen = if shown.status == 0 { shown.json() } else { Value::Null };
            seen["signals"].as_array().is_some_and(|signals| signals.len() == 2)
        }
    });
    // Recorded and shown, and neither execution nor task is touched by it.
    assert_eq!((&seen["summary"], &seen["execution"]["outcome"]), (&Value::Null, &Value::Null));
    assert_eq!((&seen["task"]["state"], &seen["questions"][0]["state"]), (&json!("running"), &json!("open")));
    for (process, _) in processes(&desk).iter().filter(|(_, line)| line.ends_with(" scripted ")) {
        kill(*process, Signal::KILL);
    }
    let ended = running.end().expect(3).json();
    assert_eq!((&ended["summary"], &ended["execution"]["outcome"]), (&json!("first"), &json!("blocked")));
}

#[test]
fn every_lesson_names_a_test_that_there_is() {
    let rows = include_str!("lessons.rs").lines().filter_map(|line| line.strip_prefix("//! | "));
    let tests: Vec<_> = rows.skip(1).map(|row| row.split('`').rev().nth(1).unwrap()).collect();
    assert!(tests.len() > 20, "{tests:?}");
    for test in tests {
        let (file, name) = test.split_once("::").unwrap();
        let path = format!("{}/tests/{file}.rs", env!("CARGO_MANIFEST_DIR"));
        assert!(fs::read_to_string(&path).unwrap().contains(&format!("\nfn {name}()")), "no `{test}`");
    }
}
