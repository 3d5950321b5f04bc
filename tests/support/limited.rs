//! Commands and processes that are given less than they need of what a machine has.

use std::{
    fs,
    os::unix::fs::chown,
    path::Path,
    process::Command,
    sync::atomic::{AtomicU32, Ordering},
};

use rustix::{
    io::Errno,
    process::{Pid, Resource, Rlimit, prlimit},
};

use super::{
    cli::{CALLBOX, Desk, on_the_path},
    programs::skipped,
};

/// The variable of a command's that says what it is given at most, in the words of `prlimit`.
pub(crate) const LIMIT: &str = "LIMIT";
const LIMITED: &str = "${LIMIT:+/usr/bin/env prlimit $LIMIT --}";

/// A desk whose commands obey [`LIMIT`]; `None` where the program for that is missing, which is said loudly.
#[track_caller]
pub(crate) fn desk() -> Option<Desk> {
    led(Desk::new(), "")
}

/// The same for processes, which are counted by user: of one who has no others. `None` where there can be none.
#[track_caller]
pub(crate) fn desk_of_a_user_of_its_own() -> Option<Desk> {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    if !rustix::process::geteuid().is_root() {
        return led(Desk::new(), "/usr/bin/env unshare --user --map-user=1000 --map-group=1000 --");
    }
    let user = 1_000_000 + std::process::id() % 1_000_000 * 10 + NEXT.fetch_add(1, Ordering::Relaxed);
    let start = format!("/usr/bin/env setpriv --reuid={user} --regid={user} --clear-groups --");
    let started = Command::new("/bin/sh").args(["-c", &format!("{start} '{CALLBOX}' --version")]).output();
    if !started.is_ok_and(|started| started.status.success()) {
        skipped("another user cannot be taken on, or may not start callbox");
        return None;
    }
    let desk = led(Desk::new(), &start)?;
    give(&desk.path(""), user);
    Some(desk)
}

/// Gives `path` and all below it to whom `desk` belongs.
pub(crate) fn give_like(desk: &Desk, path: &Path) {
    use std::os::unix::fs::MetadataExt as _;
    give(path, fs::metadata(desk.path("")).unwrap().uid());
}

fn give(path: &Path, user: u32) {
    let found = fs::symlink_metadata(path).unwrap();
    if found.is_symlink() {
        return;
    }
    chown(path, Some(user), Some(user)).unwrap();
    if found.is_dir() {
        for entry in fs::read_dir(path).unwrap() {
            give(&entry.unwrap().path(), user);
        }
    }
}

fn led(mut desk: Desk, start: &str) -> Option<Desk> {
    if on_the_path("prlimit").is_none() {
        skipped("the program `prlimit` is needed to limit others");
        return None;
    }
    desk.lead_through(&format!("/usr/bin/env PATH=\"$PATH:/usr/bin:/bin\" {start} {LIMITED}"));
    Some(desk)
}

/// Leaves the process `pid` no descriptor but those it has. Dropped, it is given back what it had.
pub(crate) struct NoDescriptors {
    pid: u32,
    before: Rlimit,
}

impl NoDescriptors {
    pub(crate) fn left_to(pid: u32) -> Self {
        let is_open = |number: &u64| fs::symlink_metadata(format!("/proc/{pid}/fd/{number}")).is_ok();
        let free = (0..1 << 20).find(|number| !is_open(number));
        let limits = fs::read_to_string(format!("/proc/{pid}/limits")).unwrap();
        let files = limits.lines().find_map(|line| line.strip_prefix("Max open files")).unwrap();
        let mut numbers = files.split_ascii_whitespace().map(|number| number.parse().ok());
        let before = Rlimit { current: numbers.next().unwrap(), maximum: numbers.next().unwrap() };
        limit(pid, Rlimit { current: free, ..before });
        Self { pid, before }
    }
}

impl Drop for NoDescriptors {
    fn drop(&mut self) {
        limit(self.pid, self.before);
    }
}

/// One that has ended needs nothing back.
fn limit(pid: u32, limit: Rlimit) {
    let limited = prlimit(Pid::from_raw(i32::try_from(pid).unwrap()), Resource::Nofile, limit);
    assert!(matches!(limited, Ok(_) | Err(Errno::SRCH)), "{limited:?}");
}
