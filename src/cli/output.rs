//! Where text goes: stdout is data, stderr is talk.

use std::{
    fmt,
    io::{self, IsTerminal as _, Write as _},
};

use super::error::CliError;

/// Prints text for people on stdout; its colours are dropped where nobody wants them.
pub(crate) fn print(text: impl fmt::Display) -> Result<(), CliError> {
    let mut stdout = anstream::stdout().lock();
    write!(stdout, "{text}")?;
    stdout.flush()?;
    Ok(())
}

/// Writes bytes to stdout as they are.
pub(crate) fn write_bytes(bytes: &[u8]) -> Result<(), CliError> {
    let mut stdout = io::stdout().lock();
    stdout.write_all(bytes)?;
    stdout.flush()?;
    Ok(())
}

/// Says one line on stderr. Nobody to hear it is no reason to end a run.
pub(crate) fn say(line: impl fmt::Display) {
    let _ = writeln!(anstream::stderr().lock(), "{line}");
}

/// Whether a person sees what is printed on stdout.
pub(crate) fn is_terminal() -> bool {
    io::stdout().is_terminal()
}

/// The columns of the terminal on stdout; `None` where there is none and lines may be long.
pub(crate) fn columns() -> Option<usize> {
    let size = rustix::termios::tcgetwinsize(io::stdout()).ok()?;
    (size.ws_col > 0).then_some(usize::from(size.ws_col))
}
