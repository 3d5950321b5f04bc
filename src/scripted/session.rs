//! The conversation as it is kept: the script, the place in it, the last answer.

use std::{
    fs::{self, DirBuilder, File, OpenOptions},
    io::{self, Read as _, Write as _},
    os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _},
    path::PathBuf,
};

use serde::{Deserialize, Serialize};

use super::told::{Told, instructions, last_answer};

/// The largest session file that is read, in bytes.
const MAX_FILE: u64 = 16 << 20;

/// One conversation.
#[derive(Debug)]
pub(super) struct Session {
    file: PathBuf,
    kept: Kept,
}

/// Why there is no conversation.
#[derive(Debug, thiserror::Error)]
pub(super) enum SessionError {
    /// The one to go on with is gone, or is none.
    #[error("there is no session {session}")]
    Unknown {
        /// Its id.
        session: String,
    },
    /// A new one could not be kept.
    #[error("the conversation could not be kept in `{}`: {error}", file.display())]
    NotKept {
        /// Where.
        file: PathBuf,
        /// Why.
        error: io::Error,
    },
}

#[derive(Debug, Serialize, Deserialize)]
struct Kept {
    session: String,
    script: String,
    /// How many steps are behind.
    place: usize,
    answer: Option<String>,
    /// The questions so far, as they were asked.
    asked: Vec<String>,
}

impl Session {
    /// The conversation that `told` opens or goes on with.
    pub(super) fn open(told: &Told) -> Result<Self, SessionError> {
        let file = told.session_file.clone();
        if !told.resume {
            let kept = Kept {
                session: told.session.clone(),
                script: instructions(&told.message).to_owned(),
                place: 0,
                answer: last_answer(&told.message, &[]),
                asked: Vec::new(),
            };
            let session = Self { file, kept };
            return match session.make_folder().and_then(|()| session.keep()) {
                Ok(()) => Ok(session),
                Err(error) => Err(SessionError::NotKept { file: session.file, error }),
            };
        }
        let unknown = || SessionError::Unknown { session: told.session.clone() };
        let mut text = Vec::new();
        let opened = File::open(&file).and_then(|file| file.take(MAX_FILE).read_to_end(&mut text));
        opened.map_err(|_| unknown())?;
        let mut kept: Kept = serde_json::from_slice(&text).map_err(|_| unknown())?;
        if kept.session != told.session {
            return Err(unknown());
        }
        kept.answer = last_answer(&told.message, &kept.asked).or(kept.answer);
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

    /// The last answer.
    pub(super) fn answer(&self) -> Option<&str> {
        self.kept.answer.as_deref()
    }

    /// `question` is about to be asked; kept with the next step.
    pub(super) fn asks(&mut self, question: &str) {
        self.kept.asked.push(question.to_owned());
    }

    /// One more step is behind.
    pub(super) fn advance(&mut self) -> io::Result<()> {
        self.kept.place += 1;
        self.keep()
    }

    /// The folder of the sandbox's conversations, for this user alone.
    fn make_folder(&self) -> io::Result<()> {
        let Some(folder) = self.file.parent() else { return Ok(()) };
        match DirBuilder::new().mode(0o700).create(folder) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(()),
            made => made,
        }
    }

    /// Whole or not at all: a kill in between leaves the place before.
    fn keep(&self) -> io::Result<()> {
        let partial = self.file.with_extension("partial");
        let mut file =
            OpenOptions::new().write(true).create(true).truncate(true).mode(0o600).open(&partial)?;
        file.write_all(&serde_json::to_vec(&self.kept)?)?;
        fs::rename(partial, &self.file)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(file: PathBuf, resume: bool, message: &str) -> Told {
        let (session, mcp_config) = ("s".to_owned(), PathBuf::new());
        Told { session, resume, message: message.to_owned(), session_file: file, mcp_config }
    }

    #[test]
    fn a_resume_keeps_the_place_and_the_answer_until_there_is_a_newer_one() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("1.scripted/s.json");
        let mut session = Session::open(&told(file.clone(), false, "- print: x")).unwrap();
        session.advance().unwrap();
        let answer = "Answer to question 1 (Q?): blue\n";
        let mut session = Session::open(&told(file.clone(), true, answer)).unwrap();
        assert_eq!((session.place(), session.answer()), (1, Some("blue")));
        session.advance().unwrap();
        let session = Session::open(&told(file, true, "callbox: go on")).unwrap();
        assert_eq!((session.script(), session.place(), session.answer()), ("- print: x", 2, Some("blue")));
        let kept = fs::read_dir(folder.path().join("1.scripted")).unwrap();
        assert_eq!(kept.count(), 1);
    }

    #[test]
    fn a_file_that_is_gone_or_broken_is_an_unknown_session() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("1.scripted/s.json");
        let resumed = || Session::open(&told(file.clone(), true, "go on"));
        assert!(matches!(resumed(), Err(SessionError::Unknown { .. })));
        fs::create_dir(file.parent().unwrap()).unwrap();
        fs::write(&file, "{\"script\":\"- pr").unwrap();
        assert!(matches!(resumed(), Err(SessionError::Unknown { .. })));
        let other = Told { session: "other".to_owned(), ..told(file.clone(), false, "- print: x") };
        Session::open(&other).unwrap();
        assert!(matches!(resumed(), Err(SessionError::Unknown { .. })), "it is another conversation's");
    }

    #[test]
    fn a_conversation_that_cannot_be_kept_is_not_begun() {
        let file = PathBuf::from("/proc/nowhere/s.json");
        assert!(matches!(Session::open(&told(file, false, "")), Err(SessionError::NotKept { .. })));
    }
}
