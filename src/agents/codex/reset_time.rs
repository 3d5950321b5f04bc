//! When a limit is over, out of Codex's words for people: it tells of it in no other way.

use chrono::{DateTime, NaiveDateTime, NaiveTime, Utc};

use crate::ids::Timestamp;

/// How Codex begins to say it; the first letter may be a capital one.
const BEGINNING: &str = "ry again at ";

/// Codex leaves out the seconds.
const MINUTE: i64 = 60_000;

/// The time in `words`, such as `… or try again at Dec 1st, 2026 4:39 AM.`, of the same day such as `try again at 4:39
/// AM.`. Codex writes it for the time zone of its process, which the adapter makes UTC; `now` tells which day it is.
pub(in crate::agents) fn reset_time(words: &str, now: Timestamp) -> Option<Timestamp> {
    let (_, rest) = words.rsplit_once(BEGINNING)?;
    let said = rest.split_once('.').map_or(rest, |(said, _)| said).trim();
    let time = match NaiveTime::parse_from_str(said, "%I:%M %p") {
        Ok(time) => DateTime::<Utc>::from_timestamp_millis(now.millis())?.date_naive().and_time(time),
        Err(_) => NaiveDateTime::parse_from_str(&plain(said)?, "%b %d %Y %I:%M %p").ok()?,
    };
    Some(Timestamp::from_millis(time.and_utc().timestamp_millis().saturating_add(MINUTE)))
}

/// `Dec 1st, 2026 4:39 AM` without what stands behind the day.
fn plain(said: &str) -> Option<String> {
    let (day, rest) = said.split_once(',')?;
    let day = day.trim_end_matches(|letter: char| letter.is_ascii_alphabetic());
    Some(format!("{day} {}", rest.trim()))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_time_of_another_day_and_one_of_this_day_are_read_to_the_end_of_their_minute() {
        let now = Timestamp::parse("2026-11-30T22:00:00Z").unwrap();
        for (words, expected) in [
            (
                "You’ve hit your usage limit. Upgrade (https://x.y/z), or try again at Dec 1st, 2026 4:39 AM.",
                "2026-12-01T04:40:00.000Z",
            ),
            (
                "You've hit your usage limit. Try again at Oct 22nd, 2096 12:06 PM.",
                "2096-10-22T12:07:00.000Z",
            ),
            ("hit your usage limit or try again at 11:05 PM.", "2026-11-30T23:06:00.000Z"),
            ("hit your usage limit or try again at 12:00 AM.", "2026-11-30T00:01:00.000Z"),
        ] {
            assert_eq!(reset_time(words, now).unwrap().to_string(), expected, "{words}");
        }
        for words in ["try again later.", "try again at noon.", "try again at Dec 41st, 2026 4:39 AM.", ""] {
            assert_eq!(reset_time(words, now), None, "{words}");
        }
    }

    proptest! {
        #[test]
        fn no_words_whatever_panic(words in "(\\PC|try again at |Dec|AM|,|[0-9]|:){0,40}", now in any::<i64>()) {
            reset_time(&words, Timestamp::from_millis(now));
        }
    }
}
