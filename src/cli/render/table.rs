//! Tables in plain columns.

use super::style::{Tone, paint};
use crate::cli::sanitise;

/// One cell: sanitised text of one line, and its tone.
#[derive(Debug, Clone)]
pub(super) struct Cell {
    text: String,
    tone: Option<Tone>,
}

impl Cell {
    /// Plain text, made harmless.
    pub(super) fn plain(text: &str) -> Self {
        Self { text: sanitise::line(text), tone: None }
    }

    /// Text with a meaning, made harmless.
    pub(super) fn toned(tone: Tone, text: &str) -> Self {
        Self { text: sanitise::line(text), tone: Some(tone) }
    }

    fn painted(&self, text: &str) -> String {
        self.tone.map_or_else(|| text.to_owned(), |tone| paint(tone, text))
    }
}

/// One column.
pub(super) struct Column {
    /// Its heading.
    pub(super) heading: &'static str,
    /// The columns of the terminal it takes at most; the last one takes what is left.
    pub(super) limit: usize,
}

/// The table with a line of headings; cells are cut to their column, and every line to `width`, the
/// columns of the terminal, where there is one.
pub(super) fn table<const N: usize>(
    columns: &[Column; N],
    rows: &[[Cell; N]],
    width: Option<usize>,
) -> String {
    let headings = columns.each_ref().map(|column| Cell::toned(Tone::Faint, column.heading));
    let widths = columns.each_ref().map(|column| column.limit);
    let mut fitted = widths;
    for (place, limit) in fitted.iter_mut().enumerate() {
        let widest = rows.iter().chain([&headings]).map(|row| sanitise::columns(&row[place].text)).max();
        *limit = widest.unwrap_or(0).min(widths[place]);
    }
    let mut text = String::new();
    for row in [&headings].into_iter().chain(rows) {
        text.push_str(&line(row, &fitted, width));
        text.push('\n');
    }
    text
}

fn line(row: &[Cell], widths: &[usize], width: Option<usize>) -> String {
    const GAP: usize = 2;
    let mut line = String::new();
    let mut taken = 0;
    let last = row.iter().rposition(|cell| !cell.text.is_empty()).unwrap_or(0);
    for (place, cell) in row.iter().enumerate().take(last + 1) {
        let room = width.map_or(usize::MAX, |width| width.saturating_sub(taken));
        let is_last_column = place + 1 == row.len();
        let limit = if is_last_column && width.is_some() { room } else { widths[place].min(room) };
        let text = sanitise::cut(&cell.text, limit);
        let used = sanitise::columns(&text);
        line.push_str(&cell.painted(&text));
        taken += used;
        if place < last {
            let padding = (widths[place].saturating_sub(used) + GAP).min(room.saturating_sub(used));
            line.push_str(&" ".repeat(padding));
            taken += padding;
        }
    }
    line
}
