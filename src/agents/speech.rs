//! What the model says, which comes in parts that end anywhere.

use super::{Read, shorten::cut};

/// How much is kept of an agent's last words, in characters.
const WORDS: usize = 20_000;

/// The longest line of it that is held back, in bytes.
const LINE: usize = 8000;

/// What was said since the last call of a tool, and what of it is not shown yet.
#[derive(Debug, Default)]
pub(super) struct Speech {
    words: String,
    held: String,
    over: bool,
}

impl Speech {
    /// Adds `part`; returns the lines that are whole now.
    pub(super) fn add(&mut self, part: &str) -> Vec<Read> {
        if std::mem::take(&mut self.over) {
            self.words.clear();
        }
        if self.words.len() <= 4 * WORDS {
            self.words.push_str(part);
        }
        self.held.push_str(part);
        let end = match self.held.rfind('\n') {
            Some(end) => end,
            None if self.held.len() > LINE => self.held.len(),
            None => return Vec::new(),
        };
        let rest = self.held.get(end + 1..).unwrap_or_default().to_owned();
        self.held.truncate(end);
        let whole = std::mem::replace(&mut self.held, rest);
        vec![Read::Text(whole)]
    }

    /// The model has said what it had to say for now; returns what was held back of it.
    pub(super) fn end(&mut self) -> Option<Read> {
        self.over = true;
        let rest = std::mem::take(&mut self.held);
        (!rest.trim().is_empty()).then_some(Read::Text(rest))
    }

    /// The last words.
    pub(super) fn into_words(self) -> Option<String> {
        let words = self.words.trim();
        (!words.is_empty()).then(|| cut(words, WORDS))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_comes_in_parts_is_shown_by_lines_and_the_last_words_are_those_since_the_last_call() {
        let mut speech = Speech::default();
        assert_eq!(speech.add("I loo"), []);
        assert_eq!(speech.add("k.\nFirst\nthe"), [Read::Text("I look.\nFirst".to_owned())]);
        assert_eq!(speech.end(), Some(Read::Text("the".to_owned())));
        assert_eq!(speech.end(), None);
        assert_eq!(speech.add("Do"), []);
        assert_eq!(speech.add("ne."), []);
        assert_eq!(speech.end(), Some(Read::Text("Done.".to_owned())));
        assert_eq!(speech.into_words().as_deref(), Some("Done."));
    }

    #[test]
    fn nothing_is_held_back_without_limit() {
        let mut speech = Speech::default();
        for _ in 0..100 {
            speech.add(&"ä".repeat(10_000));
            assert!(speech.held.len() <= LINE + 20_000 && speech.words.len() <= 4 * WORDS + 20_000);
        }
        assert_eq!(speech.into_words().unwrap().chars().count(), WORDS + 1);
    }
}
