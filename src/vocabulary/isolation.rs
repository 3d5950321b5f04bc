//! What a task asks to have its agents held by, and what they were held by.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::launcher::{Launcher, LauncherError};

/// What a task asks for; its serial form is a word, or the launcher's command line.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum IsolationChoice {
    /// Landlock where the kernel has it; where it has not, nothing, and that is said.
    #[default]
    Auto,
    /// Nothing.
    None,
    /// Landlock with all that callbox asks of it, or no run.
    Landlock,
    /// A launcher of the person's.
    Command(Launcher),
}

impl IsolationChoice {
    /// Reads a word or a launcher's command line.
    pub fn parse(text: &str) -> Result<Self, LauncherError> {
        Ok(match text {
            "auto" => Self::Auto,
            "none" => Self::None,
            "landlock" => Self::Landlock,
            command => Self::Command(Launcher::parse(command)?),
        })
    }

    /// As it was written.
    pub fn as_str(&self) -> &str {
        match self {
            Self::Auto => "auto",
            Self::None => "none",
            Self::Landlock => "landlock",
            Self::Command(launcher) => launcher.as_str(),
        }
    }
}

impl TryFrom<String> for IsolationChoice {
    type Error = LauncherError;

    fn try_from(text: String) -> Result<Self, LauncherError> {
        Self::parse(&text)
    }
}

impl From<IsolationChoice> for String {
    fn from(choice: IsolationChoice) -> Self {
        choice.as_str().to_owned()
    }
}

/// What the agent of an execution is held by.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Isolation {
    /// Nothing.
    None,
    /// Landlock.
    Landlock {
        /// How much of it the kernel has: the version of its interface, from 1.
        abi: u32,
    },
    /// A launcher; what it holds back is its own.
    Command {
        /// Its command line, places unfilled.
        command: Launcher,
    },
}

impl Isolation {
    /// Whether something is to hold the agent to its own process tree and places.
    pub fn isolates(&self) -> bool {
        match self {
            Self::None => false,
            Self::Landlock { .. } | Self::Command { .. } => true,
        }
    }
}

impl fmt::Display for Isolation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::None => f.write_str("no isolation"),
            Self::Landlock { abi } => write!(f, "isolation by Landlock (ABI {abi})"),
            Self::Command { command } => write!(f, "isolation by `{}`", command.as_str()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_choice_is_one_of_three_words_or_a_command_line() {
        for word in ["auto", "none", "landlock"] {
            let choice = IsolationChoice::parse(word).unwrap();
            assert!(!matches!(choice, IsolationChoice::Command(_)), "{choice:?}");
            assert_eq!(choice.as_str(), word);
        }
        let choice = IsolationChoice::parse("bwrap --ro-bind / /").unwrap();
        assert!(matches!(&choice, IsolationChoice::Command(launcher) if launcher.program() == "bwrap"));
        assert_eq!(serde_json::to_string(&choice).unwrap(), r#""bwrap --ro-bind / /""#);
        assert_eq!(serde_json::from_str::<IsolationChoice>(r#""auto""#).unwrap(), IsolationChoice::Auto);
        assert!(IsolationChoice::parse("").is_err());
    }
}
