//! The conversation as it is kept: the script, the place in it, the last answer.

use std::{fs, io, path::PathBuf};

use serde::{Deserialize, Serialize};

use super::told::{Told, instructions, last_answer};

/// One conversation.
#[derive(Debug)]
pub(super) struct Session {
    file: PathBuf,
    kept: Kept,
}

#[derive(Debug, Serialize, Deserialize)]
struct Kept {
    script: String,
    /// How many steps are behind.
    place: usize,
    answer: Option<String>,
}

impl Session {
    /// The conversation that `told` opens or goes on with.
    pub(super) fn open(told: &Told) -> Result<Self, String> {
        let file = told.session_file.clone();
        let answer = last_answer(&told.message);
        if !told.resume {
            let script = instructions(&told.message).to_owned();
            let session = Self { file, kept: Kept { script, place: 0, answer } };
            session.keep().map_err(|error| format!("the session could not be kept: {error}"))?;
            return Ok(session);
        }
        let text = fs::read_to_string(&file).map_err(|_| format!("no session {}", told.session))?;
        let mut kept: Kept =
            serde_json::from_str(&text).map_err(|_| format!("no session {}", told.session))?;
        if answer.is_some() {
            kept.answer = answer;
        }
        Ok(Self { file, kept })
    }

    /// The steps, as written.
    pub(super) fn script(&self) -> &str {
        &self.kept.script
    }

    /// How many steps are behind.
    pub(super) fn place(&self) -> usize {
        self.kept.place
    }

    /// One more step is behind.
    pub(super) fn advance(&mut self) -> io::Result<()> {
        self.kept.place += 1;
        self.keep()
    }

    /// `text` with the last answer in the place of `{answer}`.
    pub(super) fn fill(&self, text: &str) -> String {
        text.replace("{answer}", self.kept.answer.as_deref().unwrap_or("{answer}"))
    }

    /// Whole or not at all: a kill in between leaves the step before.
    fn keep(&self) -> io::Result<()> {
        let partial = self.file.with_extension("partial");
        fs::write(&partial, serde_json::to_vec(&self.kept)?)?;
        fs::rename(partial, &self.file)
    }
}
