//! A command that starts agents, such as bubblewrap or a script: the words of its command line, behind
//! which the agent's own are put.

use serde::{Deserialize, Serialize};

/// Places of a run that stand in braces in a launcher's words.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// `{state}`: the state directory.
    State,
    /// `{sandbox}`: where the agent works.
    Sandbox,
    /// `{execution}`: the execution's own folder, with the configuration of its tools.
    Execution,
    /// `{tmp}`: its folder for temporary files.
    Tmp,
    /// `{agent}`: the folder of the agents' socket.
    Agent,
}

const PLACES: [(&str, Place); 5] = [
    ("{state}", Place::State),
    ("{sandbox}", Place::Sandbox),
    ("{execution}", Place::Execution),
    ("{tmp}", Place::Tmp),
    ("{agent}", Place::Agent),
];

/// A launcher's command line. Words end at blanks; quotes and backslashes are a shell's, and nothing else
/// is: no variable, no pattern, no second command.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Launcher {
    text: String,
    words: Vec<String>,
}

/// Why a text is no launcher's command line.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum LauncherError {
    /// There is no word in it.
    #[error("names no launcher")]
    Empty,
    /// A quote or a backslash at the end.
    #[error("ends within a quote")]
    Open,
    /// Braces around something else than a place.
    #[error(
        "holds `{{{0}}}`, which is none of `{{state}}`, `{{sandbox}}`, `{{execution}}`, `{{tmp}}` and `{{agent}}`"
    )]
    Unknown(String),
}

impl Launcher {
    /// Reads the command line `text`.
    pub fn parse(text: &str) -> Result<Self, LauncherError> {
        let words = split(text)?;
        if words.first().is_none_or(String::is_empty) {
            return Err(LauncherError::Empty);
        }
        words.iter().try_for_each(|word| known(word))?;
        Ok(Self { text: text.to_owned(), words })
    }

    /// The program: a path, or a name to be found on the PATH of the run.
    pub fn program(&self) -> &str {
        &self.words[0]
    }

    /// The words behind the program, with `place` for each in braces.
    pub fn arguments(&self, place: impl Fn(Place) -> String) -> Vec<String> {
        self.words[1..].iter().map(|word| filled(word, &place)).collect()
    }

    /// As it was written.
    pub fn as_str(&self) -> &str {
        &self.text
    }
}

impl TryFrom<String> for Launcher {
    type Error = LauncherError;

    fn try_from(text: String) -> Result<Self, LauncherError> {
        Self::parse(&text)
    }
}

impl From<Launcher> for String {
    fn from(launcher: Launcher) -> Self {
        launcher.text
    }
}

fn split(text: &str) -> Result<Vec<String>, LauncherError> {
    let (mut words, mut word, mut quote) = (Vec::new(), None::<String>, None);
    let mut letters = text.chars();
    while let Some(letter) = letters.next() {
        match (quote, letter) {
            (Some(open), letter) if letter == open => quote = None,
            (None, '\'' | '"') => {
                quote = Some(letter);
                word.get_or_insert_default();
            }
            (None | Some('"'), '\\') => {
                word.get_or_insert_default().push(letters.next().ok_or(LauncherError::Open)?);
            }
            (None, letter) if letter.is_whitespace() => words.extend(word.take()),
            (_, letter) => word.get_or_insert_default().push(letter),
        }
    }
    words.extend(word);
    if quote.is_some() { Err(LauncherError::Open) } else { Ok(words) }
}

/// From the left, so that a path with braces in it is left as it is.
fn filled(word: &str, place: &impl Fn(Place) -> String) -> String {
    let (mut full, mut rest) = (String::new(), word);
    while let Some(at) = rest.find('{') {
        full.push_str(&rest[..at]);
        rest = &rest[at..];
        if let Some((name, which)) = PLACES.iter().find(|(name, _)| rest.starts_with(name)) {
            full.push_str(&place(*which));
            rest = &rest[name.len()..];
        } else {
            full.push('{');
            rest = &rest[1..];
        }
    }
    full + rest
}

/// A place that is misspelled would else be taken for a name.
fn known(word: &str) -> Result<(), LauncherError> {
    let rest = PLACES.iter().fold(word.to_owned(), |word, (name, _)| word.replace(name, ""));
    let braced = rest.split_once('{').and_then(|(_, rest)| rest.split_once('}'));
    braced.map_or(Ok(()), |(name, _)| Err(LauncherError::Unknown(name.to_owned())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_end_at_blanks_unless_they_are_quoted() {
        let launcher = Launcher::parse(r#" run  --a='b c' "d \" e" f\ g '' "#).unwrap();
        assert_eq!(launcher.program(), "run");
        assert_eq!(launcher.arguments(|_| String::new()), ["--a=b c", "d \" e", "f g", ""]);
    }

    #[test]
    fn places_are_filled_wherever_they_stand_in_a_word_and_not_within_each_other() {
        let launcher = Launcher::parse("x --bind={sandbox}:{sandbox} {tmp}").unwrap();
        let place = |place| if place == Place::Sandbox { "/a b/{tmp}" } else { "/tmp" }.to_owned();
        assert_eq!(launcher.arguments(place), ["--bind=/a b/{tmp}:/a b/{tmp}", "/tmp"]);
    }

    #[test]
    fn what_is_no_command_line_is_refused_with_its_reason() {
        for (text, error) in [
            ("", LauncherError::Empty),
            ("  ", LauncherError::Empty),
            ("'' x", LauncherError::Empty),
            ("x 'y", LauncherError::Open),
            ("x \\", LauncherError::Open),
            ("x {sandbx}", LauncherError::Unknown("sandbx".to_owned())),
        ] {
            assert_eq!(Launcher::parse(text), Err(error), "{text}");
        }
    }

    #[test]
    fn its_serial_form_is_what_was_written() {
        let launcher = Launcher::parse("x 'y  z'").unwrap();
        assert_eq!(serde_json::to_string(&launcher).unwrap(), r#""x 'y  z'""#);
        assert_eq!(serde_json::from_str::<Launcher>(r#""x 'y  z'""#).unwrap(), launcher);
        assert!(serde_json::from_str::<Launcher>(r#""x 'y""#).is_err());
    }
}
