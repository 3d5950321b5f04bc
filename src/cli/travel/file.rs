//! The file that an archive is.

use std::{
    fs::{self, File},
    io::{self, Read as _, Write as _},
    os::unix::fs::PermissionsExt as _,
    path::Path,
};

use tempfile::Builder;

use crate::{
    archive::LONGEST,
    cli::error::{CliError, ErrorKind},
};

/// What is in the archive at `path`; a little more than any archive has, where it is longer.
pub(crate) fn read_archive(path: &Path) -> Result<Vec<u8>, CliError> {
    let unread = |error: io::Error| {
        CliError::unavailable(format!("`{}` could not be read: {error}", path.display()))
            .hinted("name a file that `callbox export` wrote")
    };
    let mut bytes = Vec::new();
    let file = File::open(path).map_err(unread)?;
    if !file.metadata().map_err(unread)?.is_file() {
        return Err(unread(io::Error::other("it is no file")));
    }
    file.take(LONGEST + 1).read_to_end(&mut bytes).map_err(unread)?;
    Ok(bytes)
}

/// Writes `bytes` to `path`, where nothing stands, for this user alone: whole or not at all.
pub(crate) fn write_archive(path: &Path, bytes: &[u8]) -> Result<(), CliError> {
    let refused = |reason: String| {
        CliError::new(ErrorKind::Refused, reason).hinted("name a file that is not there, in a folder that is")
    };
    let unwritten =
        |error: &io::Error| refused(format!("`{}` could not be written: {error}", path.display()));
    if fs::symlink_metadata(path).is_ok() {
        return Err(refused(format!("`{}` is there already and stays as it is", path.display())));
    }
    let folder = path.parent().unwrap_or(Path::new("/"));
    let mode = fs::Permissions::from_mode(0o600);
    let mut file = Builder::new()
        .prefix(".callbox-export-")
        .permissions(mode)
        .tempfile_in(folder)
        .map_err(|error| unwritten(&error))?;
    file.write_all(bytes).and_then(|()| file.as_file().sync_all()).map_err(|error| unwritten(&error))?;
    file.persist_noclobber(path).map_err(|error| unwritten(&error.error))?;
    Ok(())
}
