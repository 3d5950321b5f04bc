//! The log of GitHub's runner, which obeys lines that begin with `::`, blanks before them or not (workflow commands,
//! actions/runner `ActionCommand.TryParseV2`). Whatever is printed between these marks is text.

use crate::{
    cli::{output, surroundings::Surroundings},
    ids::UniqueId,
};

/// Commands are stopped until this is dropped.
#[derive(Debug)]
pub(crate) struct Quiet {
    /// The word that lets them on again: nobody who speaks in between can know it.
    word: Option<String>,
    in_group: bool,
}

impl Quiet {
    /// Opens a group called `title` in the log of a runner of GitHub's, in which agents are heard as text alone. Elsewhere
    /// nothing is said.
    pub(crate) fn begin(title: &str, surroundings: &Surroundings) -> Self {
        let on_runner = surroundings.value("GITHUB_ACTIONS").is_some_and(|value| value == "true");
        let word = on_runner.then(|| format!("callbox-{}", UniqueId::mint()));
        let quiet = Self { in_group: word.is_some(), word };
        if quiet.in_group {
            output::say(format!("::group::{title}"));
        }
        quiet.stop();
        quiet
    }

    /// Closes the group; what comes is text all the same.
    pub(crate) fn end_group(&mut self) {
        self.go_on();
        self.stop();
    }

    /// Lets commands on, and ends a group that is open with the first of them.
    fn go_on(&mut self) {
        if let Some(word) = &self.word {
            output::say(format!("::{word}::"));
        }
        if std::mem::take(&mut self.in_group) {
            output::say("::endgroup::");
        }
    }

    fn stop(&self) {
        if let Some(word) = &self.word {
            output::say(format!("::stop-commands::{word}"));
        }
    }
}

impl Drop for Quiet {
    fn drop(&mut self) {
        self.go_on();
    }
}
