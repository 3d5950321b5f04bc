//! `{{name}}` in instructions, filled from `--var name=value`.

use std::collections::{BTreeMap, BTreeSet};

/// Instructions with their places filled, and what was found on the way.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Filled {
    /// The text.
    pub text: String,
    /// Names that stand in it.
    pub used: BTreeSet<String>,
    /// Those of them that have no value.
    pub missing: BTreeSet<String>,
}

/// Puts the values of `vars` in their places. A value is not searched again, so that `{{x}}` can be
/// kept as it stands by giving it to itself. Double braces around anything but one name, such as
/// `${{ secrets.KEY }}`, are left alone.
pub(super) fn fill(text: &str, vars: &BTreeMap<String, String>) -> Filled {
    let mut filled = Filled::default();
    let mut rest = text;
    while let Some(at) = rest.find("{{") {
        let (before, from) = rest.split_at(at);
        filled.text.push_str(before);
        let Some((name, length)) = placeholder(from) else {
            // One brace only: the next may begin a place, as in `{{{name}}`.
            filled.text.push('{');
            rest = &from[1..];
            continue;
        };
        filled.used.insert(name.to_owned());
        match vars.get(name) {
            Some(value) => filled.text.push_str(value),
            None => {
                filled.missing.insert(name.to_owned());
            }
        }
        rest = &from[length..];
    }
    filled.text.push_str(rest);
    filled
}

/// Whether `name` can stand in a place.
pub(super) fn is_name(name: &str) -> bool {
    name.starts_with(|letter: char| letter.is_ascii_alphabetic() || letter == '_')
        && name.chars().all(|letter| letter.is_ascii_alphanumeric() || matches!(letter, '_' | '-'))
}

/// The name in the place that `from` begins with, and the length of the whole place in bytes.
fn placeholder(from: &str) -> Option<(&str, usize)> {
    let inner = from.strip_prefix("{{")?;
    let end = inner.find("}}")?;
    let name = inner[..end].trim_matches(' ');
    is_name(name).then_some((name, end + 4))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn vars() -> BTreeMap<String, String> {
        [("a".to_owned(), "{{b}}".to_owned()), ("b".to_owned(), "two".to_owned())].into()
    }

    #[test]
    fn a_value_takes_its_place_and_is_not_searched_again() {
        let filled = fill("x {{a}} {{ b }} {{{b}}} y", &vars());
        assert_eq!(filled.text, "x {{b}} two {two} y");
        assert_eq!(filled.used, ["a".to_owned(), "b".to_owned()].into());
    }

    #[test]
    fn a_place_without_a_value_is_named() {
        assert_eq!(fill("{{c}}", &vars()).missing, ["c".to_owned()].into());
    }

    #[test]
    fn braces_around_anything_but_a_name_are_left_alone() {
        for text in ["${{ secrets.KEY }}", "{{", "}}", "{{}}", "{{a b}}", "{a}", "{{a}", "{{日}}"] {
            assert_eq!(fill(text, &vars()), Filled { text: text.to_owned(), ..Filled::default() });
        }
    }

    proptest! {
        #[test]
        fn text_without_places_comes_back_as_it_was(text in "[^{]{0,60}") {
            prop_assert_eq!(fill(&text, &vars()).text, text);
        }

        #[test]
        fn any_text_is_filled(text in "[{}ab \\n日]{0,60}") {
            let _ = fill(&text, &vars());
        }
    }
}
