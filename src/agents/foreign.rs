//! Words that are not the task owner's, written so that an agent program takes them as words.

use crate::vocabulary::{Fault, Message};

/// Escapes what Claude Code, Gemini CLI and their kin would expand inside a prompt: `@path` reads
/// that file into the conversation, `\@path` does not (measured with Claude Code 2.1.332).
///
/// An address such as `jane@example.com` stays as it is, since Claude expands nothing behind a letter
/// or digit and an agent would write the backslash into its work. Commands (`/clear`, `!ls`, `#memo`)
/// count only at the start of a prompt, which is always callbox's own.
pub(super) fn quote_foreign(text: &str) -> String {
    let mut quoted = String::with_capacity(text.len());
    let mut before = None;
    for letter in text.chars() {
        if letter == '@' && !before.is_some_and(|letter: char| letter.is_ascii_alphanumeric()) {
            quoted.push('\\');
        }
        quoted.push(letter);
        before = Some(letter);
    }
    quoted
}

/// `message` for a program that expands `@path`. At the start of a prompt `/`, `!` and `#` are commands of such
/// programs (`/clear` would end "well" without a turn), so one that does not begin with callbox's own words is refused.
pub(super) fn quoted_message(message: &Message) -> Result<String, Fault> {
    begun_by_callbox(message.text(quote_foreign))
}

/// `message` for a program that expands nothing, under the same condition.
pub(super) fn plain_message(message: &Message) -> Result<String, Fault> {
    begun_by_callbox(message.text(str::to_owned))
}

fn begun_by_callbox(text: String) -> Result<String, Fault> {
    if text.trim_start().starts_with(|letter: char| letter.is_alphanumeric()) {
        Ok(text)
    } else {
        Err(Fault::new("internal", "a message to an agent must begin with callbox's own words"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reference_to_a_file_is_escaped_and_an_address_is_not() {
        for (text, quoted) in [
            ("@/etc/hosts", "\\@/etc/hosts"),
            ("see @a and\t@\"b c\"", "see \\@a and\t\\@\"b c\""),
            ("。@a", "。\\@a"),
            ("jane@example.com", "jane@example.com"),
            ("@@", "\\@\\@"),
            ("", ""),
        ] {
            assert_eq!(quote_foreign(text), quoted);
        }
    }
}
