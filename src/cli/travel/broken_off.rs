//! What an import puts into the state directory before its rows are recorded, and what is left of one that was broken
//! off.
//!
//! Beside each sandbox that is being made stands a file that names the task and what is written elsewhere. Its lock says
//! that the import goes on. Behind the rows it is removed; where it stays and the task is not here, everything goes.

use std::{
    fs::{self, DirBuilder, File, OpenOptions, TryLockError},
    io::{self, Write as _},
    os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _},
    path::{Path, PathBuf},
};

use serde::{Deserialize, Serialize};

use crate::{
    cli::{error::CliError, opened::Opened, output, sanitise},
    client::ClientError,
    ids::{TaskNumber, UniqueId},
    layout::StateDir,
    protocol::error::ErrorCode,
    sandbox::Trash,
};

/// What the file is called, in the folder of a task's sandboxes.
const MARK: &str = "importing";
/// The most that is read of one, in bytes.
const LONGEST: u64 = 1 << 20;

/// What it says.
#[derive(Debug, Serialize, Deserialize)]
struct Said {
    task: UniqueId,
    /// What is written outside of the folder.
    files: Vec<PathBuf>,
}

/// One task's place while it is made.
#[derive(Debug)]
pub(super) struct Mark {
    folder: PathBuf,
    said: Said,
    /// Locked as long as this lives.
    _file: File,
}

impl Mark {
    /// Makes the folder of the sandboxes of `number`, for `task`, which writes `files` elsewhere.
    pub(super) fn begin(
        state: &StateDir,
        number: TaskNumber,
        task: UniqueId,
        files: Vec<PathBuf>,
    ) -> io::Result<Self> {
        let folder = folder(state, number);
        let said = Said { task, files };
        DirBuilder::new().recursive(true).mode(0o700).create(state.sandboxes())?;
        DirBuilder::new().mode(0o700).create(&folder)?;
        let mut file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(folder.join(MARK))?;
        file.try_lock().map_err(io::Error::from)?;
        file.write_all(&serde_json::to_vec(&said)?)?;
        file.sync_all()?;
        Ok(Self { folder, said, _file: file })
    }

    /// The rows are recorded: it stays.
    pub(super) fn stays(self) -> io::Result<()> {
        fs::remove_file(self.folder.join(MARK))
    }

    /// Nothing was recorded: it goes.
    pub(super) fn goes(self, state: &StateDir) -> io::Result<()> {
        remove(state, &self.folder, &self.said)
    }
}

/// Removes what imports left that were broken off before their rows were recorded.
pub(crate) async fn clear_broken_off(state: &StateDir, store: &mut Opened) -> Result<(), CliError> {
    for (number, said, _locked) in left(state).map_err(unremoved)? {
        let known = store.look(async |operator| match operator.task(number).await {
            Ok(report) => Ok(report.task.id == said.task),
            Err(ClientError::Refused(refusal)) if refusal.code == ErrorCode::NotFound => Ok(false),
            Err(error) => Err(error),
        });
        let folder = folder(state, number);
        if known.await? {
            fs::remove_file(folder.join(MARK)).map_err(unremoved)?;
        } else {
            remove(state, &folder, &said).map_err(unremoved)?;
            output::say(sanitise::line(&format!(
                "what an import left that was broken off is removed ({number})"
            )));
        }
    }
    Ok(())
}

fn unremoved(error: io::Error) -> CliError {
    CliError::lacking("what an import left that was broken off could not be removed", error)
}

/// What was left, each locked.
fn left(state: &StateDir) -> io::Result<Vec<(TaskNumber, Said, File)>> {
    let mut found = Vec::new();
    let entries = match fs::read_dir(state.sandboxes()) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(found),
        entries => entries?,
    };
    for entry in entries {
        let entry = entry?;
        let Some(number) = entry.file_name().to_str().and_then(|name| name.parse::<i64>().ok()) else {
            continue;
        };
        let file = match File::open(entry.path().join(MARK)) {
            Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => {
                continue;
            }
            file => file?,
        };
        match file.try_lock() {
            Err(TryLockError::WouldBlock) => continue,
            Err(TryLockError::Error(error)) => return Err(error),
            Ok(()) => {}
        }
        // One that was cut off was written before anything it could name.
        let said = serde_json::from_reader(io::Read::take(&file, LONGEST));
        let said = said.unwrap_or(Said { task: UniqueId::mint(), files: Vec::new() });
        found.push((TaskNumber::new(number), said, file));
    }
    Ok(found)
}

fn folder(state: &StateDir, number: TaskNumber) -> PathBuf {
    state.sandboxes().join(number.value().to_string())
}

fn remove(state: &StateDir, folder: &Path, said: &Said) -> io::Result<()> {
    for file in &said.files {
        match fs::remove_file(file) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            removed => removed?,
        }
    }
    let trash = Trash::at(state.sandbox_trash());
    trash.take(folder)?;
    trash.empty(|| ())
}
