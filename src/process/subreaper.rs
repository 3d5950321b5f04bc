//! Orphans: where they go, and how what they leave is cleared away.

use std::{collections::BTreeSet, fs, io};

use rustix::process::{WaitOptions, waitpid};

use super::{
    pid::Pid,
    running::{Process, read, shown},
};

/// From now on, an orphan among the descendants of this process becomes its child and not that of
/// the first process of the machine. Programs started by this process do not inherit this.
pub fn become_one() -> io::Result<()> {
    // The value of the argument is a flag and not an id; any will do.
    rustix::process::set_child_subreaper(Some(Pid::current().kernel()))?;
    Ok(())
}

/// The children of this process, started or adopted, ended or not.
///
/// Read from `/proc/self/task/*/children`: asking the kernel to wait for "any child" would take the
/// exit status of a child that tokio waits for.
pub(super) fn children() -> io::Result<Vec<Process>> {
    let mut pids = BTreeSet::new();
    for task in fs::read_dir("/proc/self/task")? {
        // A thread that ended meanwhile has given its children to the others.
        let Some(text) = shown(fs::read_to_string(task?.path().join("children")))? else { continue };
        pids.extend(text.split_ascii_whitespace().filter_map(|pid| pid.parse::<Pid>().ok()));
    }
    let mut found = Vec::new();
    for pid in pids {
        match Process::of(pid) {
            Ok(process) => found.push(process),
            Err(error) => error.passed_over()?,
        }
    }
    Ok(found)
}

/// Clears away `child` if it has ended: true when it is gone.
pub(super) fn reap(child: Process) -> bool {
    match read(child.pid) {
        Ok(stat) if stat.started == child.started && stat.ended => {
            waitpid(Some(child.pid.kernel()), WaitOptions::NOHANG).is_ok_and(|status| status.is_some())
        }
        _ => false,
    }
}
