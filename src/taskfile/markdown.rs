//! Markdown with YAML front matter whose body is the instructions.

/// The two parts of a Markdown task file, each with the line it begins on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Parts<'a> {
    /// The YAML between the rules; absent where the file begins with its body.
    pub front: Option<(&'a str, usize)>,
    /// The rest.
    pub body: (&'a str, usize),
}

/// Splits `text` at its `---` lines; `None` when the front matter has no end.
pub(super) fn split(text: &str) -> Option<Parts<'_>> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut lines = text.split_inclusive('\n');
    let first = lines.next().unwrap_or_default();
    if !is_rule(first) {
        return Some(Parts { front: None, body: (text, 1) });
    }
    let mut at = first.len();
    for (place, line) in lines.enumerate() {
        if is_rule(line) {
            let body = &text[at + line.len()..];
            return Some(Parts { front: Some((&text[first.len()..at], 2)), body: (body, place + 3) });
        }
        at += line.len();
    }
    None
}

fn is_rule(line: &str) -> bool {
    line.trim_end() == "---"
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn front_matter_and_body_know_their_lines() {
        let parts = split("---\nname: x\r\n---\r\n\nDo it.\n---\n").unwrap();
        assert_eq!(parts.front, Some(("name: x\r\n", 2)));
        assert_eq!(parts.body, ("\nDo it.\n---\n", 4));
    }

    #[test]
    fn a_file_without_front_matter_is_all_body() {
        assert_eq!(split("# Do it\n---\n"), Some(Parts { front: None, body: ("# Do it\n---\n", 1) }));
    }

    #[test]
    fn front_matter_without_an_end_is_refused() {
        assert_eq!(split("---\nname: x\n"), None);
    }

    proptest! {
        #[test]
        fn any_text_is_split_or_refused(text in "(---|[-a\\r\\n日]){0,20}") {
            let _ = split(&text);
        }
    }
}
