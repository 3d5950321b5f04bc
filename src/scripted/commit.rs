//! Commits as an agent would, with the git of its sandbox.

use std::process::{Command, Stdio};

/// Commits everything below the working directory, an empty commit where nothing changed. Repeated, after a kill right
/// behind it, it makes no second commit.
pub(super) fn commit(message: &str) -> Result<(), String> {
    git(&["add", "--all"])?;
    if git(&["diff", "--cached", "--quiet"]).is_ok() && last().as_deref() == Ok(message.trim_end()) {
        return Ok(());
    }
    git(&["commit", "--quiet", "--allow-empty", "--message", message]).map(drop)
}

/// The message of the last commit.
fn last() -> Result<String, String> {
    git(&["log", "-1", "--format=%B"]).map(|message| message.trim_end().to_owned())
}

fn git(arguments: &[&str]) -> Result<String, String> {
    let output = Command::new("git").args(arguments).stdin(Stdio::null()).output();
    let output = output.map_err(|error| format!("git could not be started: {error}"))?;
    if output.status.success() {
        return Ok(String::from_utf8_lossy(&output.stdout).into_owned());
    }
    Err(format!("git {}: {}", arguments[0], String::from_utf8_lossy(&output.stderr).trim()))
}
