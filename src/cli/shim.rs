//! Where the shim is for an agent that a person starts.

use std::{env, path::PathBuf};

use super::error::{CliError, ErrorKind};

/// The shim beside this program.
pub(crate) fn beside_this_program() -> Result<PathBuf, CliError> {
    let own = env::current_exe().map_err(|error| CliError::new(ErrorKind::Internal, error))?;
    let shim = own.with_file_name("callbox-mcp");
    if !shim.is_file() {
        return Err(CliError::unavailable(format!("`{}` is missing", shim.display()))
            .hinted("install `callbox-mcp` of the same version beside `callbox`"));
    }
    Ok(shim)
}
