//! What ends a command early: a kind that decides the exit status, a chain of reasons, and hints.

use std::{error::Error, fmt, io};

use super::{exit::ExitStatus, sanitise};
use crate::{
    protocol::error::{ApiError, ErrorCode},
    vocabulary::{Shortage, with_sources},
};

/// Why a command ended without doing what it was asked.
#[derive(Debug)]
pub(crate) struct CliError {
    kind: ErrorKind,
    error: Box<dyn Error + Send + Sync>,
    hints: Vec<String>,
}

/// The hint to what nobody has a better one for.
const LOOK: &str = "`callbox doctor` looks at all that callbox needs";

/// Something that the system refuses.
#[derive(Debug, thiserror::Error)]
#[error("{what}")]
struct Lacking {
    what: String,
    source: io::Error,
}

/// What kind of reason it was; each has its exit status.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ErrorKind {
    /// The command line or a task file is wrong; nothing was done.
    Usage,
    /// The store or a rule of callbox refuses.
    Refused,
    /// The store, an agent program, a login, a project or a sandbox is not to be had.
    Unavailable,
    /// A fault of callbox.
    Internal,
    /// Whoever read our output has seen enough, as `callbox ls | head` does: no failure at all.
    BrokenPipe,
}

impl CliError {
    /// An error of `kind`; `error` is a sentence or an error whose chain is printed. Where the machine has run out
    /// of something, it says what to do about that.
    pub(crate) fn new(kind: ErrorKind, error: impl Into<Box<dyn Error + Send + Sync>>) -> Self {
        let error = error.into();
        let told = || match kind {
            // What is not to be had for want of something may be so for another program, which says it in words alone.
            ErrorKind::Unavailable => Shortage::told_by(&with_sources(&*error)),
            ErrorKind::Usage | ErrorKind::Refused | ErrorKind::Internal | ErrorKind::BrokenPipe => None,
        };
        let shortage = Shortage::behind(&*error).or_else(told);
        let hints = shortage.map(|shortage| shortage.hint().to_owned());
        Self { kind, error, hints: hints.into_iter().collect() }
    }

    /// Wrong usage.
    pub(crate) fn usage(error: impl Into<Box<dyn Error + Send + Sync>>) -> Self {
        Self::new(ErrorKind::Usage, error)
    }

    /// Something a run needs is not to be had.
    pub(crate) fn unavailable(error: impl Into<Box<dyn Error + Send + Sync>>) -> Self {
        Self::new(ErrorKind::Unavailable, error)
    }

    /// What a command needs of the system is not to be had; `what` cannot be done for it.
    pub(crate) fn lacking(what: &str, error: io::Error) -> Self {
        Self::unavailable(Lacking { what: what.to_owned(), source: error })
    }

    /// The same error with what to do about it.
    pub(crate) fn hinted(mut self, hint: impl Into<String>) -> Self {
        self.hints.push(hint.into());
        self
    }

    /// The kind of reason.
    pub(crate) fn kind(&self) -> ErrorKind {
        self.kind
    }

    /// The sentence and its chain on one line, for a list of findings.
    pub(crate) fn sentence(&self) -> String {
        with_sources(&*self.error)
    }

    /// What to do about it. Where something is not to be had there is always a way to find out what.
    pub(crate) fn hints(&self) -> Vec<&str> {
        match self.kind {
            ErrorKind::Unavailable if self.hints.is_empty() => vec![LOOK],
            _ => self.hints.iter().map(String::as_str).collect(),
        }
    }

    /// The exit status this error ends the program with.
    pub(crate) fn status(&self) -> ExitStatus {
        match self.kind {
            ErrorKind::Usage => ExitStatus::Usage,
            ErrorKind::Refused => ExitStatus::Failed,
            ErrorKind::Unavailable => ExitStatus::Unavailable,
            ErrorKind::Internal => ExitStatus::Internal,
            ErrorKind::BrokenPipe => ExitStatus::Success,
        }
    }
}

/// The whole text for a person: the sentence, the chain, a blank line, the hints. Sanitised, since
/// names in it come from files, agents and providers.
impl fmt::Display for CliError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "error: {}", sanitise::text(&self.error.to_string()))?;
        let mut cause = self.error.source();
        while let Some(error) = cause {
            writeln!(f, "  because: {}", sanitise::text(&error.to_string()))?;
            cause = error.source();
        }
        for (place, hint) in self.hints().into_iter().enumerate() {
            let gap = if place == 0 { "\n" } else { "" };
            writeln!(f, "{gap}hint: {}", sanitise::text(hint))?;
        }
        Ok(())
    }
}

