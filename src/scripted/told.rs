//! What callbox tells the scripted agent, and how its words are read.

use std::path::PathBuf;

use serde::Deserialize;

/// The document on standard input.
#[derive(Debug, Deserialize)]
pub(super) struct Told {
    /// The conversation's id.
    pub(super) session: String,
    /// Whether it goes on.
    pub(super) resume: bool,
    /// The whole message.
    pub(super) message: String,
    /// Where the conversation is kept; absolute.
    pub(super) session_file: PathBuf,
    /// The MCP configuration; absolute.
    pub(super) mcp_config: PathBuf,
}

const BEGIN: &str = "----- instructions -----\n";
const END: &str = "\n----- end of instructions -----";
const END_OF_MESSAGE: &str = "\n----- end of message -----";
const ANSWER: &str = "Answer to question ";

/// The instructions within a first message; all of it where no marks are.
pub(super) fn instructions(message: &str) -> &str {
    let behind = message.split_once(BEGIN).map_or(message, |(_, behind)| behind);
    behind.rsplit_once(END).map_or(behind, |(instructions, _)| instructions)
}

/// The last answer that a message carries.
pub(super) fn last_answer(message: &str) -> Option<String> {
    // Instructions may speak of answers too.
    let message = message.rsplit_once(END).map_or(message, |(_, behind)| behind);
    let begin = message
        .match_indices(ANSWER)
        .filter(|(place, _)| *place == 0 || message.as_bytes()[place - 1] == b'\n');
    let (place, _) = begin.last()?;
    let (_, answer) = message[place..].split_once("): ")?;
    let end =
        [END_OF_MESSAGE, "\n\nGo on with the task.", "\nReport of subtask ", "\nMessage from the person: "]
            .iter()
            .filter_map(|mark| answer.find(mark))
            .min();
    Some(answer[..end.unwrap_or(answer.len())].trim_end().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        domain::{Author, Exchange, History, Unsaid, continued, fresh, retold},
        ids::TaskNumber,
    };

    fn exchange(ordinal: u32, answer: &str) -> Exchange {
        Exchange { ordinal, question: format!("Question {ordinal}?"), answer: answer.to_owned() }
    }

    fn history(exchanges: Vec<Exchange>) -> History {
        History {
            task: TaskNumber::new(1),
            name: "name".into(),
            instructions: "- progress: x\n- print: y".into(),
            author: Author::Person,
            exchanges,
            summary: None,
            progress: vec![],
            branch: None,
        }
    }

    #[test]
    fn instructions_stand_between_callboxs_marks() {
        let message = fresh(&history(vec![])).text(str::to_owned);
        assert_eq!(instructions(&message), "- progress: x\n- print: y");
        assert_eq!(instructions("- print: y"), "- print: y");
        assert_eq!(last_answer(&message), None);
    }

    #[test]
    fn the_last_answer_is_taken_whole() {
        let unsaid = [Unsaid::Answer(exchange(1, "one")), Unsaid::Answer(exchange(2, "two\nlines"))];
        let message = continued(&unsaid).text(str::to_owned);
        assert_eq!(last_answer(&message).as_deref(), Some("two\nlines"));
        let message = retold(&history(vec![exchange(1, "blue")]), &[]).text(str::to_owned);
        assert_eq!(last_answer(&message).as_deref(), Some("blue"));
    }
}
