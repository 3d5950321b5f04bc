//! Makes hostile text harmless: visible where a person should know of it, gone where it shows nothing.

use std::{fmt::Write as _, ops::RangeInclusive};

/// Text of several lines. Keeps newline and tab; every other control character, bidi override and
/// line separator becomes visible; what has no width is removed, and so are plain colour sequences,
/// which programs print without a second thought.
pub(crate) fn text(hostile: &str) -> String {
    let mut harmless = String::with_capacity(hostile.len());
    let mut rest = hostile;
    while let Some(letter) = rest.chars().next() {
        if let Some(length) = colour_sequence(rest) {
            rest = &rest[length..];
            continue;
        }
        rest = &rest[letter.len_utf8()..];
        if letter == '\r' && rest.starts_with('\n') {
            continue;
        }
        match treatment(letter) {
            Treatment::Keep => harmless.push(letter),
            Treatment::Remove => {}
            Treatment::Show => show(letter, &mut harmless),
        }
    }
    harmless
}

/// The same on one line: newlines and tabs become spaces, the ends are trimmed.
pub(crate) fn line(hostile: &str) -> String {
    text(hostile).replace(['\n', '\t'], " ").trim().to_owned()
}

/// JSON that says the same and is harmless to print: what [`text`] would change is escaped.
///
/// In serialised JSON such characters stand inside strings only, so `\u` means what they meant.
pub(crate) fn json(serialised: &str) -> String {
    let mut harmless = String::with_capacity(serialised.len());
    for letter in serialised.chars() {
        if matches!(treatment(letter), Treatment::Keep) {
            harmless.push(letter);
        } else {
            for unit in letter.encode_utf16(&mut [0; 2]) {
                // Writing to a string cannot fail.
                let _ = write!(harmless, "\\u{unit:04x}");
            }
        }
    }
    harmless
}

enum Treatment {
    Keep,
    Remove,
    Show,
}

fn treatment(letter: char) -> Treatment {
    if matches!(letter, '\n' | '\t') {
        return Treatment::Keep;
    }
    let among = |ranges: &[RangeInclusive<char>]| ranges.iter().any(|range| range.contains(&letter));
    if letter.is_control() || among(REORDERING) {
        Treatment::Show
    } else if among(INVISIBLE) {
        Treatment::Remove
    } else {
        Treatment::Keep
    }
}

/// Line and paragraph separators; bidi marks, embeddings, overrides and isolates.
const REORDERING: &[RangeInclusive<char>] =
    &['\u{61c}'..='\u{61c}', '\u{200e}'..='\u{200f}', '\u{2028}'..='\u{202e}', '\u{2066}'..='\u{2069}'];

/// Zero width, fillers without ink, and the tag characters that can hide whole sentences.
const INVISIBLE: &[RangeInclusive<char>] = &[
    '\u{ad}'..='\u{ad}',
    '\u{34f}'..='\u{34f}',
    '\u{115f}'..='\u{1160}',
    '\u{17b4}'..='\u{17b5}',
    '\u{180b}'..='\u{180f}',
    '\u{200b}'..='\u{200d}',
    '\u{2060}'..='\u{2065}',
    '\u{206a}'..='\u{206f}',
    '\u{3164}'..='\u{3164}',
    '\u{feff}'..='\u{feff}',
    '\u{ffa0}'..='\u{ffa0}',
    '\u{fff0}'..='\u{fffb}',
    '\u{e0000}'..='\u{e0fff}',
];

/// C0 and DEL as the pictures Unicode has for them, the rest by number.
fn show(letter: char, harmless: &mut String) {
    let picture = match u32::from(letter) {
        code @ 0..=0x1f => char::from_u32(0x2400 + code),
        0x7f => Some('\u{2421}'),
        _ => None,
    };
    match picture {
        Some(picture) => harmless.push(picture),
        None => {
            // Writing to a string cannot fail.
            let _ = write!(harmless, "<U+{:04X}>", u32::from(letter));
        }
    }
}

