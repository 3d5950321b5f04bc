//! When a provider that refuses for now says that it will serve again.

use std::time::Duration;

use crate::ids::Timestamp;

/// What stands before how long it takes.
const BEFORE: [&str; 3] = ["retry in ", "retry after ", "reset after "];

/// Longer than any limit of a provider's lasts: whatever says more is no reset time.
const LONGEST: Duration = Duration::from_secs(31 * 24 * 3600);

/// The time that `words`, said at `at`, name; the latest where there are several.
pub(in crate::agents) fn reset_time(words: &str, at: Timestamp) -> Option<Timestamp> {
    let waits = BEFORE.into_iter().flat_map(|before| words.split(before).skip(1)).filter_map(wait);
    waits.max().map(|wait| at.plus(wait))
}

/// A wait such as `7h2m1.5s`, at the beginning of `text`.
fn wait(text: &str) -> Option<Duration> {
    let mut seconds = 0.0;
    let mut rest = text;
    let mut told = false;
    while let Some(end) = rest.find(|letter: char| !(letter.is_ascii_digit() || letter == '.')) {
        let Ok(number) = rest[..end].parse::<f64>() else { break };
        let unit: &str = &rest[end..];
        let (factor, length) = match unit.as_bytes() {
            [b'm', b's', ..] => (0.001, 2),
            [b's', ..] => (1.0, 1),
            [b'm', ..] => (60.0, 1),
            [b'h', ..] => (3600.0, 1),
            [b'd', ..] => (86400.0, 1),
            _ => break,
        };
        seconds += number * factor;
        rest = &unit[length..];
        told = true;
    }
    let wait = Duration::try_from_secs_f64(seconds).ok()?;
    (told && wait <= LONGEST).then_some(wait)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_wait_is_read_in_all_its_units_and_the_longest_counts() {
        let seconds = |words: &str| reset_time(words, Timestamp::from_millis(0)).map(Timestamp::millis);
        for (words, millis) in [
            ("Please retry in 4.5s.\nSuggested retry after 4s.", Some(4500)),
            ("You have exhausted your capacity. Your quota will reset after 18h31m10s.", Some(66_670_000)),
            ("retry in 850ms", Some(850)),
            ("retry in 2d", Some(172_800_000)),
            ("retry in 99999h", None),
            ("retry in a moment", None),
            ("retry in ", None),
            ("retry in 5", None),
            ("quota exceeded", None),
        ] {
            assert_eq!(seconds(words), millis, "{words}");
        }
    }

    proptest! {
        #[test]
        fn no_words_panic_or_name_a_time_too_far_away(words in "(retry in |reset after |[0-9.hmsd ]|.){0,30}") {
            let until = reset_time(&words, Timestamp::from_millis(0));
            prop_assert!(until.is_none_or(|until| until <= Timestamp::from_millis(0).plus(LONGEST)));
        }
    }
}
