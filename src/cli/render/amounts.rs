//! Times, money and counts as people read them.

use std::time::Duration;

use crate::ids::Timestamp;

/// A length of time in its two largest units: `850 ms`, `12 s`, `3 min 20 s`, `2 h 5 min`, `3 d 4 h`.
pub(crate) fn length(length: Duration) -> String {
    let seconds = length.as_secs();
    match seconds {
        0 => format!("{} ms", length.as_millis()),
        1..60 => format!("{seconds} s"),
        60..3_600 => pair(seconds, 60, ("min", "s")),
        3_600..86_400 => pair(seconds / 60, 60, ("h", "min")),
        _ => pair(seconds / 3_600, 24, ("d", "h")),
    }
}

/// How long ago `then` was at `now`, in its largest unit: `now`, `12 s`, `3 min`, `2 h`, `3 d`.
pub(crate) fn ago(then: Timestamp, now: Timestamp) -> String {
    let seconds = now.since(then).as_secs();
    match seconds {
        0 => "now".to_owned(),
        1..60 => format!("{seconds} s"),
        60..3_600 => format!("{} min", seconds / 60),
        3_600..86_400 => format!("{} h", seconds / 3_600),
        _ => format!("{} d", seconds / 86_400),
    }
}

/// Dollars with as many places as tell something.
pub(super) fn dollars(amount: f64) -> String {
    // A sum of nothing is minus nothing.
    let amount = if amount == 0.0 { 0.0 } else { amount };
    if amount != 0.0 && amount.abs() < 0.01 { format!("${amount:.4}") } else { format!("${amount:.2}") }
}

/// A count with a comma between groups of three digits.
pub(super) fn count(number: u64) -> String {
    let digits = number.to_string();
    let mut grouped = String::new();
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    grouped
}

/// `1 commit`, `2 commits`.
pub(super) fn counted(number: u32, thing: &str) -> String {
    let plural = if number == 1 { "" } else { "s" };
    format!("{} {thing}{plural}", count(u64::from(number)))
}

fn pair(small: u64, per_large: u64, names: (&str, &str)) -> String {
    let (large, rest) = (small / per_large, small % per_large);
    if rest == 0 { format!("{large} {}", names.0) } else { format!("{large} {} {rest} {}", names.0, names.1) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_length_is_told_in_its_two_largest_units() {
        for (millis, words) in [
            (0, "0 ms"),
            (850, "850 ms"),
            (12_400, "12 s"),
            (60_000, "1 min"),
            (200_000, "3 min 20 s"),
            (7_500_000, "2 h 5 min"),
            (273_600_000, "3 d 4 h"),
        ] {
            assert_eq!(length(Duration::from_millis(millis)), words);
        }
    }

    #[test]
    fn a_time_ahead_of_the_clock_is_now() {
        assert_eq!(ago(Timestamp::from_millis(9_000), Timestamp::from_millis(0)), "now");
        assert_eq!(ago(Timestamp::from_millis(0), Timestamp::from_millis(190_000)), "3 min");
    }

    #[test]
    fn amounts_have_the_places_that_tell_something() {
        assert_eq!(dollars(0.25), "$0.25");
        assert_eq!(dollars(0.0031), "$0.0031");
        assert_eq!((dollars(0.0), dollars(-0.0)), ("$0.00".to_owned(), "$0.00".to_owned()));
        assert_eq!(count(1_234_567), "1,234,567");
        assert_eq!(count(999), "999");
        assert_eq!(
            (counted(1, "commit"), counted(2, "commit")),
            ("1 commit".to_owned(), "2 commits".to_owned())
        );
    }
}
