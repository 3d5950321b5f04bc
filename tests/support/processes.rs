//! The processes of a desk: which there are, and that none is left.

use std::{fs, time::Instant};

use rustix::process::{Pid, Signal, kill_process, kill_process_group};

use super::{
    cli::Desk,
    wait::{SOON, wait_until},
};

/// Processes that belong to `desk`, since their command line or environment names it, with their
/// command line.
pub(crate) fn processes(desk: &Desk) -> Vec<(u32, String)> {
    let mark = desk.path("").display().to_string();
    let mut found = Vec::new();
    for entry in fs::read_dir("/proc").unwrap().flatten() {
        let Ok(pid) = entry.file_name().to_string_lossy().parse::<u32>() else { continue };
        let read = |name: &str| fs::read(entry.path().join(name)).unwrap_or_default();
        let (line, environment) = (read("cmdline"), read("environ"));
        let text = String::from_utf8_lossy(&line).replace('\0', " ");
        if text.contains(&mark) || String::from_utf8_lossy(&environment).contains(&mark) {
            found.push((pid, text));
        }
    }
    found
}

/// Waits until no process of `desk` is left; fails with those that are.
#[track_caller]
pub(crate) fn nothing_left(desk: &Desk) {
    let begun = Instant::now();
    wait_until("no process of the run is left", 2 * SOON, || {
        let left = processes(desk);
        assert!(left.is_empty() || begun.elapsed() < SOON, "these are left: {left:?}");
        left.is_empty()
    });
}

/// The one process of `desk` whose command line `fits`.
#[track_caller]
pub(crate) fn the_process(desk: &Desk, fits: impl Fn(&str) -> bool) -> u32 {
    let all = processes(desk);
    let mut found = all.iter().filter(|(_, line)| fits(line));
    match (found.next(), found.next()) {
        (Some((pid, _)), None) => *pid,
        _ => panic!("not one such process: {all:?}"),
    }
}

/// Stops a process, and returns when none of its threads does anything any more: the signal only asks for it.
#[track_caller]
pub(crate) fn stop(pid: u32) {
    kill(pid, Signal::STOP);
    wait_until("the process is stopped", SOON, || is_stopped(pid));
}

/// Whether the process is there and each of its threads is stopped.
pub(crate) fn is_stopped(pid: u32) -> bool {
    let Ok(threads) = fs::read_dir(format!("/proc/{pid}/task")) else { return false };
    threads.flatten().all(|thread| {
        let stat = fs::read_to_string(thread.path().join("stat")).unwrap_or_default();
        stat.rsplit_once(") ").is_some_and(|(_, rest)| rest.starts_with('T'))
    })
}

/// The value of a variable that the process `pid` was started with; `None` also where it is gone.
pub(crate) fn variable(pid: u32, name: &str) -> Option<String> {
    let environment = fs::read(format!("/proc/{pid}/environ")).ok()?;
    let environment = String::from_utf8_lossy(&environment);
    let mut entries = environment.split('\0');
    Some(entries.find_map(|entry| entry.strip_prefix(name)?.strip_prefix('='))?.to_owned())
}

/// Kills whatever is left at `desk`, for tests that end before their runs do.
pub(crate) fn kill_all(desk: &Desk) {
    for _ in 0..100 {
        let found = processes(desk);
        if found.is_empty() {
            return;
        }
        for (pid, _) in found {
            // It may have ended by itself.
            let _ = kill_process(raw(pid), Signal::KILL);
        }
    }
}

/// Sends `signal` to one process.
#[track_caller]
pub(crate) fn kill(pid: u32, signal: Signal) {
    kill_process(raw(pid), signal).unwrap();
}

/// Sends `signal` to everything in the process group `leader`, as a terminal does.
#[track_caller]
pub(crate) fn kill_group(leader: u32, signal: Signal) {
    kill_process_group(raw(leader), signal).unwrap();
}

fn raw(pid: u32) -> Pid {
    Pid::from_raw(i32::try_from(pid).unwrap()).unwrap()
}
