//! Colours by what they mean.

use anstyle::{AnsiColor, Style};

/// What a piece of text tells besides its words.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Tone {
    /// It went well.
    Good,
    /// It failed.
    Bad,
    /// A person should look.
    Care,
    /// The name of a thing, or a command to type.
    Name,
    /// A heading.
    Strong,
    /// Of less weight than the rest.
    Faint,
}

/// `text` in the colour of `tone`; the stream drops the colour where it is not wanted.
pub(crate) fn paint(tone: Tone, text: &str) -> String {
    let style = style(tone);
    format!("{style}{text}{style:#}")
}

fn style(tone: Tone) -> Style {
    match tone {
        Tone::Good => Style::new().fg_color(Some(AnsiColor::Green.into())),
        Tone::Bad => Style::new().fg_color(Some(AnsiColor::Red.into())).bold(),
        Tone::Care => Style::new().fg_color(Some(AnsiColor::Yellow.into())),
        Tone::Name => Style::new().fg_color(Some(AnsiColor::Cyan.into())),
        Tone::Strong => Style::new().bold(),
        Tone::Faint => Style::new().dimmed(),
    }
}