/// The length in bytes of a colour sequence (`ESC [ digits ; : m`) at the start of `rest`.
fn colour_sequence(rest: &str) -> Option<usize> {
    let parameters = rest.strip_prefix("\u{1b}[")?;
    let end = parameters.find(|letter: char| !matches!(letter, '0'..='9' | ';' | ':'))?;
    parameters[end..].starts_with('m').then_some(end + "\u{1b}[m".len())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn what_moves_a_terminal_is_shown_and_not_obeyed() {
        for (hostile, harmless) in [
            ("\u{1b}]52;c;ZXZpbA==\u{7}", "␛]52;c;ZXZpbA==␇"),
            ("\u{1b}[2J\u{1b}[H", "␛[2J␛[H"),
            ("\u{9b}2J", "<U+009B>2J"),
            ("over\rwritten", "over␍written"),
            ("a\u{202e}txt.exe", "a<U+202E>txt.exe"),
            ("one\u{2028}two", "one<U+2028>two"),
            ("\u{7f}", "␡"),
        ] {
            assert_eq!(text(hostile), harmless);
        }
    }

    #[test]
    fn what_shows_nothing_is_removed() {
        assert_eq!(text("pass\u{200b}word\u{feff}\u{e0041}\u{ad}"), "password");
        assert_eq!(text("\u{1b}[1;31mred\u{1b}[0m"), "red");
    }

    #[test]
    fn removing_a_colour_never_completes_another_sequence() {
        assert_eq!(text("\u{1b}\u{1b}[0m[2J"), "␛[2J");
    }

    #[test]
    fn ordinary_text_of_any_script_passes_unchanged() {
        for ordinary in ["a\tb\nc", "Grüße, 日本語, עברית, 👍🏽", "x = {\"a\": 1}\n"] {
            assert_eq!(text(ordinary), ordinary);
        }
        assert_eq!(text("dos\r\nlines\r\n"), "dos\nlines\n");
    }

    #[test]
    fn a_line_stays_one_line() {
        assert_eq!(line("  rm -rf x\n\tthen more \n"), "rm -rf x  then more");
    }

    #[test]
    fn json_says_the_same_and_prints_harmlessly() {
        let value = serde_json::json!({"a": "\u{9b}2J\u{202e}\u{e0041}\u{7f}", "b": "ü\n"});
        let printed = json(&serde_json::to_string_pretty(&value).unwrap());
        assert_eq!(serde_json::from_str::<serde_json::Value>(&printed).unwrap(), value);
        assert_eq!(text(&printed), printed);
    }

    /// Text in which hostile characters are common.
    fn hostile() -> impl Strategy<Value = String> {
        let letter = prop_oneof![
            any::<char>(),
            (0u32..0xa0).prop_filter_map("a character", char::from_u32),
            (0x2000u32..0x2070).prop_filter_map("a character", char::from_u32),
            Just('\u{1b}'),
            Just('['),
            Just('m'),
        ];
        prop::collection::vec(letter, 0..60).prop_map(String::from_iter)
    }

    proptest! {
        #[test]
        fn no_control_character_but_newline_and_tab_is_left(hostile in hostile()) {
            let harmless = text(&hostile);
            prop_assert!(harmless.chars().all(|c| !c.is_control() || matches!(c, '\n' | '\t')), "{harmless:?}");
            prop_assert_eq!(text(&harmless), harmless);
            prop_assert!(!line(&hostile).chars().any(char::is_control));
        }

        #[test]
        fn json_of_any_text_keeps_its_value(hostile in hostile()) {
            let printed = json(&serde_json::to_string(&hostile).unwrap());
            prop_assert_eq!(serde_json::from_str::<String>(&printed).unwrap(), hostile);
            prop_assert!(printed.chars().all(|c| !c.is_control()));
        }
    }
}