impl From<ApiError> for CliError {
    fn from(refusal: ApiError) -> Self {
        let kind = match refusal.code {
            ErrorCode::Invalid | ErrorCode::TooLarge => ErrorKind::Usage,
            ErrorCode::ForbiddenPeer
            | ErrorCode::ForbiddenOrigin
            | ErrorCode::NotFound
            | ErrorCode::CapReached
            | ErrorCode::Refused
            | ErrorCode::Conflict
            | ErrorCode::Unauthorized
            | ErrorCode::Revoked => ErrorKind::Refused,
            ErrorCode::Version | ErrorCode::Stopping | ErrorCode::Storage | ErrorCode::Exhausted => {
                ErrorKind::Unavailable
            }
            ErrorCode::Internal => ErrorKind::Internal,
        };
        let hint = refusal.hint.clone();
        let error = Self::new(kind, refusal);
        match hint {
            Some(hint) => error.hinted(hint),
            None => error,
        }
    }
}

/// For writing our output; errors of other files are given their context where they happen.
impl From<io::Error> for CliError {
    fn from(error: io::Error) -> Self {
        let kind = match error.kind() {
            io::ErrorKind::BrokenPipe => ErrorKind::BrokenPipe,
            _ => ErrorKind::Unavailable,
        };
        Self::new(kind, error)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, thiserror::Error)]
    #[error("project `/x` cannot be read")]
    struct Outer(#[source] io::Error);

    #[test]
    fn an_error_prints_its_sentence_its_chain_and_its_hints() {
        let inner = io::Error::new(io::ErrorKind::PermissionDenied, "permission denied");
        let error = CliError::unavailable(Outer(inner)).hinted("make it readable").hinted("or name another");
        insta::assert_snapshot!(error.to_string(), @"
        error: project `/x` cannot be read
          because: permission denied

        hint: make it readable
        hint: or name another
        ");
    }

    #[test]
    fn whatever_is_not_to_be_had_comes_with_a_hint_also_where_another_program_says_why() {
        let failed = "`git fetch` failed: fatal: unable to create thread: Resource temporarily unavailable";
        let error = CliError::unavailable(failed);
        assert_eq!(error.hints(), [Shortage::Processes.hint()]);
        assert!(
            CliError::unavailable("gone")
                .to_string()
                .ends_with("\nhint: `callbox doctor` looks at all that callbox needs\n")
        );
        assert_eq!(CliError::unavailable("gone").hinted("look there").hints(), ["look there"]);
        // Whatever a refusal quotes.
        assert!(CliError::new(ErrorKind::Refused, failed).hints().is_empty());
    }

    #[test]
    fn an_error_that_quotes_hostile_text_prints_harmlessly() {
        let error = CliError::usage("no agent `\u{1b}[2J`").hinted("not \u{9b}2J");
        assert!(!error.to_string().chars().any(|letter| letter.is_control() && letter != '\n'));
    }

    #[test]
    fn whoever_stops_reading_our_output_makes_no_failure() {
        let error = CliError::from(io::Error::from(io::ErrorKind::BrokenPipe));
        assert_eq!(error.status(), ExitStatus::Success);
    }

    #[test]
    fn the_reference_says_what_each_refusal_of_the_store_ends_a_command_with() {
        let page = include_str!("../../REFERENCE.md");
        let table = page.split("### Codes of the store").nth(1).unwrap().split("\n#").next().unwrap();
        let rows: Vec<&str> = table.lines().filter(|line| line.starts_with("| `")).collect();
        assert!(!rows.is_empty());
        for row in rows {
            let cells: Vec<&str> = row.split('|').map(|cell| cell.trim().trim_matches('`')).collect();
            let code: ErrorCode = serde_json::from_value(cells[1].into()).unwrap();
            let status = CliError::from(ApiError::new(code, "no")).status().code();
            assert_eq!(status.to_string(), cells[3], "{}", cells[1]);
        }
    }

    #[test]
    fn a_refusal_of_the_store_keeps_its_hint_and_exits_with_1() {
        let error = CliError::from(
            ApiError::new(ErrorCode::Refused, "task `t1` has ended").hinted("see `callbox show t1`"),
        );
        assert_eq!(error.status(), ExitStatus::Failed);
        assert!(error.to_string().ends_with("\n\nhint: see `callbox show t1`\n"));
    }
}
