//! A process and those that it descends from.

use std::fs;

/// A process by its id and the clock tick, after boot, at which it started: equal only to itself,
/// also after its id was given to another.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Process {
    pub(super) pid: u32,
    pub(super) started: u64,
}

/// The process that has `pid` now, or `None` where it is gone or hidden.
pub(super) fn process(pid: u32) -> Option<Process> {
    read(pid).map(|(process, _)| process)
}

/// The process, its parent, and so on up to the first one of this pid namespace; `None` where one of
/// them was gone or hidden, since whoever decides by the line must see all of it.
pub(super) fn lineage(pid: u32) -> Option<Vec<Process>> {
    let mut line: Vec<Process> = Vec::new();
    let mut next = pid;
    while next != 0 {
        let (process, parent) = read(next)?;
        // A parent is older than its child. A younger one got the id of a parent that ended between
        // the two reads.
        if line.last().is_some_and(|child| child.started < process.started) {
            return None;
        }
        line.push(process);
        next = parent;
    }
    (!line.is_empty()).then_some(line)
}

/// A process and its parent's id, which is 0 where that lives outside this pid namespace.
fn read(pid: u32) -> Option<(Process, u32)> {
    let line = fs::read(format!("/proc/{pid}/stat")).ok()?;
    let (parent, started) = parse(&line)?;
    Some((Process { pid, started }, parent))
}

/// Fields 4 and 22 of proc_pid_stat(5). The program's name stands in parentheses and may itself hold
/// parentheses, blanks and newlines, so the fields are counted from the last closing one.
fn parse(line: &[u8]) -> Option<(u32, u64)> {
    let end = line.iter().rposition(|byte| *byte == b')')?;
    let mut fields = str::from_utf8(&line[end + 1..]).ok()?.split_ascii_whitespace();
    let parent = fields.nth(1)?.parse().ok()?;
    let started = fields.nth(17)?.parse().ok()?;
    Some((parent, started))
}

#[cfg(test)]
mod tests {
    use std::process::{Command, Stdio};

    use super::*;

    #[test]
    fn the_line_begins_with_the_process_and_names_its_parent_next() {
        let mut child = Command::new("sh").args(["-c", "read line"]).stdin(Stdio::piped()).spawn().unwrap();
        let line = lineage(child.id()).unwrap();
        child.kill().unwrap();
        child.wait().unwrap();
        assert_eq!(line[0].pid, child.id());
        assert_eq!(Some(line[1]), process(std::process::id()));
        assert!(lineage(child.id()).is_none(), "what is gone has no known line");
    }

    #[test]
    fn no_name_of_a_program_moves_the_fields() {
        for name in ["sh", "a b", ") S 1 1", "x\n)(", ""] {
            let line = format!("42 ({name}) S 7 40 39 0 -1 4194304 1 2 3 4 50 6 0 0 20 0 1 0 987654 1 2\n");
            assert_eq!(parse(line.as_bytes()), Some((7, 987_654)), "{name:?}");
        }
        assert_eq!(parse(b"42 (sh"), None);
    }
}
