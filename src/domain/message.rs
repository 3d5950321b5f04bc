//! What callbox says to an agent, always beginning with its own words.
//!
//! A message that began with foreign words could be taken for a command by the agent program (Claude
//! Code 2.1.332 ends "well" on `/cost` without a model call, and `/clear` starts another session).
//! Foreign words are marked, so that the adapter can write them in the way its program leaves alone.

use std::fmt::Write as _;

use serde::{Deserialize, Serialize};

use crate::{
    ids::TaskNumber,
    vocabulary::{CAME_MEANWHILE, Conflict, Message, MessageBuilder},
};

/// Stands before a task's instructions.
const INSTRUCTIONS: &str = "----- instructions -----";
/// Stands behind a task's instructions.
const END_OF_INSTRUCTIONS: &str = "----- end of instructions -----";
/// Stands behind everything that was not said before.
const END_OF_MESSAGE: &str = "----- end of message -----";

/// Stands before a person's words.
const FROM_PERSON: &str = "Message from the person: ";

/// Said to an agent that ended its turn without a summary; most such turns end with a question.
pub const REMINDER: &str = "Your turn ended without `report_summary`, which this task requires. If you need a \
    decision, ask with `ask_user` and end your turn: a question in plain words reaches nobody. Otherwise \
    finish the task and call `report_summary`.\n";

/// Something an agent has not been told yet.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Unsaid {
    /// An answer.
    Answer(Exchange),
    /// A subtask ended.
    Report {
        /// Its number.
        task: TaskNumber,
        /// Its name.
        name: String,
        /// As what.
        state: String,
        /// What its agent reported.
        summary: Option<String>,
        /// The branch it delivered into the project.
        branch: Option<String>,
    },
    /// A person's words.
    Words(String),
    /// A person's words that were in a tool's result which may not have arrived. Made of `Words` when the
    /// next run is told.
    WordsAgain(String),
    /// A person has looked at the work and sends it back.
    Rejection(String),
    /// The command that decides about the work found something.
    Verification {
        /// The command.
        command: String,
        /// How it ended, as the end of a sentence.
        ended: String,
        /// The end of its output.
        tail: String,
    },
    /// The work does not go together with the branch it is to be merged into.
    Conflict(Conflict),
    /// A turn ended without the summary that the task demands.
    Reminder,
}

/// A question with its answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Exchange {
    /// Counts the questions of the task, from 1.
    pub ordinal: u32,
    /// The question.
    pub question: String,
    /// The answer.
    pub answer: String,
}

/// A task as its agent, or the next agent in its place, must know it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct History {
    /// The task.
    pub task: TaskNumber,
    /// Its name.
    pub name: String,
    /// What the agent is to do.
    pub instructions: String,
    /// Who wrote the instructions.
    pub author: Author,
    /// Every question with its answer, oldest first.
    pub exchanges: Vec<Exchange>,
    /// What the person said besides and an agent took, oldest first.
    pub words: Vec<String>,
    /// The last summary.
    pub summary: Option<String>,
    /// The last progress lines, oldest first.
    pub progress: Vec<String>,
    /// The branch that was delivered.
    pub branch: Option<String>,
}

/// Who wrote a task's instructions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Author {
    /// The person: references such as `@file` are meant.
    Person,
    /// An agent, through `spawn_subtask`.
    Agent,
}

impl History {
    /// Whether an agent worked on the task before.
    pub fn has_past(&self) -> bool {
        let said = !self.exchanges.is_empty() || !self.words.is_empty() || !self.progress.is_empty();
        said || self.summary.is_some() || self.branch.is_some()
    }
}

/// Opens the first conversation of a task, with what has come since it was queued.
pub fn fresh(history: &History, unsaid: &[Unsaid]) -> Message {
    let mut message = opening(history);
    if !unsaid.is_empty() {
        message.own("\ncallbox: this has come since the task was queued:\n\n");
        say(&mut message, unsaid);
        message.own(END_OF_MESSAGE).own("\n");
    }
    message.finish()
}

