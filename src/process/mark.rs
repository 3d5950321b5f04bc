//! Processes of one execution, by what they carry rather than by who started them.

use std::{fs, io, path::PathBuf};

use super::{
    bearing::Bearing,
    running::{Process, all},
};
use crate::ids::ExecutionNumber;

/// What the processes of one execution carry. The variable alone is not enough: numbers count up in
/// each state directory, and a process of another one may carry the same.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mark {
    /// The value of `CALLBOX_EXECUTION`.
    pub execution: ExecutionNumber,
    /// The absolute folder of the execution; its processes have their `TMPDIR` in it.
    pub tmpdir: PathBuf,
    /// The absolute directory the agent works in.
    pub sandbox: PathBuf,
    /// The absolute path of the socket that the state directory's agents speak through: all that a command which a
    /// person started carries beside the number.
    pub socket: PathBuf,
}

/// Every living process that carries `mark`, this one left out. Processes whose environment cannot
/// be read are another user's or do not show themselves; they are not found.
pub fn marked(mark: &Mark) -> io::Result<Vec<Process>> {
    let own = Process::current().ok();
    let resolved = |path: &PathBuf| fs::canonicalize(path).unwrap_or_else(|_| path.clone());
    let (folder, sandbox) = (resolved(&mark.tmpdir), resolved(&mark.sandbox));
    let socket = resolved(&mark.socket);
    let carries = |bearing: &Bearing| {
        let has_socket = |given: &PathBuf| *given == mark.socket || *given == socket;
        let has_tmpdir = |tmpdir: &PathBuf| tmpdir.starts_with(&folder) || tmpdir.starts_with(&mark.tmpdir);
        bearing.execution == mark.execution
            && (bearing.tmpdir.as_ref().is_some_and(has_tmpdir)
                || bearing.socket.as_ref().is_some_and(has_socket)
                || bearing.directory.as_ref().is_some_and(|directory| directory.starts_with(&sandbox)))
    };
    let mut found = Vec::new();
    for (process, stat) in all()? {
        if Some(process) != own && !stat.ended && Bearing::of(process)?.as_ref().is_some_and(carries) {
            found.push(process);
        }
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use std::{
        ffi::OsStr,
        path::Path,
        process::{Child, Command, Stdio},
    };

    use super::*;
    use crate::process::Pid;

    struct Waiting(Child);

    impl Waiting {
        fn start(directory: &Path, variables: &[(&str, &OsStr)]) -> Self {
            // Started by its full path and with a cleared environment, so that only the marks count.
            let mut command = Command::new("/bin/sh");
            command.args(["-c", "read line"]).env_clear().envs(variables.iter().copied());
            Self(command.current_dir(directory).stdin(Stdio::piped()).spawn().unwrap())
        }

        fn process(&self) -> Process {
            Process::of(Pid::new(self.0.id()).unwrap()).unwrap()
        }
    }

    impl Drop for Waiting {
        fn drop(&mut self) {
            let _ = self.0.kill();
            let _ = self.0.wait();
        }
    }

    #[test]
    fn the_number_alone_marks_nobody_and_the_number_with_either_place_does() {
        let state = tempfile::tempdir().unwrap();
        let (folder, sandbox) = (state.path().join("executions/31"), state.path().join("sandboxes/12/1"));
        let tmp = folder.join("tmp");
        fs::create_dir_all(&tmp).unwrap();
        fs::create_dir_all(sandbox.join("inside")).unwrap();
        // 900000031 is no other test's execution.
        let execution = ExecutionNumber::new(900_000_031);
        let number = execution.to_string();
        let number = ("CALLBOX_EXECUTION", OsStr::new(&number));
        let own_tmp = ("TMPDIR", tmp.as_os_str());

        let by_folder = Waiting::start(Path::new("/"), &[number, own_tmp]);
        let socket = state.path().join("agent/agent.sock");
        let by_socket = Waiting::start(Path::new("/"), &[number, ("CALLBOX_SOCKET", socket.as_os_str())]);
        let elsewhere = ("CALLBOX_SOCKET", OsStr::new("/elsewhere/agent/agent.sock"));
        let _other_socket = Waiting::start(Path::new("/"), &[number, elsewhere]);
        let by_sandbox = Waiting::start(&sandbox.join("inside"), &[number]);
        let _number_alone = Waiting::start(Path::new("/"), &[number]);
        let _place_alone = Waiting::start(&sandbox, &[own_tmp]);
        let _other = Waiting::start(&sandbox, &[("CALLBOX_EXECUTION", OsStr::new("x9000000310")), own_tmp]);

        let mut wanted = vec![by_folder.process(), by_sandbox.process(), by_socket.process()];
        wanted.sort_unstable();
        let mut found = marked(&Mark { execution, tmpdir: folder, sandbox, socket }).unwrap();
        found.sort_unstable();
        assert_eq!(found, wanted);
    }
}
