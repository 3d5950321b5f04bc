//! A difference in colours.

use super::style::{Tone, paint};

/// The sanitised text of a unified diff, its lines coloured by what they mean.
pub(crate) fn patch(text: &str) -> String {
    let mut coloured = String::with_capacity(text.len());
    for line in text.lines() {
        let tone = match line.as_bytes() {
            [b'+', b'+', b'+', ..] | [b'-', b'-', b'-', ..] => Some(Tone::Strong),
            [b'+', ..] => Some(Tone::Good),
            [b'-', ..] => Some(Tone::Bad),
            [b'@', b'@', ..] => Some(Tone::Name),
            _ if line.starts_with("diff ") => Some(Tone::Strong),
            _ => None,
        };
        coloured.push_str(&tone.map_or_else(|| line.to_owned(), |tone| paint(tone, line)));
        coloured.push('\n');
    }
    coloured
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_patch_keeps_its_text() {
        let text = "diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-one\n+two\n same\n";
        assert_eq!(anstream::adapter::strip_str(&patch(text)).to_string(), text);
        assert_ne!(patch(text), text);
    }
}
