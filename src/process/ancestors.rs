//! Who started a process, all the way up.

use super::{
    pid::Pid,
    running::{Process, ReadProcessError, read},
};

/// Why the line of ancestors could not be followed to its end. Whoever decides by it must refuse.
#[derive(Debug, thiserror::Error)]
#[error("the ancestors of process {pid} could not be followed")]
pub struct AncestryError {
    /// Whose ancestors were asked for.
    pub pid: Pid,
    /// Which of them was gone or unreadable.
    pub source: ReadProcessError,
}

/// The process itself first, then its parent, and so on up to the first process of this pid
/// namespace.
pub fn ancestors(pid: Pid) -> Result<Vec<Process>, AncestryError> {
    let mut line: Vec<Process> = Vec::new();
    let mut next = Some(pid);
    while let Some(current) = next {
        let stat = read(current).map_err(|source| AncestryError { pid, source })?;
        // A parent is older than its child. One that is younger got the pid of a parent that ended
        // between the two reads: the line is broken there.
        if line.last().is_some_and(|child| child.started < stat.started) {
            return Err(AncestryError { pid, source: ReadProcessError::Gone { pid: current } });
        }
        line.push(Process { pid: current, started: stat.started });
        next = Pid::new(stat.parent);
    }
    Ok(line)
}

#[cfg(test)]
mod tests {
    use std::process::{Command, Stdio};

    use super::*;

    #[test]
    fn the_line_begins_with_the_process_and_names_its_parent_next() {
        let mut child = Command::new("sh").args(["-c", "read line"]).stdin(Stdio::piped()).spawn().unwrap();
        let line = ancestors(Pid::new(child.id()).unwrap()).unwrap();
        child.kill().unwrap();
        child.wait().unwrap();
        assert_eq!(line[0].pid.get(), child.id());
        assert_eq!(line[1], Process::current().unwrap());
        assert_eq!(line.last().unwrap().pid.get(), 1);
    }

    #[test]
    fn a_process_that_is_gone_has_no_known_ancestors() {
        let error = ancestors(Pid::new(i32::MAX.unsigned_abs()).unwrap()).unwrap_err();
        assert!(matches!(error.source, ReadProcessError::Gone { .. }));
    }
}
