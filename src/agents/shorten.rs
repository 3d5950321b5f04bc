//! Long words made short enough to be stored and shown.

use std::iter;

/// `text` in one line of at most `limit` characters; where something was left out, `…` ends it.
pub(super) fn shorten(text: &str, limit: usize) -> String {
    let mut words = text.split_whitespace();
    let first = words.next().unwrap_or_default().chars();
    let rest = words.flat_map(|word| iter::once(' ').chain(word.chars()));
    let mut line: Vec<char> = first.chain(rest).take(limit + 1).collect();
    if line.len() > limit {
        line.truncate(limit.saturating_sub(1));
        line.push('…');
    }
    line.into_iter().collect()
}

/// The first `limit` characters of `text`, lines kept; where something was left out, `…` ends it.
pub(super) fn cut(text: &str, limit: usize) -> String {
    match text.char_indices().nth(limit) {
        None => text.to_owned(),
        Some((end, _)) => format!("{}…", &text[..end]),
    }
}

/// `text`, every line set in.
pub(super) fn indented(text: &str) -> String {
    text.lines().map(|line| format!("  {line}")).collect::<Vec<_>>().join("\n")
}

/// `message`, and behind it the last `limit` characters of `tail`, where it says anything.
pub(super) fn with_tail(message: String, tail: &str, limit: usize) -> String {
    let tail = tail.trim();
    let start = tail.char_indices().rev().nth(limit.saturating_sub(1)).map_or(0, |(start, _)| start);
    if tail.is_empty() { message } else { format!("{message}: {}", &tail[start..]) }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn lines_become_one_and_what_fits_is_left_whole() {
        assert_eq!(shorten("cargo\n  test", 20), "cargo test");
        assert_eq!(shorten("cargo test --all", 10), "cargo tes…");
        assert_eq!(shorten("", 10), "");
        assert_eq!(cut("a\nb", 3), "a\nb");
        assert_eq!(cut("äöü", 2), "äö…");
    }

    proptest! {
        #[test]
        fn no_text_becomes_longer_than_the_limit(text in any::<String>(), limit in 1_usize..300) {
            let short = shorten(&text, limit);
            prop_assert!(short.chars().count() <= limit);
            prop_assert!(!short.contains('\n'));
        }
    }
}
