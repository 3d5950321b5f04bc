//! Who holds open the lock by which an execution's supervisor is known to live.

use std::{fs, io, path::Path};

use super::running::{Process, shown};
use crate::{ids::ExecutionNumber, layout::StateDir};

/// An execution of `state` whose `alive` file `process` holds open: it supervises that execution, or as
/// a store watches whoever does. `None` where there is none, and where its descriptors cannot be seen:
/// then it is no process of this user's that shows itself, as supervisors and stores do. An error where nobody
/// looked, for lack of descriptors or memory.
///
/// Found from the process and not from the files, of which there are as many as there ever were
/// executions. The paths of `state` must be absolute and without links.
pub fn attends(process: Process, state: &StateDir) -> io::Result<Option<ExecutionNumber>> {
    attended(process, |path| (path.ancestors().nth(3)? == state.root()).then(|| state.clone()))
}

/// The same of any state directory: the open file itself says which.
pub(super) fn attends_any(process: Process) -> io::Result<Option<ExecutionNumber>> {
    attended(process, |path| Some(StateDir::at(path.ancestors().nth(3)?)))
}

/// `state_of` says in which state directory an open file would be the lock of an execution.
fn attended(
    process: Process,
    state_of: impl Fn(&Path) -> Option<StateDir>,
) -> io::Result<Option<ExecutionNumber>> {
    let descriptors = shown(fs::read_dir(format!("/proc/{}/fd", process.pid)))?;
    let mut opened =
        descriptors.into_iter().flatten().flatten().filter_map(|entry| fs::read_link(entry.path()).ok());
    Ok(opened.find_map(|path| {
        let number = path.parent()?.file_name()?.to_str()?.parse().ok()?;
        (state_of(&path)?.alive(number) == path).then_some(number)
    }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::process::alive;

    #[test]
    fn whoever_holds_the_lock_of_an_execution_attends_it_and_nobody_of_another_state() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        let (state, other) = (StateDir::at(root.join("state")), StateDir::at(root.join("other")));
        let number = ExecutionNumber::new(31);
        fs::create_dir_all(state.execution(number)).unwrap();
        let this = Process::current().unwrap();
        assert_eq!(attends(this, &state).unwrap(), None);
        let _log = fs::File::create(state.agent_log(number)).unwrap();
        assert_eq!(attends(this, &state).unwrap(), None);
        let held = alive::hold(&state.alive(number)).unwrap();
        assert_eq!((attends(this, &state).unwrap(), attends(this, &other).unwrap()), (Some(number), None));
        drop(held);
        assert_eq!(attends(this, &state).unwrap(), None);
    }
}
