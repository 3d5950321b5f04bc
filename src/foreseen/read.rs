//! An answers file from the disk.

use std::path::Path;

use regex::{Regex, RegexBuilder};

use super::answers::{Asked, Foreseen, Reply, Rule};
use crate::document::{
    Entry, Faults, FileError, Node, Value, entries, list, read_text, read_yaml, text, unknown, whole,
};

/// Rules of one file.
const MAX_RULES: usize = 1000;
/// Characters of a question or a pattern; a question has 4,000 at most.
const MAX_ASKED: usize = 4000;
/// Characters of an answer, as of one that is given by hand.
const MAX_ANSWER: usize = 20_000;
/// Bytes that one pattern may come to: it is matched in time that grows with the question alone.
const MAX_PATTERN: usize = 1 << 20;

const KEYS: [&str; 2] = ["answers", "default"];
const RULE_KEYS: [&str; 4] = ["question", "pattern", "answer", "option"];

/// Reads the answers file at `path` whole, or refuses it whole with everything that is wrong with it.
pub fn read(path: &Path) -> Result<Foreseen, FileError> {
    let wrong = |faults| FileError::Wrong { path: path.to_owned(), faults };
    let tree = read_yaml(&read_text(path)?, 1).map_err(wrong)?;
    let mut faults = Faults::default();
    let foreseen = foreseen(&tree, &mut faults);
    faults.into_result(foreseen).map_err(wrong)
}

fn foreseen(tree: &Node, faults: &mut Faults) -> Foreseen {
    let mut foreseen = Foreseen::default();
    for entry in entries(tree, "the file", faults).unwrap_or_default() {
        match entry.key.as_str() {
            "answers" => {
                let items = list(&entry.value, "answers", faults).unwrap_or_default();
                if items.len() > MAX_RULES {
                    faults.field(entry.line, "answers", format!("has more than {MAX_RULES} rules"));
                }
                foreseen.rules = items.iter().take(MAX_RULES).filter_map(|item| rule(item, faults)).collect();
            }
            "default" => foreseen.default = answer(&entry.value, "default", faults),
            _ => unknown(entry, "", KEYS, faults),
        }
    }
    foreseen
}

fn rule(item: &Node, faults: &mut Faults) -> Option<Rule> {
    let (mut asked, mut reply) = (Vec::new(), Vec::new());
    for entry in entries(item, "answers", faults)? {
        let field = format!("answers.{}", entry.key);
        match entry.key.as_str() {
            "question" => asked.push(words(entry, &field, faults).map(Asked::Words)),
            "pattern" => asked.push(pattern(entry, &field, faults).map(Asked::Pattern)),
            "answer" => reply.push(answer(&entry.value, &field, faults)),
            "option" => {
                let place = whole(&entry.value, &field, (1, 10), faults);
                reply.push(place.and_then(|place| usize::try_from(place).ok()).map(Reply::Option));
            }
            _ => unknown(entry, "answers", RULE_KEYS, faults),
        }
    }
    if asked.len() != 1 {
        faults.field(item.line, "answers", "needs for each answer either a `question` or a `pattern`");
    }
    if reply.len() != 1 {
        faults.field(item.line, "answers", "needs for each question either an `answer` or an `option`");
    }
    Some(Rule { asked: asked.pop()??, reply: reply.pop()?? })
}

fn words(entry: &Entry, field: &str, faults: &mut Faults) -> Option<String> {
    let words = text(&entry.value, field, faults)?;
    if words.trim().is_empty() || words.chars().count() > MAX_ASKED {
        faults.field(entry.line, field, format!("must have 1 to {MAX_ASKED} characters"));
        return None;
    }
    Some(words.to_owned())
}

fn pattern(entry: &Entry, field: &str, faults: &mut Faults) -> Option<Regex> {
    let words = words(entry, field, faults)?;
    match RegexBuilder::new(&words).size_limit(MAX_PATTERN).build() {
        Ok(pattern) => Some(pattern),
        Err(error) => {
            let reason = error.to_string();
            let reason = reason.lines().last().unwrap_or_default().trim_start_matches("error: ").to_owned();
            faults.field(entry.line, field, format!("is no regular expression: {reason}"));
            None
        }
    }
}

/// A number or a yes is an answer too: there is nothing else it could mean here.
fn answer(node: &Node, field: &str, faults: &mut Faults) -> Option<Reply> {
    let words = match &node.value {
        Value::Flag(_, written) | Value::Number(written) => written.as_str(),
        _ => text(node, field, faults)?,
    };
    if words.trim().is_empty() || words.chars().count() > MAX_ANSWER {
        faults.field(node.line, field, format!("must have 1 to {MAX_ANSWER} characters"));
        return None;
    }
    Some(Reply::Text(words.to_owned()))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn of(yaml: &str) -> Result<Foreseen, String> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.yaml");
        std::fs::write(&path, yaml).unwrap();
        read(&path).map_err(|error| error.to_string().replace(&path.display().to_string(), "a"))
    }

    #[test]
    fn a_file_says_by_words_or_pattern_what_is_answered() {
        let foreseen = of("answers:\n  - {question: 'Which colour?', answer: blue}\n  \
                           - {pattern: '^Deploy', option: 2}\n  - {question: Keep it?, answer: yes}\ndefault: 'Decide.'\n")
        .unwrap();
        assert_eq!(foreseen.reply("Which colour?"), Some(&Reply::Text("blue".to_owned())));
        assert_eq!(foreseen.reply("Deploy now?"), Some(&Reply::Option(2)));
        assert_eq!(foreseen.reply("Keep it?"), Some(&Reply::Text("yes".to_owned())));
        assert_eq!(foreseen.reply("Now deploy?"), None);
        assert_eq!(foreseen.default_reply(), Some(&Reply::Text("Decide.".to_owned())));
    }

    #[test]
    fn a_wrong_file_is_refused_whole_with_every_fault() {
        let faults = of("answers:\n  - {question: a}\n  - {pattern: '(', answer: b}\n  - {question: a, pattern: b, answer: c}\n  \
                         - {question: ' ', option: 11}\n  - {qestion: a, answer: ''}\nanswer: 1\n")
        .unwrap_err();
        for fault in [
            "a:2: `answers` needs for each question either an `answer` or an `option`",
            "a:3: `answers.pattern` is no regular expression: unclosed group",
            "a:4: `answers` needs for each answer either a `question` or a `pattern`",
            "a:5: `answers.question` must have 1 to 4000 characters",
            "a:5: `answers.option` must be a whole number from 1 to 10, not `11`",
            "a:6: `answers.qestion` is not known: did you mean `question`?",
            "a:6: `answers.answer` must have 1 to 20000 characters",
            "a:7: `answer` is not known: did you mean `answers`?",
        ] {
            assert!(faults.contains(fault), "no {fault:?} in\n{faults}");
        }
        assert!(of("- a").unwrap_err().contains("must be a map"));
    }

    #[test]
    fn a_pattern_that_would_take_too_much_room_is_refused() {
        let refused = of("answers: [{pattern: '(x{1000}){1000}', answer: a}]").unwrap_err();
        assert!(refused.contains("`answers.pattern` is no regular expression: "), "{refused}");
        let rules = "\n  - {question: a, answer: b}".repeat(MAX_RULES + 1);
        assert!(of(&format!("answers:{rules}\n")).unwrap_err().contains("has more than 1000 rules"));
    }

    proptest! {
        #[test]
        fn no_text_makes_the_reader_panic(text in "(answers:\n)?( *-? ?(question|pattern|answer|option|default):? ?\\PC{0,12}\n){0,6}") {
            let _ = of(&text);
        }
    }
}