/// What is put behind a tool's result for the agent to hear while it works: callbox's own words first.
pub fn along(unsaid: &[Unsaid]) -> String {
    let mut text = format!("\n\n{CAME_MEANWHILE}\n");
    for item in unsaid {
        let mut message = MessageBuilder::default();
        say(&mut message, std::slice::from_ref(item));
        let _ = write!(text, "\n{}", message.finish().text(str::to_owned));
    }
    text
}

/// Goes on in the same conversation with everything in `unsaid`.
pub fn continued(unsaid: &[Unsaid]) -> Message {
    let mut message = MessageBuilder::default();
    if unsaid.is_empty() {
        message.own("callbox: this run was interrupted. Go on with the task where you stopped.\n");
    } else {
        message.own("callbox: your task goes on. This has happened since your last turn:\n\n");
        say(&mut message, unsaid);
        message.own("\nGo on with the task.\n");
    }
    message.own(END_OF_MESSAGE).own("\n");
    message.finish()
}

/// Where an agent works that is told everything again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Whereabouts {
    /// In the directory of the conversation that is gone.
    Kept,
    /// In another one.
    New,
}

/// Opens a new conversation for a task that has a past, because the old one or its directory is gone.
pub fn retold(history: &History, unsaid: &[Unsaid], whereabouts: Whereabouts) -> Message {
    let mut message = opening(history);
    message
        .own("\ncallbox: this task was begun before, in a conversation that is gone. What is known of it:\n");
    if let Some(branch) = &history.branch {
        message.own("- its work so far is on the branch ").foreign(branch).own("\n");
    }
    for line in &history.progress {
        message.own("- progress: ").foreign(line).own("\n");
    }
    if let Some(summary) = &history.summary {
        message.own("- summary of the work so far: ").foreign(summary).own("\n");
    }
    message.own(match whereabouts {
        Whereabouts::Kept => {
            "You work in the directory of that conversation; what was left there is still there.\n\n"
        }
        Whereabouts::New => "You work in a new directory; what was not delivered is not in it.\n\n",
    });
    for exchange in &history.exchanges {
        answer(&mut message, exchange);
    }
    for words in &history.words {
        message.own(FROM_PERSON).foreign(words).own("\n");
    }
    let rest: Vec<Unsaid> =
        unsaid.iter().filter(|item| !matches!(item, Unsaid::Answer(_))).cloned().collect();
    say(&mut message, &rest);
    message.own("\nGo on with the task.\n").own(END_OF_MESSAGE).own("\n");
    message.finish()
}

fn opening(history: &History) -> MessageBuilder {
    let mut message = MessageBuilder::default();
    let _ = write!(message.own_text(), "callbox: this is your task {} (", history.task);
    message.foreign(&history.name).own(").\n").own(INSTRUCTIONS).own("\n");
    match history.author {
        Author::Person => message.own(&history.instructions),
        Author::Agent => message.foreign(&history.instructions),
    };
    message.own("\n").own(END_OF_INSTRUCTIONS).own("\n");
    message
}

fn say(message: &mut MessageBuilder, unsaid: &[Unsaid]) {
    for item in unsaid {
        match item {
            Unsaid::Answer(exchange) => answer(message, exchange),
            Unsaid::Report { task, name, state, summary, branch } => {
                let _ = write!(message.own_text(), "Report of subtask {task} (");
                let _ = write!(message.foreign(name).own_text(), "): {state}.");
                if let Some(branch) = branch {
                    let _ = write!(message.own_text(), " Its work is on the branch {branch} of the project.");
                }
                if let Some(summary) = summary {
                    message.own(" Its summary: ").foreign(summary);
                }
                message.own("\n");
            }
            Unsaid::Rejection(comment) => {
                message.own("The person has looked at your work and does not accept it yet: ");
                message.foreign(comment).own("\n");
            }
            Unsaid::Verification { command, ended, tail } => {
                message.own("The command that decides about your work, `").foreign(command).own("`, ");
                message
                    .own(ended)
                    .own(". Mend what it found. The end of its output:\n")
                    .foreign(tail)
                    .own("\n");
            }
            Unsaid::Conflict(conflict) => clash(message, conflict),
            Unsaid::Reminder => {
                message.own(REMINDER);
            }
            Unsaid::Words(words) => {
                message.own(FROM_PERSON).foreign(words).own("\n");
            }
            Unsaid::WordsAgain(words) => {
                message.own("Message from the person, which a tool's result may have told you already: ");
                message.foreign(words).own("\n");
            }
        }
    }
}

