//! Waiting for a state, never for a time.

use std::{
    fs,
    path::Path,
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

/// Waits until these words stand in a file. Nobody's store is disturbed by that.
#[track_caller]
pub(crate) fn wait_for_words(path: impl AsRef<Path>, words: &str) {
    let path = path.as_ref();
    wait_until(&format!("{} says {words:?}", path.display()), 3 * SOON, || {
        fs::read_to_string(path).is_ok_and(|text| text.contains(words))
    });
}
