//! Waiting for a state, never for a time.

use std::{
    thread,
    time::{Duration, Instant},
};

/// Long enough for anything that happens at all, on a loaded machine too.
pub(crate) const SOON: Duration = Duration::from_secs(20);

/// Waits until `predicate` holds; fails, naming `what` was waited for, after `deadline`.
#[track_caller]
pub(crate) fn wait_until(what: &str, deadline: Duration, mut predicate: impl FnMut() -> bool) {
    let begun = Instant::now();
    while !predicate() {
        assert!(begun.elapsed() < deadline, "waited {deadline:?} in vain until {what}");
        thread::sleep(Duration::from_millis(10));
    }
}