fn clash(message: &mut MessageBuilder, conflict: &Conflict) {
    let Conflict { branch, commit, .. } = conflict;
    message.own("Your work cannot be merged into the branch ").foreign(branch);
    message.own(", which has moved on to the commit ").own(commit).own(": both changed ");
    message
        .foreign(&conflict.list())
        .own(". That commit is in your clone. Put your work on top of it (`git rebase ");
    message.own(commit).own("`, or a merge), keep what both sides meant, and end your turn.\n");
}

fn answer(message: &mut MessageBuilder, exchange: &Exchange) {
    let _ = write!(message.own_text(), "Answer to question {} (", exchange.ordinal);
    message.foreign(&exchange.question).own("): ").foreign(&exchange.answer).own("\n");
}

#[cfg(test)]
mod tests {
    use super::*;

    fn history() -> History {
        History {
            task: TaskNumber::new(12),
            name: "colours".to_owned(),
            instructions: "paint @it".to_owned(),
            author: Author::Person,
            exchanges: vec![Exchange {
                ordinal: 1,
                question: "Which?".to_owned(),
                answer: "@blue".to_owned(),
            }],
            words: Vec::new(),
            summary: None,
            progress: vec!["began".to_owned()],
            branch: None,
        }
    }

    #[test]
    fn every_message_begins_with_callboxs_own_words() {
        for message in [
            fresh(&history(), &[]),
            fresh(&history(), &[Unsaid::Words("/clear".to_owned())]),
            continued(&[Unsaid::Words("/clear".to_owned())]),
            continued(&[]),
            continued(&[Unsaid::Reminder]),
            retold(&history(), &[], Whereabouts::New),
        ] {
            assert!(message.text(str::to_owned).starts_with("callbox: "));
        }
    }

    #[test]
    fn only_the_persons_own_instructions_are_not_foreign() {
        let escaped = |text: &str| text.replace('@', "\\@");
        assert!(fresh(&history(), &[]).text(escaped).contains("paint @it"));
        let spawned = History { author: Author::Agent, ..history() };
        assert!(fresh(&spawned, &[]).text(escaped).contains("paint \\@it"));
        let answer = Unsaid::Answer(history().exchanges[0].clone());
        assert!(continued(&[answer]).text(escaped).contains("Answer to question 1 (Which?): \\@blue"));
    }

    #[test]
    fn what_was_said_before_the_first_run_stands_behind_its_instructions() {
        let text = fresh(&history(), &[Unsaid::Words("hurry".to_owned())]).text(str::to_owned);
        let (instructions, behind) = text.split_once(END_OF_INSTRUCTIONS).unwrap();
        assert!(instructions.contains("paint @it") && behind.contains("Message from the person: hurry"));
        assert!(!behind.contains("begun before"), "{behind}");
    }

    #[test]
    fn words_that_may_have_been_heard_are_said_again_as_such() {
        let text = continued(&[Unsaid::WordsAgain("hurry".to_owned())]).text(str::to_owned);
        assert!(text.contains("may have told you already: hurry"), "{text}");
    }

    #[test]
    fn a_task_told_again_carries_every_answer_and_says_that_the_directory_moved() {
        let history = History { words: vec!["in oil".to_owned()], ..history() };
        let hurry = [Unsaid::Words("hurry".to_owned())];
        let text = retold(&history, &hurry, Whereabouts::New).text(str::to_owned);
        let answer = "Answer to question 1 (Which?): @blue";
        for part in ["paint @it", answer, "person: in oil", "new directory", "hurry", "began"] {
            assert!(text.contains(part), "{part} is missing from {text}");
        }
        let kept = retold(&history, &hurry, Whereabouts::Kept).text(str::to_owned);
        assert!(kept.contains("is still there") && !kept.contains("new directory"), "{kept}");
    }
}
