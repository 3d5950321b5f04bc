//! Which foreseen answer fits a question. Pure.

use regex::Regex;

/// What a person foresaw.
#[derive(Debug, Clone, Default)]
pub struct Foreseen {
    /// In the order of the file: the first that fits counts.
    pub(super) rules: Vec<Rule>,
    /// For every other question, where the person wants one for these too.
    pub(super) default: Option<Reply>,
}

/// An answer and the questions it is for.
#[derive(Debug, Clone)]
pub(super) struct Rule {
    pub(super) asked: Asked,
    pub(super) reply: Reply,
}

/// Which questions.
#[derive(Debug, Clone)]
pub(super) enum Asked {
    /// The one of these words, however they are spaced.
    Words(String),
    /// Each in which this is found.
    Pattern(Regex),
}

/// What is answered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reply {
    /// In words.
    Text(String),
    /// The option at this place, from 1.
    Option(usize),
}

impl Foreseen {
    /// The answer of the first rule that fits `question`.
    pub fn reply(&self, question: &str) -> Option<&Reply> {
        self.rules.iter().find(|rule| rule.asked.fits(question)).map(|rule| &rule.reply)
    }

    /// The answer to questions that fit no rule, where the file has one.
    pub fn default_reply(&self) -> Option<&Reply> {
        self.default.as_ref()
    }
}

impl Asked {
    fn fits(&self, question: &str) -> bool {
        match self {
            Self::Words(words) => words.split_whitespace().eq(question.split_whitespace()),
            Self::Pattern(pattern) => pattern.is_match(question),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_rule_that_fits_answers_and_nothing_is_made_up() {
        let text = |text: &str| Reply::Text(text.to_owned());
        let foreseen = Foreseen {
            rules: vec![
                Rule { asked: Asked::Words("Which colour?".to_owned()), reply: text("blue") },
                Rule { asked: Asked::Pattern(Regex::new("(?i)colour").unwrap()), reply: Reply::Option(2) },
            ],
            default: Some(text("Decide yourself.")),
        };
        assert_eq!(foreseen.reply(" Which\ncolour? "), Some(&text("blue")));
        assert_eq!(foreseen.reply("Which COLOUR is it?"), Some(&Reply::Option(2)));
        assert_eq!(foreseen.reply("Which size?"), None);
        assert_eq!(foreseen.default_reply(), Some(&text("Decide yourself.")));
        assert_eq!(Foreseen::default().default_reply(), None);
    }
}
