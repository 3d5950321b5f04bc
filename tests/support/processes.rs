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

/// Whether the process is stopped.
pub(crate) fn is_stopped(pid: u32) -> bool {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    stat.rsplit_once(") ").is_some_and(|(_, rest)| rest.starts_with('T'))
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
