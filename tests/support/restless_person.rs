//! A person who decides something all the time, whatever becomes of the store meanwhile, and remembers what they were
//! told to be done.

use serde_json::Value;

use super::{cli::Desk, dice::Dice};

/// What a command that ended well has promised.
#[derive(Debug)]
pub(crate) enum Promise {
    /// This question has this answer.
    Answered { question: String, answer: String },
    /// This task will be told that.
    Told { task: String, text: String },
    /// This task will have ended as cancelled, unless it had ended before.
    Cancelled { task: String },
}

/// One more decision; what it promised, if it was one and was taken.
pub(crate) fn decide(desk: &Desk, dice: &mut Dice, tasks: usize, round: usize) -> Option<Promise> {
    let task = format!("t{}", 1 + dice.below(tasks));
    match dice.below(10) {
        0 => {
            let done = desk.callbox(["cancel", &task]).end().status == 0;
            done.then_some(Promise::Cancelled { task })
        }
        1..4 => {
            let text = format!("told in round {round}");
            let done = desk.callbox(["tell", &task, &text]).end().status == 0;
            done.then_some(Promise::Told { task, text })
        }
        _ => {
            let question = open_questions(desk).into_iter().next()?;
            let answer = format!("answered in round {round}");
            let done = desk.callbox(["answer", &question, &answer]).end().status == 0;
            done.then_some(Promise::Answered { question, answer })
        }
    }
}

/// The numbers of the questions that wait, as far as a store is there to ask.
pub(crate) fn open_questions(desk: &Desk) -> Vec<String> {
    let listed = desk.callbox(["questions", "--json"]).end();
    if listed.status != 0 {
        return Vec::new();
    }
    let all = listed.json();
    let numbers = all.as_array().unwrap().iter().map(|question: &Value| question["number"].as_str().unwrap());
    numbers.map(str::to_owned).collect()
}
