//! Copies the database every few hours while a store stays, so that there is a way back from one that was damaged.

use std::{fs, io, os::unix::fs::DirBuilderExt as _, time::Duration};

use super::{
    copies::{Copy, PERIOD, copies, due, outlived},
    engine::Engine,
};
use crate::{
    database::{BackupError, OpenError, ReadError, check_copy, clear_all_broken_off},
    ids::Timestamp,
};

/// After a copy that could not be made.
const AGAIN: Duration = Duration::from_secs(15 * 60);

/// Why there is no copy.
#[derive(Debug, thiserror::Error)]
enum CopyError {
    #[error("the folder of copies cannot be used")]
    Folder(#[from] io::Error),
    #[error("the copy was not written")]
    Written(#[source] ReadError<BackupError>),
    #[error("the copy is not whole")]
    Checked(#[source] OpenError),
}

impl Engine {
    /// Makes copies until the store stops.
    pub(super) async fn keep_copies(self) {
        loop {
            let wait = match self.copy_when_due().await {
                Ok(next) => next.since(Timestamp::now()).min(PERIOD),
                Err(error) => {
                    tracing::error!(
                        error = &error as &dyn std::error::Error,
                        "no copy of the database was made"
                    );
                    AGAIN
                }
            };
            tokio::select! {
                () = self.stop().cancelled() => return,
                () = tokio::time::sleep(wait) => {}
            }
        }
    }

    /// Makes one, where one is due; when the next is.
    async fn copy_when_due(&self) -> Result<Timestamp, CopyError> {
        let now = Timestamp::now();
        let next = due(copies(self.state())?.first(), now);
        if next > now {
            return Ok(next);
        }
        let folder = self.state().backups();
        fs::DirBuilder::new().recursive(true).mode(0o700).create(&folder)?;
        // Each has another name, so that a later one would not clear them away by itself.
        clear_all_broken_off(&folder)?;
        let copy = Copy::of(self.state(), now);
        self.back_up(copy.path.clone()).await.map_err(CopyError::Written)?;
        let checked = copy.path.clone();
        let checked = tokio::task::spawn_blocking(move || check_copy(&checked)).await;
        if let Err(error) = checked.map_err(io::Error::other)? {
            fs::remove_file(&copy.path)?;
            return Err(CopyError::Checked(error));
        }
        for old in outlived(&copies(self.state())?, now) {
            fs::remove_file(&old.path)?;
        }
        Ok(now.plus(PERIOD))
    }
}
