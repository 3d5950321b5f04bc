//! What an attached command needs, found before any task is made for it.

use std::{
    ffi::{OsStr, OsString},
    path::{Path, PathBuf},
};

use crate::cli::{error::CliError, gather::SearchPath, shim, surroundings::Surroundings};

/// A command that can be started, and the shim for it.
#[derive(Debug)]
pub(crate) struct Prepared {
    /// The program as the person named it.
    pub(crate) program: OsString,
    /// Its arguments.
    pub(crate) arguments: Vec<OsString>,
    /// The shim beside this program.
    pub(crate) shim: PathBuf,
}

impl Prepared {
    /// Finds the program of `command` and the shim.
    pub(crate) fn find(command: &[OsString], surroundings: &Surroundings) -> Result<Self, CliError> {
        let [program, arguments @ ..] = command else {
            return Err(CliError::usage("there is no command").hinted("name one behind `--`"));
        };
        if !is_there(program, surroundings) {
            let program = program.to_string_lossy();
            return Err(CliError::unavailable(format!("the program `{program}` is not to be found"))
                .hinted("name one that is on the PATH, or its path"));
        }
        let shim = shim::beside_this_program()?;
        Ok(Self { program: program.clone(), arguments: arguments.to_vec(), shim })
    }
}

/// A name with a slash is a path, as for a shell.
fn is_there(program: &OsStr, surroundings: &Surroundings) -> bool {
    if Path::new(program).components().count() > 1 {
        return surroundings.directory().join(program).is_file();
    }
    SearchPath::new(surroundings.value("PATH")).find(program).is_some()
}
