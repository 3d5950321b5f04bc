//! The programs that are measured.

use std::path::{Path, PathBuf};

/// The command line, store and supervisor.
pub(crate) const CALLBOX: &str = env!("CARGO_BIN_EXE_callbox");
/// The shim.
pub(crate) const SHIM: &str = env!("CARGO_BIN_EXE_callbox-mcp");

/// One of the bench's own small programs, which cargo builds as examples beside the others.
pub(crate) fn beside(name: &str) -> PathBuf {
    Path::new(CALLBOX).with_file_name("examples").join(name)
}
