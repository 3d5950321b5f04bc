//! The folder of an execution that begins: new, whatever stood in its place.

use std::{
    fs::{self, DirBuilder},
    io,
    os::unix::fs::DirBuilderExt as _,
};

use crate::{
    ids::{ExecutionNumber, UniqueId},
    layout::StateDir,
    protocol::error::{ApiError, ErrorCode},
    vocabulary::Shortage,
};

/// Makes the folder of `number`. Numbers come round again only where a database was lost or an older
/// one was put in its place; what then stands there, a spool above all, tells of another execution.
/// It is moved aside and kept, since it may be the last trace of what was done.
pub(super) fn begin_folder(state: &StateDir, number: ExecutionNumber) -> io::Result<()> {
    let folder = state.execution(number);
    if fs::symlink_metadata(&folder).is_ok() {
        let aside = folder.with_extension(format!("before-{}", UniqueId::mint()));
        fs::rename(&folder, &aside)?;
        tracing::warn!(
            execution = %number,
            aside = %aside.display(),
            "what stood in the place of a new execution was moved aside"
        );
    }
    DirBuilder::new().recursive(true).mode(0o700).create(folder)
}

/// The refusal of a run for which none could be made.
pub(super) fn no_folder(error: &io::Error) -> ApiError {
    let hint = Shortage::of(error).map_or("`callbox doctor` looks at the state directory", Shortage::hint);
    ApiError::new(ErrorCode::Storage, format!("no folder could be made: {error}")).hinted(hint)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_that_was_there_is_kept_aside_and_the_new_one_is_empty() {
        let root = tempfile::tempdir().unwrap();
        let (state, number) = (StateDir::at(root.path()), ExecutionNumber::new(1));
        fs::create_dir_all(state.execution(number)).unwrap();
        fs::write(state.spool(number), "of another").unwrap();
        begin_folder(&state, number).unwrap();
        assert!(fs::read_dir(state.execution(number)).unwrap().next().is_none());
        let folders = fs::read_dir(state.execution(number).parent().unwrap()).unwrap();
        let kept = folders.flatten().filter(|entry| entry.path().join("spool.jsonl").exists());
        assert_eq!(kept.count(), 1);
    }
}
