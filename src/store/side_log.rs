//! The logs of processes that a store starts beside the runs.

use std::{
    fs::{File, OpenOptions},
    io,
    os::unix::fs::OpenOptionsExt as _,
    path::Path,
};

/// Bytes after which such a log begins anew.
const LONGEST: u64 = 1 << 20;

/// The log at `path`, the owner's alone, to be written on behind what is in it.
pub(super) fn side_log(path: &Path) -> io::Result<File> {
    let log = OpenOptions::new().create(true).append(true).mode(0o600).open(path)?;
    if log.metadata()?.len() > LONGEST {
        log.set_len(0)?;
    }
    Ok(log)
}
