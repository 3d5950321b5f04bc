//! Who started a process, all the way up.

use super::{
    pid::Pid,
    running::{Process, ReadProcessError, read},
    stat::Stat,
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

/// How often a line that changed while it was followed is followed anew.
const TRIES: u32 = 5;

/// The process itself first, then its parent, and so on up to the first process of this pid
/// namespace.
pub fn ancestors(pid: Pid) -> Result<Vec<Process>, AncestryError> {
    settled(pid, read)
}

/// An ancestor that ends while the line is followed leaves its child to another, and that line holds:
/// a shell may well end in the moment in which what it started connects.
fn settled(
    pid: Pid,
    mut read: impl FnMut(Pid) -> Result<Stat, ReadProcessError>,
) -> Result<Vec<Process>, AncestryError> {
    let mut tries = 1;
    loop {
        match follow(pid, &mut read) {
            Err(AncestryError { source: ReadProcessError::Gone { pid: gone }, .. })
                if gone != pid && tries < TRIES =>
            {
                tries += 1;
            }
            followed => return followed,
        }
    }
}

fn follow(
    pid: Pid,
    read: &mut impl FnMut(Pid) -> Result<Stat, ReadProcessError>,
) -> Result<Vec<Process>, AncestryError> {
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

    /// Follows process 9 whose parents are, at each look at it, those given; 1 and 4 live, no other.
    fn followed(parents: &[u32]) -> Result<Vec<u32>, AncestryError> {
        let mut parents = parents.iter();
        let line = settled(Pid::new(9).unwrap(), |pid| {
            let (parent, started) = match pid.get() {
                9 => (*parents.next().expect("looked at too often"), 90),
                4 => (1, 40),
                1 => (0, 10),
                _ => return Err(ReadProcessError::Gone { pid }),
            };
            Ok(Stat { parent, group: 1, started, worked: 0, waited: 0, ended: false })
        });
        Ok(line?.iter().map(|process| process.pid.get()).collect())
    }

    #[test]
    fn a_line_whose_middle_ended_is_followed_anew_and_not_for_ever() {
        assert_eq!(followed(&[7, 4]).unwrap(), [9, 4, 1]);
        assert_eq!(followed(&[7, 8, 1]).unwrap(), [9, 1]);
        let error = followed(&[7; 5]).unwrap_err();
        assert!(matches!(error.source, ReadProcessError::Gone { pid } if pid.get() == 7));
    }

    #[test]
    fn a_process_that_is_gone_has_no_known_ancestors() {
        let error = ancestors(Pid::new(i32::MAX.unsigned_abs()).unwrap()).unwrap_err();
        assert!(matches!(error.source, ReadProcessError::Gone { .. }));
    }
}
