//! How much of its time a run has left, for its agent.

use std::time::Duration;

/// A sentence for an agent whose run may take `limit` and began `since` ago; empty where there is no limit, or
/// nothing is known to be left of it. The machine may have slept meanwhile, which does not count.
pub(super) fn time_left(limit: Option<Duration>, since: Duration) -> String {
    let Some(left) = limit.and_then(|limit| limit.checked_sub(since)) else { return String::new() };
    match left.as_secs() {
        0 => String::new(),
        seconds @ 1..120 => format!(" At least {seconds} s of this run's time are left."),
        seconds => format!(" At least {} min of this run's time are left.", seconds / 60),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_left_is_said_in_whole_units_and_never_below_nothing() {
        let left =
            |limit: u64, since| time_left(Some(Duration::from_secs(limit)), Duration::from_secs(since));
        assert_eq!(left(3600, 1770), " At least 30 min of this run's time are left.");
        assert_eq!(left(60, 15), " At least 45 s of this run's time are left.");
        for nothing in [left(60, 60), left(60, 90), time_left(None, Duration::ZERO)] {
            assert_eq!(nothing, "");
        }
    }
}
