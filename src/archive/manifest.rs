//! The table of contents, which stands first: every file with its size and its digest, and what belongs to which task.

use std::fmt::Write as _;

use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use super::{container::File, limits, refusal::Refusal};
use crate::ids::{Timestamp, UniqueId};

/// The format that is written and read.
pub(super) const FORMAT: u32 = 1;
/// Its own name.
pub(super) const NAME: &str = "manifest.json";
/// The name of the rows.
pub(super) const ROWS: &str = "rows.json";

/// The table.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Manifest {
    pub(super) format: u32,
    pub(super) callbox: String,
    pub(super) made_at: Timestamp,
    /// Every other file, in order.
    pub(super) files: Vec<Listed>,
    pub(super) tasks: Vec<ListedTask>,
}

/// One file.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Listed {
    pub(super) name: String,
    pub(super) size: u64,
    pub(super) sha256: String,
}

/// What one task takes along.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ListedTask {
    pub(super) task: UniqueId,
    pub(super) sandbox: Option<ListedSandbox>,
    /// The path of each file of its conversation.
    pub(super) transcript: Vec<Vec<String>>,
}

/// How its sandbox stood.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ListedSandbox {
    pub(super) base: Option<String>,
    pub(super) head: Option<String>,
    pub(super) work: Option<String>,
    /// Whether a bundle goes along.
    pub(super) bundle: bool,
}

/// The format alone, which says whether the rest can be read.
#[derive(Deserialize)]
struct Versioned {
    format: u32,
}

impl Manifest {
    /// Reads it, and refuses what no archive says.
    pub(super) fn read(bytes: &[u8]) -> Result<Self, Refusal> {
        let unreadable =
            |error: serde_json::Error| Refusal::broken(format!("its `{NAME}` cannot be read ({error})"));
        let Versioned { format } = serde_json::from_slice(bytes).map_err(unreadable)?;
        if format != FORMAT {
            return Err(Refusal::Format { found: format, read: FORMAT });
        }
        let manifest: Self = serde_json::from_slice(bytes).map_err(unreadable)?;
        manifest.check()?;
        Ok(manifest)
    }

    fn check(&self) -> Result<(), Refusal> {
        let many = |what, count, limit| {
            if count > limit { Err(Refusal::TooMany { what, count, limit }) } else { Ok(()) }
        };
        many("tasks", self.tasks.len(), limits::TASKS)?;
        for (place, listed) in self.tasks.iter().enumerate() {
            if self.tasks[..place].iter().any(|other| other.task == listed.task) {
                return Err(Refusal::broken(format!("the task {} is listed twice", listed.task)));
            }
            many("files of one conversation", listed.transcript.len(), limits::FILES)?;
            if let Some(path) = listed.transcript.iter().find(|path| !is_path(path)) {
                return Err(Refusal::broken(format!("{path:?} is no way to a file of a conversation")));
            }
            let commits = listed
                .sandbox
                .iter()
                .flat_map(|sandbox| [&sandbox.base, &sandbox.head, &sandbox.work].into_iter().flatten());
            if let Some(commit) = commits.into_iter().find(|commit| !is_commit(commit)) {
                return Err(Refusal::broken(format!("{commit:?} is no commit")));
            }
        }
        Ok(())
    }

    /// The names that the files must have, in order, each with its limit.
    pub(super) fn names(&self) -> Vec<(String, u64)> {
        let mut names = vec![(ROWS.to_owned(), limits::ROWS)];
        for ListedTask { task, sandbox, transcript } in &self.tasks {
            if sandbox.as_ref().is_some_and(|sandbox| sandbox.bundle) {
                names.push((bundle_name(*task), limits::EACH));
            }
            names.extend((0..transcript.len()).map(|place| (transcript_name(*task, place), limits::EACH)));
        }
        names
    }
}

/// What the bundle of a task is called.
pub(super) fn bundle_name(task: UniqueId) -> String {
    format!("sandboxes/{task}.bundle")
}

/// What a file of its conversation is called.
pub(super) fn transcript_name(task: UniqueId, place: usize) -> String {
    format!("transcripts/{task}/{place}")
}

impl Listed {
    /// The row of `file`.
    pub(super) fn of(file: &File<'_>) -> Self {
        let mut sha256 = String::new();
        for byte in Sha256::digest(file.bytes) {
            let _ = write!(sha256, "{byte:02x}");
        }
        Self { name: file.name.clone(), size: file.bytes.len() as u64, sha256 }
    }
}

/// Whether these are plain names that lead downwards alone.
fn is_path(path: &[String]) -> bool {
    let plain = |name: &String| {
        (1..=limits::NAME).contains(&name.len())
            && name != "."
            && name != ".."
            && !name.chars().any(|letter| letter == '/' || letter == '\\' || letter.is_control())
    };
    (1..=limits::LEVELS).contains(&path.len()) && path.iter().all(plain)
}

fn is_commit(text: &str) -> bool {
    matches!(text.len(), 40 | 64)
        && text.bytes().all(|byte| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte))
}
