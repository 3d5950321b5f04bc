//! Commits as an agent would, with the git of its sandbox.

use std::process::{Command, Stdio};

/// Commits everything below the working directory, an empty commit where nothing changed.
pub(super) fn commit(message: &str) -> Result<(), String> {
    git(&["add", "--all"])?;
    git(&["commit", "--quiet", "--allow-empty", "--message", message])
}

fn git(arguments: &[&str]) -> Result<(), String> {
    let output = Command::new("git").args(arguments).stdin(Stdio::null()).output();
    let output = output.map_err(|error| format!("git could not be started: {error}"))?;
    if output.status.success() {
        return Ok(());
    }
    Err(format!("git {}: {}", arguments[0], String::from_utf8_lossy(&output.stderr).trim()))
}
