//! What a shim was started for. Read without clap, which would double its size.

use std::ffi::OsString;

use super::{
    ask_name::{AskName, BadAskName},
    foreign_name::foreign_name,
};

/// What `--help` prints.
pub(super) const HELP: &str = "\
callbox-mcp: the MCP server through which an agent speaks to the person in charge of its task

usage: callbox-mcp [--ask-as NAME]    serve MCP on standard input and output
       callbox-mcp call TOOL JSON     make one call with the arguments JSON (`-`: from standard input)
       callbox-mcp --version | --help

tools: ask_user, record_progress, report_summary, spawn_subtask

  --ask-as NAME   offer `ask_user` under another name

environment:
  CALLBOX_SOCKET      the store's socket
  CALLBOX_TOKEN       the secret of the run that the agent belongs to
  CALLBOX_EXECUTION   the number of that run, for whoever looks at this process
  CALLBOX_TOOL_LIMIT  seconds after which the agent gives a call up

`call` exits with 0 and prints the tool's result, 1 and says why it was not recorded, 2 on wrong usage.
";

/// What is to be done.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Wish {
    /// Serve MCP.
    Serve(AskName),
    /// Make one call.
    Call {
        /// The tool's name.
        tool: String,
        /// Where its arguments are.
        arguments: Source,
    },
    /// Print the version.
    Version,
    /// Print the help.
    Help,
}

/// Where the arguments of a call are.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Source {
    /// Here.
    Given(String),
    /// On standard input.
    Stdin,
}

/// A command line that says nothing known.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum UsageError {
    /// A word that has no meaning here.
    #[error("`{0}` is not understood")]
    Unknown(String),
    /// `--ask-as` without a name.
    #[error("`--ask-as` needs a name")]
    NoAskName,
    /// `--ask-as` with a name that cannot be.
    #[error("`--ask-as {0}`: {BadAskName}")]
    AskName(String),
    /// `call` without its two words.
    #[error("`call` needs a tool and its arguments as JSON")]
    Call,
    /// An argument that is no UTF-8.
    #[error("the command line is no UTF-8")]
    NotText,
}

impl Wish {
    /// Reads the arguments behind the program's name.
    pub(super) fn read(arguments: impl Iterator<Item = OsString>) -> Result<Self, UsageError> {
        let texts: Result<Vec<String>, _> = arguments.map(OsString::into_string).collect();
        let texts = texts.map_err(|_| UsageError::NotText)?;
        let words: Vec<&str> = texts.iter().map(String::as_str).collect();
        match words.as_slice() {
            [] => Ok(Self::Serve(AskName::default())),
            ["--ask-as"] => Err(UsageError::NoAskName),
            ["--ask-as", name] => serve_as(name),
            ["--version" | "-V"] => Ok(Self::Version),
            ["--help" | "-h"] => Ok(Self::Help),
            ["call", tool, "-"] => Ok(Self::Call { tool: (*tool).to_owned(), arguments: Source::Stdin }),
            ["call", tool, json] => {
                Ok(Self::Call { tool: (*tool).to_owned(), arguments: Source::Given((*json).to_owned()) })
            }
            ["call", ..] => Err(UsageError::Call),
            ["--ask-as", _, stranger, ..] => Err(unknown(stranger)),
            [word] => match word.strip_prefix("--ask-as=") {
                Some(name) => serve_as(name),
                None => Err(unknown(word)),
            },
            [word, ..] => Err(unknown(word)),
        }
    }
}

fn serve_as(name: &str) -> Result<Wish, UsageError> {
    name.parse().map(Wish::Serve).map_err(|BadAskName| UsageError::AskName(foreign_name(name)))
}

fn unknown(word: &str) -> UsageError {
    UsageError::Unknown(foreign_name(word))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(words: &[&str]) -> Result<Wish, UsageError> {
        Wish::read(words.iter().map(OsString::from))
    }

    #[test]
    fn without_a_word_it_serves() {
        assert_eq!(read(&[]), Ok(Wish::Serve(AskName::default())));
        let human = Wish::Serve("ask_human".parse().unwrap());
        assert_eq!(read(&["--ask-as", "ask_human"]), Ok(human));
        let human = Wish::Serve("ask_human".parse().unwrap());
        assert_eq!(read(&["--ask-as=ask_human"]), Ok(human));
    }

    #[test]
    fn a_call_has_a_tool_and_its_arguments() {
        let given = Wish::Call { tool: "x".to_owned(), arguments: Source::Given("{}".to_owned()) };
        assert_eq!(read(&["call", "x", "{}"]), Ok(given));
        let stdin = Wish::Call { tool: "x".to_owned(), arguments: Source::Stdin };
        assert_eq!(read(&["call", "x", "-"]), Ok(stdin));
        for words in [&["call"][..], &["call", "x"], &["call", "x", "{}", "y"]] {
            assert_eq!(read(words), Err(UsageError::Call));
        }
    }

    #[test]
    fn what_is_not_understood_is_named() {
        assert_eq!(read(&["--verbose"]), Err(UsageError::Unknown("--verbose".to_owned())));
        assert_eq!(read(&["serve", "x"]), Err(UsageError::Unknown("serve".to_owned())));
        assert_eq!(read(&["--ask-as", "a", "b"]), Err(UsageError::Unknown("b".to_owned())));
        assert_eq!(read(&["--ask-as"]), Err(UsageError::NoAskName));
        assert_eq!(read(&["--ask-as", "a b"]), Err(UsageError::AskName("a b".to_owned())));
    }
}
