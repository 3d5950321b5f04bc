//! The day on which money is counted: the calendar day of this machine's time zone.

use chrono::{DateTime, Days, Local, NaiveTime, Utc};

use crate::ids::Timestamp;

/// One day.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Day {
    /// Its first instant.
    pub(super) start: Timestamp,
    /// The first instant of the next one.
    pub(super) end: Timestamp,
}

impl Day {
    /// The one that `now` is in.
    pub(super) fn of(now: Timestamp) -> Self {
        Self::within(&Local, now)
    }

    fn within<Zone: chrono::TimeZone>(zone: &Zone, now: Timestamp) -> Self {
        let utc = DateTime::<Utc>::from_timestamp_millis(now.millis()).unwrap_or_default();
        let today = utc.with_timezone(zone).date_naive();
        let midnight = |date: chrono::NaiveDate| {
            // Where clocks are put forward at midnight the day begins an hour later.
            let naive = date.and_time(NaiveTime::MIN);
            let later = naive + chrono::TimeDelta::hours(1);
            let first = zone.from_local_datetime(&naive).earliest();
            first.or_else(|| zone.from_local_datetime(&later).earliest())
        };
        let stamp = |date| midnight(date).map(|time| Timestamp::from_millis(time.timestamp_millis()));
        let tomorrow = today.checked_add_days(Days::new(1)).unwrap_or(today);
        Self { start: stamp(today).unwrap_or(now), end: stamp(tomorrow).unwrap_or(now) }
    }
}

#[cfg(test)]
mod tests {
    use chrono::FixedOffset;

    use super::*;

    #[test]
    fn a_day_is_from_midnight_to_midnight_where_the_machine_is() {
        let zone = FixedOffset::east_opt(2 * 3600).unwrap();
        let now = Timestamp::parse("2026-11-30T23:30:00Z").unwrap();
        let day = Day::within(&zone, now);
        assert_eq!(day.start, Timestamp::parse("2026-11-30T22:00:00Z").unwrap());
        assert_eq!(day.end, Timestamp::parse("2026-12-01T22:00:00Z").unwrap());
        let here = Day::of(now);
        assert!(here.start <= now && now < here.end);
    }
}
