//! A terminal that is drawn on, and given back as it was.

use std::{
    borrow::Cow,
    io::{self, Write as _},
};

use rustix::termios::tcgetwinsize;

/// The screen beside the one that the shell's lines stand on, without a cursor.
const ENTER: &str = "\x1b[?1049h\x1b[?25l";
/// Back to that one.
const LEAVE: &str = "\x1b[?25h\x1b[?1049l";
/// To its first place.
const HOME: &str = "\x1b[H";
/// Empties the rest of a line.
const REST_OF_LINE: &str = "\x1b[K";
/// Empties everything below.
const BELOW: &str = "\x1b[J";

/// The screen, as long as this lives.
pub(super) struct Screen {
    terminal: io::Stdout,
}

impl Screen {
    /// Takes it.
    pub(super) fn enter() -> io::Result<Self> {
        let screen = Self { terminal: io::stdout() };
        screen.write(ENTER)?;
        Ok(screen)
    }

    /// Its lines and columns.
    pub(super) fn size(&self) -> (usize, usize) {
        let size = tcgetwinsize(&self.terminal).ok().filter(|size| size.ws_row > 0 && size.ws_col > 0);
        size.map_or((24, 80), |size| (size.ws_row.into(), size.ws_col.into()))
    }

    /// Shows `picture`. It is written over what was there, so that nothing flickers.
    pub(super) fn draw(&self, picture: &str) -> io::Result<()> {
        let mut text = HOME.to_owned();
        for (place, line) in picture.lines().enumerate() {
            if place > 0 {
                text.push_str("\r\n");
            }
            text.push_str(line);
            text.push_str(REST_OF_LINE);
        }
        text.push_str(BELOW);
        self.write(&text)
    }

    /// Colours pass as the person wants them; what moves the cursor is not for the stream that drops colours.
    fn write(&self, text: &str) -> io::Result<()> {
        let coloured = anstream::stdout().current_choice() != anstream::ColorChoice::Never;
        let text = if coloured { Cow::Borrowed(text) } else { Cow::Owned(without_colours(text)) };
        let mut terminal = self.terminal.lock();
        terminal.write_all(text.as_bytes())?;
        terminal.flush()
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        // The terminal may be gone.
        let _ = self.write(LEAVE);
    }
}

/// Everything but the sequences that end with `m`.
fn without_colours(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(start) = rest.find("\x1b[") {
        plain.push_str(&rest[..start]);
        let sequence = &rest[start..];
        let end = sequence[2..]
            .find(|letter: char| letter.is_ascii_alphabetic())
            .map_or(sequence.len(), |end| end + 3);
        if !sequence[..end].ends_with('m') {
            plain.push_str(&sequence[..end]);
        }
        rest = &sequence[end..];
    }
    plain.push_str(rest);
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_are_dropped_and_the_cursor_still_moves() {
        assert_eq!(without_colours("\x1b[H\x1b[1mt1\x1b[0m x\x1b[K"), "\x1b[Ht1 x\x1b[K");
        assert_eq!(without_colours("plain\x1b["), "plain\x1b[");
    }
}
