//! What one check found.

use serde::Serialize;

use crate::cli::{
    render::{Tone, paint},
    sanitise,
};

/// One line of the doctor's answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(crate) struct Finding {
    /// What was looked at, such as `store`.
    pub(crate) check: String,
    /// How good it is.
    pub(crate) level: Level,
    /// What was found.
    pub(crate) message: String,
    /// What to do about it.
    pub(crate) hint: Option<String>,
}

/// How good something is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Level {
    /// It works.
    Ok,
    /// It works, or is needed by some tasks only; a person should know.
    Warn,
    /// It does not work and nothing runs without it, or it does not do what callbox relies on.
    Fail,
}

impl Finding {
    /// It works.
    pub(crate) fn ok(check: &str, message: impl Into<String>) -> Self {
        Self { check: check.to_owned(), level: Level::Ok, message: message.into(), hint: None }
    }

    /// A person should know.
    pub(crate) fn warn(check: &str, message: impl Into<String>, hint: impl Into<String>) -> Self {
        Self { level: Level::Warn, hint: Some(hint.into()), ..Self::ok(check, message) }
    }

    /// It does not work.
    pub(crate) fn fail(check: &str, message: impl Into<String>, hint: impl Into<String>) -> Self {
        Self { level: Level::Fail, hint: Some(hint.into()), ..Self::ok(check, message) }
    }
}

/// All findings, one a line with what to do below it.
pub(crate) fn findings(findings: &[Finding]) -> String {
    let width = findings.iter().map(|finding| finding.check.chars().count()).max().unwrap_or(0);
    findings.iter().map(|finding| lines(finding, width)).collect()
}

fn lines(finding: &Finding, width: usize) -> String {
    let (tone, word) = match finding.level {
        Level::Ok => (Tone::Good, "ok  "),
        Level::Warn => (Tone::Care, "warn"),
        Level::Fail => (Tone::Bad, "fail"),
    };
    let hint = finding.hint.iter().map(|hint| format!("      hint: {}\n", sanitise::line(hint)));
    format!(
        "{}  {:<width$} {}\n{}",
        paint(tone, word),
        sanitise::line(&finding.check),
        sanitise::line(&finding.message),
        hint.collect::<String>(),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_finding_is_a_line_with_what_to_do_below_it() {
        let all = [
            Finding::ok("git", "2.47.3"),
            Finding::warn("claude", "no login is known", "run `claude` once and log in"),
            Finding::fail("shim", "not found", "install it\u{1b}[2J"),
        ];
        insta::assert_snapshot!(anstream::adapter::strip_str(&findings(&all)).to_string(), @"
        ok    git    2.47.3
        warn  claude no login is known
              hint: run `claude` once and log in
        fail  shim   not found
              hint: install it␛[2J
        ");
    }
}
