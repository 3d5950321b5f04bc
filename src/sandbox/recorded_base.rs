//! From which commit a sandbox was made.

use std::{fs, path::Path};

use super::{view::View, work_error::WorkError};

/// The commit that `directory` was made from, as callbox wrote it down beside the sandbox; for
/// whoever only knows where a sandbox stands. [`WorkError::Files`] where it was lost.
pub fn recorded_base(directory: &Path) -> Result<String, WorkError> {
    let head = View::place(directory).join("HEAD");
    let text = fs::read_to_string(head)
        .map_err(|source| WorkError::Files { directory: directory.to_owned(), source })?;
    Ok(text.trim_end().to_owned())
}
