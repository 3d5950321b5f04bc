//! Installing and removing, whole or not at all.

use std::{
    fs,
    path::{Path, PathBuf},
};

use serde::Serialize;

use super::{
    manager,
    unit::{Author, NAME},
    unit_file::{self, Found},
};
use crate::cli::error::{CliError, ErrorKind};

/// What may happen to a unit that is not as callbox wrote it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Replace {
    /// It may go.
    Anything,
    /// It stays, and the command is refused.
    Own,
}

/// The JSON of `callbox service uninstall`.
#[derive(Debug, Serialize)]
pub(crate) struct Removed {
    /// The file of the unit.
    pub(crate) unit: PathBuf,
    /// Whether there was one.
    pub(crate) removed: bool,
}

/// Writes `text` to `file` and has the manager run it, or leaves everything as it was.
pub(crate) async fn install(file: &Path, text: &str, replace: Replace) -> Result<(), CliError> {
    let before = unit_file::find(file).map_err(CliError::unavailable)?;
    may_go(file, &before, replace)?;
    manager::reach().await.map_err(|reason| {
        unreachable(&reason)
            .hinted("`callbox serve` keeps a store in a terminal, or under whatever starts programs here")
            .hinted("`callbox service install --print` prints the unit and does nothing else")
    })?;
    unit_file::write(file, text).map_err(CliError::unavailable)?;
    if let Err(reason) = begin(file, &before, text).await {
        undo(file, &before).await;
        return Err(CliError::unavailable(format!("the service was not installed: {reason}"))
            .hinted("everything stands as it did before"));
    }
    Ok(())
}

async fn begin(file: &Path, before: &Found, text: &str) -> Result<(), String> {
    manager::reload().await?;
    let known = manager::state().await?;
    if !same(&known.file, file) {
        let found = if known.file.is_empty() { "nowhere" } else { &known.file };
        return Err(format!(
            "systemd looks for `{NAME}` elsewhere than in `{}`, and finds it {found}: its user manager has another \
             XDG_CONFIG_HOME than this terminal",
            file.display()
        ));
    }
    manager::enable().await?;
    // One that runs goes on as it was written before; its runs do not end with it.
    if let Found::Unit { text: earlier, .. } = before
        && earlier != text
    {
        manager::restart().await?;
    }
    manager::started().await
}

/// Whether systemd's `found` is `file`, whichever links lead there.
fn same(found: &str, file: &Path) -> bool {
    let whole = |path: &Path| fs::canonicalize(path).ok();
    !found.is_empty() && whole(Path::new(found)) == whole(file)
}

/// As far as it goes: what failed first is what is said.
async fn undo(file: &Path, before: &Found) {
    if *before == Found::Nothing {
        let _ = manager::disable().await;
    }
    let _ = unit_file::restore(file, before);
    let _ = manager::reload().await;
}

/// Stops the service and removes `file`.
pub(crate) async fn uninstall(file: &Path, replace: Replace) -> Result<Removed, CliError> {
    let unit = file.to_owned();
    let before = unit_file::find(file).map_err(CliError::unavailable)?;
    if before == Found::Nothing {
        return Ok(Removed { unit, removed: false });
    }
    may_go(file, &before, replace)?;
    // The file stays: a service that is running, where nobody can be asked, would lose its unit without being stopped.
    manager::reach().await.map_err(|reason| {
        unreachable(&reason).hinted(format!(
            "where there never was one, nothing reads `{}`: remove it yourself",
            file.display()
        ))
    })?;
    let failed = |reason: String| CliError::unavailable(format!("the service was not removed: {reason}"));
    manager::disable().await.map_err(failed)?;
    fs::remove_file(file).map_err(CliError::unavailable)?;
    manager::reload().await.map_err(failed)?;
    Ok(Removed { unit, removed: true })
}

fn may_go(file: &Path, found: &Found, replace: Replace) -> Result<(), CliError> {
    let whose = match found {
        Found::Nothing | Found::Unit { author: Author::Callbox, .. } => return Ok(()),
        _ if replace == Replace::Anything => return Ok(()),
        Found::Unit { author: Author::Changed, .. } => "was changed since callbox wrote it",
        Found::Unit { author: Author::Another, .. } | Found::Other => "was not written by callbox",
    };
    Err(CliError::new(ErrorKind::Refused, format!("`{}` {whose}, and stays as it is", file.display()))
        .hinted("`--replace` has it go all the same"))
}

fn unreachable(reason: &str) -> CliError {
    CliError::unavailable(format!("no systemd user manager can be reached: {reason}"))
}
