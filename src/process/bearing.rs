//! What a process carries of the run it belongs to, for when its ancestors no longer lead there.

use std::{
    ffi::OsStr,
    fs, io,
    os::unix::ffi::OsStrExt as _,
    path::{Path, PathBuf},
};

use super::{
    attending::attends_any,
    running::{Process, shown},
};
use crate::{
    ids::ExecutionNumber,
    vocabulary::{EXECUTION_VARIABLE, SOCKET_VARIABLE},
};

/// The number of an execution, and places that tell of which state directory: numbers count up in each,
/// and a process of another one may carry the same. A process can lay it down, so that nothing may be
/// granted for its lack that its presence would not have been refused.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Bearing {
    /// The value of `CALLBOX_EXECUTION`.
    pub execution: ExecutionNumber,
    /// Where it puts temporary files; as its environment says.
    pub(super) tmpdir: Option<PathBuf>,
    /// Where it works; without links.
    pub(super) directory: Option<PathBuf>,
    /// The socket it was given to speak through; as its environment says.
    pub(super) socket: Option<PathBuf>,
}

impl Bearing {
    /// What `process` carries; `None` where it carries no number, and where its environment cannot be
    /// read: it is another user's then, or does not show itself. An error where nobody looked, for lack of
    /// descriptors or memory.
    pub fn of(process: Process) -> io::Result<Option<Self>> {
        let environment = shown(fs::read(format!("/proc/{}/environ", process.pid)))?;
        let Some((execution, tmpdir, socket)) = environment.as_deref().and_then(carried) else {
            return Ok(None);
        };
        Ok(Some(Self { execution, tmpdir, directory: directory(process)?, socket }))
    }

    /// The run, of whichever state directory, that `process` belongs to by what it carries, or attends by the
    /// lock that it holds open; `None` too where neither can be seen, and an error where nobody looked.
    pub fn run_of(process: Process) -> io::Result<Option<ExecutionNumber>> {
        match Self::of(process)? {
            Some(bearing) => Ok(Some(bearing.execution)),
            None => attends_any(process),
        }
    }

    /// Whether it belongs to a run of the state directory at `root`, an absolute path without links.
    pub fn is_within(&self, root: &Path) -> bool {
        [&self.tmpdir, &self.directory, &self.socket].into_iter().flatten().any(|place| {
            place.starts_with(root) || place.canonicalize().is_ok_and(|place| place.starts_with(root))
        })
    }
}

/// The number in an environment, and what else in it tells whose it is.
fn carried(environment: &[u8]) -> Option<(ExecutionNumber, Option<PathBuf>, Option<PathBuf>)> {
    let value = |name: &str| {
        let mut entries = environment.split(|byte| *byte == 0);
        entries.find_map(|entry| entry.strip_prefix(name.as_bytes())?.strip_prefix(b"="))
    };
    let path = |name| value(name).map(|value| PathBuf::from(OsStr::from_bytes(value)));
    let execution = std::str::from_utf8(value(EXECUTION_VARIABLE)?).ok()?.parse().ok()?;
    Some((execution, path("TMPDIR"), path(SOCKET_VARIABLE)))
}

/// The kernel shows working directories without links, and says where one was removed.
fn directory(process: Process) -> io::Result<Option<PathBuf>> {
    let directory = shown(fs::read_link(format!("/proc/{}/cwd", process.pid)))?;
    Ok(directory.map(|directory| {
        let bytes = directory.as_os_str().as_bytes();
        let bytes = bytes.strip_suffix(b" (deleted)").unwrap_or(bytes);
        PathBuf::from(OsStr::from_bytes(bytes))
    }))
}

#[cfg(test)]
mod tests {
    use std::{
        io::Read as _,
        os::unix::fs::symlink,
        process::{Child, Command, Stdio},
    };

    use super::*;
    use crate::{layout::StateDir, process::Pid};

    fn bearing(directory: &Path, variables: &[(&str, &Path)]) -> Option<Bearing> {
        let there = |command: &mut Command| {
            command.current_dir(directory);
        };
        seen(variables, there, Bearing::of).unwrap()
    }

    /// What `look` finds of a living process with these variables and what `prepare` gives it.
    fn seen<T>(
        variables: &[(&str, &Path)],
        prepare: impl FnOnce(&mut Command),
        look: impl FnOnce(Process) -> T,
    ) -> T {
        let mut command = Command::new("/bin/sh");
        command.args(["-c", "echo; read line"]).env_clear().envs(variables.iter().copied());
        command.stdin(Stdio::piped()).stdout(Stdio::piped());
        prepare(&mut command);
        let mut child: Child = command.spawn().unwrap();
        // In the middle of its `exec` a process shows no environment.
        child.stdout.as_mut().unwrap().read_exact(&mut [0]).unwrap();
        let found = look(Process::of(Pid::new(child.id()).unwrap()).unwrap());
        child.kill().unwrap();
        child.wait().unwrap();
        found
    }

    #[test]
    fn a_run_of_any_state_directory_is_known_by_what_is_carried_or_held_open() {
        let folder = tempfile::tempdir().unwrap();
        let state = StateDir::at(folder.path().canonicalize().unwrap());
        let number = ExecutionNumber::new(31);
        fs::create_dir_all(state.execution(number)).unwrap();
        let carried = ("CALLBOX_EXECUTION", Path::new("x7"));
        for (held, variables, run) in [
            (state.alive(number), vec![], Some(31)),
            (state.agent_log(number), vec![], None),
            (state.root().join("alive"), vec![], None),
            (state.agent_log(number), vec![carried], Some(7)),
        ] {
            let held = fs::File::create(held).unwrap();
            let holding = |command: &mut Command| {
                command.stderr(held);
            };
            let found = seen(&variables, holding, Bearing::run_of);
            assert_eq!(found.unwrap(), run.map(ExecutionNumber::new), "{variables:?}");
        }
    }

    #[test]
    fn a_process_belongs_where_its_number_and_any_of_its_places_lead() {
        let folder = tempfile::tempdir().unwrap();
        let (root, link) = (folder.path().join("state"), folder.path().join("link"));
        fs::create_dir_all(root.join("agent")).unwrap();
        fs::write(root.join("agent/agent.sock"), "").unwrap();
        symlink(&root, &link).unwrap();
        let number = ("CALLBOX_EXECUTION", Path::new("x31"));
        let (inside, linked) = (root.join("agent"), link.join("agent/agent.sock"));
        for (directory, variables, within) in [
            (Path::new("/"), vec![number, ("TMPDIR", &*inside)], true),
            (&inside, vec![number], true),
            (Path::new("/"), vec![number, ("CALLBOX_SOCKET", &*linked)], true),
            (Path::new("/"), vec![number, ("TMPDIR", folder.path())], false),
            (Path::new("/"), vec![number], false),
        ] {
            let found = bearing(directory, &variables).unwrap();
            assert_eq!(found.execution, ExecutionNumber::new(31));
            assert_eq!(found.is_within(&root), within, "{found:?}");
        }
        assert_eq!(bearing(&inside, &[("TMPDIR", &*inside)]), None, "places alone are no run's");
        assert_eq!(bearing(&inside, &[("CALLBOX_EXECUTION", Path::new("none"))]), None);
    }
}
