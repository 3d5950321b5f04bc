//! What an agent does now, on the last line of a terminal. It is gone before anything else is said.

use std::io::{self, IsTerminal as _, Write};

use crate::cli::{output, sanitise};

/// Goes to the start of the line and empties it.
const CLEAR: &str = "\r\x1b[2K";
/// The columns it takes at most: a line that wraps could not be taken back.
const MAX_COLUMNS: usize = 79;

/// The line. Where standard error is no terminal there is none.
pub(super) struct StatusLine<W> {
    terminal: Option<W>,
    shown: bool,
}

impl StatusLine<io::Stderr> {
    /// Of this process, empty.
    pub(super) fn new() -> Self {
        let stderr = io::stderr();
        Self { terminal: stderr.is_terminal().then_some(stderr), shown: false }
    }

    /// Says a line in its place.
    pub(super) fn say(&mut self, line: impl std::fmt::Display) {
        self.clear();
        output::say(line);
    }
}

impl<W: Write> StatusLine<W> {
    /// Shows `text` in the place of what was there.
    pub(super) fn show(&mut self, text: &str) {
        let Some(terminal) = &mut self.terminal else { return };
        let text = sanitise::cut(&sanitise::line(text), MAX_COLUMNS);
        // Nobody to see it is no reason to end a run.
        let _ = write!(terminal, "{CLEAR}{text}").and_then(|()| terminal.flush());
        self.shown = true;
    }

    /// Takes it away.
    pub(super) fn clear(&mut self) {
        let Some(terminal) = self.terminal.as_mut().filter(|_| self.shown) else { return };
        let _ = write!(terminal, "{CLEAR}").and_then(|()| terminal.flush());
        self.shown = false;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_replaces_itself_and_is_taken_away_once() {
        let mut line = StatusLine { terminal: Some(Vec::new()), shown: false };
        line.clear();
        line.show("t1 Bash: ls\n\u{1b}[2J");
        line.show(&"x".repeat(500));
        line.clear();
        line.clear();
        let written = String::from_utf8(line.terminal.unwrap()).unwrap();
        let shown: Vec<&str> = written.split(CLEAR).collect();
        assert_eq!((shown.len(), shown[1], shown[3]), (4, "t1 Bash: ls ␛[2J", ""), "{written:?}");
        assert!(sanitise::columns(shown[2]) <= MAX_COLUMNS);
    }

    #[test]
    fn without_a_terminal_there_is_none() {
        let mut line = StatusLine { terminal: None::<Vec<u8>>, shown: false };
        line.show("t1 Bash: ls");
        line.clear();
        assert!(!line.shown);
    }
}
