//! Lengths of time as people write them: `500ms`, `90s`, `15m`, `2h`, `7d`.

use std::time::Duration;

/// The longest length that is read, in days: more is a slip of the keyboard.
const MAX_DAYS: u64 = 365;

/// Text that is not a length of time.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{text}` is not a length of time such as `500ms`, `90s`, `15m` or `2h` of at most {MAX_DAYS} days")]
pub struct ParseDurationError {
    /// What was given.
    pub text: String,
}

/// Reads one whole number and one unit of `ms`, `s`, `m`, `h`, `d`, at most 365 days.
///
/// A number without a unit is refused: nobody remembers whether it meant seconds or milliseconds.
pub fn parse_duration(text: &str) -> Result<Duration, ParseDurationError> {
    read(text).ok_or_else(|| ParseDurationError { text: text.chars().take(60).collect() })
}

fn read(text: &str) -> Option<Duration> {
    let unit_at = text.find(|letter: char| !letter.is_ascii_digit())?;
    let (digits, unit) = text.split_at(unit_at);
    let number: u64 = digits.parse().ok()?;
    let millis = match unit {
        "ms" => 1,
        "s" => 1_000,
        "m" => 60_000,
        "h" => 3_600_000,
        "d" => 86_400_000,
        _ => return None,
    };
    let length = Duration::from_millis(number.checked_mul(millis)?);
    (length <= Duration::from_secs(MAX_DAYS * 86_400)).then_some(length)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_length_is_a_number_and_a_unit() {
        for (text, millis) in [
            ("500ms", 500),
            ("90s", 90_000),
            ("15m", 900_000),
            ("2h", 7_200_000),
            ("1d", 86_400_000),
            ("0s", 0),
        ] {
            assert_eq!(parse_duration(text), Ok(Duration::from_millis(millis)), "{text}");
        }
    }

    #[test]
    fn what_is_no_length_is_refused_with_examples() {
        for text in ["", "90", "s", "1.5h", "-1s", " 1s", "1 s", "1s ", "1w", "366d", "99999999999999999999s"]
        {
            let error = parse_duration(text).unwrap_err();
            assert!(error.to_string().contains("such as `500ms`"), "{error}");
        }
    }

    proptest! {
        #[test]
        fn any_text_is_read_or_refused(text in "\\PC{0,20}|[0-9]{0,25}[a-z]{0,3}") {
            let _ = parse_duration(&text);
        }
    }
}
