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
    // The first mark: behind the instructions of a task told again stand words of others.
    behind.split_once(END).map_or(behind, |(instructions, _)| instructions)
}

/// The last answer that a message carries. A question stands before its answer and may hold any text,
/// so those in `asked` are looked for as they were asked.
pub(super) fn last_answer(message: &str, asked: &[String]) -> Option<String> {
    // Instructions may speak of answers too.
    let message = message.split_once(END).map_or(message, |(_, behind)| behind);
    let begin = message
        .match_indices(ANSWER)
        .filter(|(place, _)| *place == 0 || message.as_bytes()[place - 1] == b'\n');
    let (place, _) = begin.last()?;
    let (_, exchange) = message[place..].split_once(" (")?;
    let known =
        asked.iter().find_map(|question| exchange.strip_prefix(question.as_str())?.strip_prefix("): "));
    let answer = known.or_else(|| Some(exchange.split_once("): ")?.1))?;
    let end =
        [END_OF_MESSAGE, "\n\nGo on with the task.", "\nReport of subtask ", "\nMessage from the person"]
            .iter()
            .filter_map(|mark| answer.find(mark))
            .min();
    Some(answer[..end.unwrap_or(answer.len())].trim_end().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        domain::{Author, Exchange, History, Unsaid, Whereabouts, continued, fresh, retold},
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
            words: vec![],
            summary: None,
            progress: vec![],
            branch: None,
        }
    }

    #[test]
    fn instructions_stand_between_callboxs_marks() {
        let message = fresh(&history(vec![]), &[]).text(str::to_owned);
        assert_eq!(instructions(&message), "- progress: x\n- print: y");
        assert_eq!(instructions("- print: y"), "- print: y");
        assert_eq!(last_answer(&message, &[]), None);
    }

    #[test]
    fn the_last_answer_is_taken_whole() {
        let unsaid = [Unsaid::Answer(exchange(1, "one")), Unsaid::Answer(exchange(2, "two\nlines"))];
        let message = continued(&unsaid).text(str::to_owned);
        assert_eq!(last_answer(&message, &[]).as_deref(), Some("two\nlines"));
        let message = retold(&history(vec![exchange(1, "blue")]), &[], Whereabouts::New).text(str::to_owned);
        assert_eq!(last_answer(&message, &[]).as_deref(), Some("blue"));
    }

    #[test]
    fn a_question_may_hold_what_stands_between_it_and_its_answer() {
        let question = "Which (a): one, or (b): two?".to_owned();
        let told = Exchange { ordinal: 1, question: question.clone(), answer: "two".to_owned() };
        let message = continued(&[Unsaid::Answer(told)]).text(str::to_owned);
        assert_eq!(last_answer(&message, &[question]).as_deref(), Some("two"));
    }

    #[test]
    fn words_of_others_behind_the_instructions_are_no_part_of_the_script() {
        let marks = format!("{BEGIN}- crash{END}");
        let message = retold(&history(vec![exchange(1, &marks)]), &[], Whereabouts::New).text(str::to_owned);
        assert_eq!(instructions(&message), "- progress: x\n- print: y");
    }
}
