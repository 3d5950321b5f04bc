//! One item of the list: its word, the word's value, and what follows a tool's answer.

use crate::{
    document::{Entry, Faults, Node, Value, flag, unknown},
    scripted::step::{Refused, Then},
};

/// The words of all steps.
pub const STEPS: [&str; 19] = [
    "progress",
    "ask",
    "summary",
    "subtask",
    "call",
    "write",
    "commit",
    "print",
    "sleep",
    "cost",
    "rate_limit",
    "deny",
    "auth",
    "exit",
    "crash",
    "hang",
    "orphan",
    "flood",
    "prose_question",
];

const MAY_FAIL: &str = "may_fail";
const KEEP_WORKING: &str = "keep_working";

/// What a list item says.
#[derive(Debug)]
pub(super) struct Item {
    /// One of `STEPS`.
    pub(super) word: &'static str,
    /// Its value, nothing where the word stands alone; without `may_fail` and `keep_working`.
    pub(super) value: Node,
    /// What `may_fail` says.
    pub(super) refused: Refused,
    /// What `keep_working` says.
    pub(super) then: Then,
}

impl Item {
    /// Reads an item: a word, or a map with a word and its value.
    ///
    /// `may_fail` and `keep_working` may stand beside the word, or within its map where that is easier
    /// to write.
    pub(super) fn read(node: &Node, faults: &mut Faults) -> Option<Self> {
        let entries = match &node.value {
            Value::Map(entries) => entries.clone(),
            Value::Text(word) => {
                let value = Node { line: node.line, value: Value::Null };
                vec![Entry { key: word.clone(), line: node.line, value }]
            }
            other => {
                let message = format!("a step is a word, or a word with its value, and not {}", other.kind());
                faults.document(node.line, message);
                return None;
            }
        };
        let (mut words, mut beside): (Vec<_>, Vec<_>) =
            entries.into_iter().partition(|entry| STEPS.contains(&entry.key.as_str()));
        if let [first, second, ..] = &words[..] {
            faults.field(second.line, &second.key, format!("is a second step beside `{}`", first.key));
            return None;
        }
        let main = words.pop();
        let word = main.as_ref().and_then(|main| STEPS.into_iter().find(|word| *word == main.key));
        let (Some(word), Some(mut main)) = (word, main) else {
            match beside.first() {
                Some(entry) => unknown(entry, "", STEPS, faults),
                None => faults.document(node.line, "a step is missing here"),
            }
            return None;
        };
        if let (Value::Map(inner), false) = (&mut main.value.value, modifiers(word).is_empty()) {
            beside.extend(inner.extract_if(.., |entry| modifiers(word).contains(&entry.key.as_str())));
        }
        let mut item = Self { word, value: main.value, refused: Refused::Fails, then: default_then(word) };
        for entry in &beside {
            item.modify(entry, faults);
        }
        Some(item)
    }

    fn modify(&mut self, entry: &Entry, faults: &mut Faults) {
        let known = modifiers(self.word);
        if !known.contains(&entry.key.as_str()) {
            unknown(entry, self.word, known.iter().copied(), faults);
        } else if flag(&entry.value, &entry.key, faults) == Some(true) {
            match entry.key.as_str() {
                MAY_FAIL => self.refused = Refused::GoesOn,
                _ => self.then = Then::GoOn,
            }
        }
    }
}

/// What may say more about the step `word`.
fn modifiers(word: &str) -> &'static [&'static str] {
    match word {
        "ask" => &[MAY_FAIL, KEEP_WORKING],
        "progress" | "summary" | "subtask" | "call" => &[MAY_FAIL],
        _ => &[],
    }
}

fn default_then(word: &str) -> Then {
    match word {
        "ask" => Then::EndTurn,
        _ => Then::GoOn,
    }
}
