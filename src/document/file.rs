//! A document from the disk, and why it was refused.

use std::{
    fmt,
    fs::{self, File},
    io::{self, Read as _},
    path::{Path, PathBuf},
};

use super::FileFault;

/// The largest document, in bytes.
pub const MAX_BYTES: u64 = 1 << 20;

/// A document that was refused whole.
#[derive(Debug)]
pub enum FileError {
    /// It could not be read.
    Unreadable {
        /// As the caller named it.
        path: PathBuf,
        /// The system's reason.
        source: io::Error,
    },
    /// It was read and is wrong.
    Wrong {
        /// As the caller named it.
        path: PathBuf,
        /// Everything that is wrong, in the order of the file; never empty.
        faults: Vec<FileFault>,
    },
}

impl fmt::Display for FileError {
    /// One line for each fault: `FILE:LINE: what is wrong`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unreadable { path, .. } => write!(f, "`{}` could not be read", path.display()),
            Self::Wrong { path, faults } => {
                for (place, fault) in faults.iter().enumerate() {
                    let newline = if place == 0 { "" } else { "\n" };
                    write!(f, "{newline}{}:{fault}", path.display())?;
                }
                Ok(())
            }
        }
    }
}

impl std::error::Error for FileError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Unreadable { source, .. } => Some(source),
            Self::Wrong { .. } => None,
        }
    }
}

/// The text of the regular file at `path`: UTF-8 of at most [`MAX_BYTES`].
pub fn read_text(path: &Path) -> Result<String, FileError> {
    let unreadable = |source| FileError::Unreadable { path: path.to_owned(), source };
    text_of(bytes(path).map_err(unreadable)?)
        .map_err(|fault| FileError::Wrong { path: path.to_owned(), faults: vec![fault] })
}

/// The file's bytes, one more than is allowed at most.
fn bytes(path: &Path) -> io::Result<Vec<u8>> {
    // Before it is opened: opening a named pipe would wait for its writer.
    if !fs::metadata(path)?.is_file() {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "it is not a regular file"));
    }
    let mut bytes = Vec::new();
    File::open(path)?.take(MAX_BYTES + 1).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// The text that `bytes` are: UTF-8 of at most [`MAX_BYTES`].
pub fn text_of(bytes: Vec<u8>) -> Result<String, FileFault> {
    let fault = |line, message: String| FileFault { line, field: None, message };
    if u64::try_from(bytes.len()).unwrap_or(u64::MAX) > MAX_BYTES {
        return Err(fault(1, format!("the file is larger than {MAX_BYTES} bytes")));
    }
    String::from_utf8(bytes).map_err(|error| {
        let before = &error.as_bytes()[..error.utf8_error().valid_up_to()];
        let newlines = before.iter().fold(0, |count, byte| count + usize::from(*byte == b'\n'));
        fault(newlines + 1, "this is not UTF-8 text".to_owned())
    })
}
