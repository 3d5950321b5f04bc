use proptest::prelude::*;

use super::*;

/// One word as systemd reads it: quotes and escapes as `extract_first_word` takes them with `EXTRACT_UNQUOTE` and
/// `EXTRACT_CUNESCAPE`, then the specifier `%%`. `None` where it would complain, or go on with another word.
fn read(word: &str) -> Option<String> {
    let inner = word.strip_prefix('"')?.strip_suffix('"')?;
    let (mut bytes, mut letters) = (Vec::new(), inner.chars());
    while let Some(letter) = letters.next() {
        match letter {
            '"' | '\n' | '\r' => return None,
            '\\' => match letters.next()? {
                'x' => {
                    let digits: String = letters.by_ref().take(2).collect();
                    bytes.push(u8::from_str_radix(&digits, 16).ok().filter(|byte| *byte != 0)?);
                }
                same @ ('"' | '\\') => bytes.push(u8::try_from(same).ok()?),
                _ => return None,
            },
            letter => bytes.extend(letter.encode_utf8(&mut [0; 4]).as_bytes()),
        }
    }
    filled(&String::from_utf8(bytes).ok()?, '%')
}

/// `mark` doubled is itself; anything else behind it would be filled in.
fn filled(text: &str, mark: char) -> Option<String> {
    let (mut filled, mut letters) = (String::new(), text.chars());
    while let Some(letter) = letters.next() {
        if letter == mark && letters.next() != Some(mark) {
            return None;
        }
        filled.push(letter);
    }
    Some(filled)
}

fn hostile() -> impl Strategy<Value = String> {
    let letters = prop_oneof![
        Just('%'),
        Just('$'),
        Just('"'),
        Just('\''),
        Just('\\'),
        Just('\n'),
        Just('\t'),
        Just(' '),
        Just(';'),
        Just('x'),
        Just('\u{7f}'),
        Just('é'),
        any::<char>(),
    ];
    prop::collection::vec(letters, 0..40)
        .prop_map(|letters| letters.into_iter().filter(|letter| *letter != '\0').collect())
}

proptest! {
    #[test]
    fn an_argument_comes_through_whatever_it_is(text in hostile()) {
        let word = argument(&text);
        prop_assert!(!word.contains(char::is_control) || text.contains(char::is_control));
        prop_assert!(!word.contains('\n'));
        prop_assert_eq!(read(&word).and_then(|word| filled(&word, '$')), Some(text));
    }

    #[test]
    fn a_variable_comes_through_or_is_refused(text in hostile()) {
        match variable("PATH", &text) {
            Ok(word) => prop_assert_eq!(read(&word), Some(format!("PATH={text}"))),
            Err(_) => prop_assert!(text.contains(char::is_control)),
        }
    }

    #[test]
    fn a_program_comes_through_or_is_refused(text in hostile()) {
        match program(&text) {
            Ok(word) => prop_assert_eq!(read(&word), Some(text)),
            Err(_) => prop_assert!(text.contains(|letter: char| letter.is_control() || "\"'\\".contains(letter))),
        }
    }
}
