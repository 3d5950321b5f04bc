//! Questions of runs that nobody watches: answered as foreseen, and otherwise left to a person or failed, never made
//! up.

use serde_json::Value;

use crate::support::cli::{Call, Desk, Ended};

const ASKS: &str = "- ask: {question: 'Which  colour?', options: [red, blue]}\n- summary: 'It is {answer}.'";

fn call(desk: &Desk, steps: &str, more: &[&str]) -> Call {
    let task = ["run", "--agent", "scripted", "--no-project", "--json", "-p", steps];
    desk.callbox(task.into_iter().chain(more.iter().copied()))
}

/// A run of `steps` with this file of answers.
fn with_answers(desk: &Desk, steps: &str, answers: &str, more: &[&str]) -> Ended {
    let file = desk.write("answers.yaml", answers).display().to_string();
    call(desk, steps, &[&["--answers", &file], more].concat()).end()
}

fn questions(desk: &Desk) -> Vec<Value> {
    let listed = desk.callbox(["questions", "--all", "--json"]).end().expect(0).json();
    listed.as_array().unwrap().clone()
}

#[test]
fn a_foreseen_question_is_answered_by_its_words_by_a_pattern_or_by_an_option() {
    for (rule, answer) in [
        ("{question: ' Which colour? ', answer: green}", "green"),
        ("{pattern: '(?i)which +COLOUR', answer: 7}", "7"),
        ("{pattern: colour, option: 2}", "blue"),
    ] {
        let desk = Desk::new();
        let ended = with_answers(&desk, ASKS, &format!("answers: [{rule}]"), &[]).expect(0);
        assert_eq!(ended.json()["summary"], format!("It is {answer}."), "{rule}");
        let asked = questions(&desk);
        let answers: Vec<_> = asked.iter().map(|question| question["answer"].as_str().unwrap()).collect();
        assert_eq!(answers, [answer]);
        ended.says("q1 was foreseen: ");
    }
}

#[test]
fn each_question_of_a_tree_is_answered_and_the_same_one_again_where_it_is_asked_again() {
    let desk = Desk::new();
    let asks = "- ask: {question: Which colour?}\n- ask: {question: Which colour?}\n- summary: done";
    let steps = format!(
        "- subtask: {{name: side, instructions: \"{}\"}}\n{asks}",
        asks.replace('\n', "\\n").replace('"', "'")
    );
    let ended = with_answers(&desk, &steps, "answers: [{question: Which colour?, answer: red}]", &[]);
    assert_eq!(ended.expect(0).json()["subtasks"][0]["state"], "completed");
    let asked = questions(&desk);
    assert_eq!(asked.len(), 4, "{asked:?}");
    assert!(asked.iter().all(|question| question["answer"] == "red"), "{asked:?}");
}

#[test]
fn what_was_not_foreseen_waits_for_a_person() {
    let desk = Desk::new();
    let ended = with_answers(&desk, ASKS, "answers: [{question: Which size?, answer: large}]", &[]);
    let ended = ended.expect(3).json();
    assert_eq!((&ended["task"]["wait"], &ended["error"]), (&"answer to q1".into(), &Value::Null), "{ended}");
    assert_eq!(questions(&desk)[0]["state"], "open");
}

#[test]
fn where_nobody_is_to_be_asked_a_question_fails_the_command_and_stays_open() {
    let desk = Desk::new();
    let answers = "answers: [{question: Which size?, answer: large}]";
    let ended = with_answers(&desk, ASKS, answers, &["--on-question", "fail"]).expect(1).json();
    assert_eq!((&ended["task"]["state"], &ended["error"]["code"]), (&"blocked".into(), &"question".into()));
    assert!(ended["error"]["message"].as_str().unwrap().contains("no answer to q1"), "{ended}");
    let went_on = desk.callbox(["answer", "q1", "pink", "--run", "--json"]).end().expect(0).json();
    assert_eq!(went_on["summary"], "It is pink.");
}

#[test]
fn every_other_question_gets_the_default_of_the_file_and_none_of_callboxs() {
    let desk = Desk::new();
    for more in [&["--on-question", "default"][..], &["--on-question", "sometimes"]] {
        call(&desk, ASKS, more).end().expect(2);
    }
    with_answers(&desk, ASKS, "answers: []", &["--on-question", "default"])
        .expect(2)
        .says("`--on-question default` needs an answer that is the default");
    with_answers(&desk, ASKS, "answers: [{question: a}]", &[])
        .expect(2)
        .says("answers.yaml:1: `answers` needs");
    assert!(!desk.has_database(), "nothing was queued");
    let ended = with_answers(&desk, ASKS, "default: whatever fits", &["--on-question", "default"]);
    assert_eq!(ended.expect(0).json()["summary"], "It is whatever fits.");
    let blocked = with_answers(&desk, ASKS, "default: whatever fits", &[]);
    assert_eq!(blocked.expect(3).json()["task"]["state"], "blocked");
}

#[test]
fn a_foreseen_option_that_the_question_does_not_have_answers_nothing_and_is_said() {
    let desk = Desk::new();
    let ended = with_answers(&desk, ASKS, "answers: [{pattern: colour, option: 3}]", &[]).expect(3);
    ended.says("the foreseen answer to q1 is refused: ");
    assert_eq!(questions(&desk)[0]["state"], "open");
}

#[test]
fn going_on_behind_an_answer_takes_what_was_foreseen_too() {
    let desk = Desk::new();
    let steps = "- ask: {question: First?}\n- ask: {question: Second?}\n- summary: 'It is {answer}.'";
    call(&desk, steps, &[]).end().expect(3);
    let file =
        desk.write("answers.yaml", "answers: [{question: Second?, answer: two}]").display().to_string();
    let ended = desk.callbox(["answer", "q1", "one", "--run", "--answers", &file, "--json"]).end().expect(0);
    assert_eq!(ended.json()["summary"], "It is two.");
}
