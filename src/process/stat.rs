//! `/proc/<pid>/stat`, parsed.

/// What one line of `/proc/<pid>/stat` says (proc_pid_stat(5)).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Stat {
    /// The parent's pid; 0 where it is outside this pid namespace.
    pub(super) parent: u32,
    /// The process group.
    pub(super) group: u32,
    /// When it started, in clock ticks after boot: with the pid, the identity of the process.
    pub(super) started: u64,
    /// Clock ticks it has spent on a processor.
    pub(super) worked: u64,
    /// The same of all children it has waited for, and of theirs.
    pub(super) waited: u64,
    /// Whether it has ended and only waits for its parent to ask how.
    pub(super) ended: bool,
}

impl Stat {
    /// Reads a line. The name of the program stands in parentheses and may itself hold parentheses,
    /// spaces and newlines, so the fields are counted from the **last** closing one.
    pub(super) fn parse(line: &[u8]) -> Option<Self> {
        let end = line.iter().rposition(|byte| *byte == b')')?;
        let rest = str::from_utf8(&line[end + 1..]).ok()?;
        // Field 3 of the manual page (the state) comes first here.
        let fields: Vec<&str> = rest.split_ascii_whitespace().collect();
        let field = |number: usize| fields.get(number - 3).copied();
        let threads: u64 = field(20)?.parse().ok()?;
        Some(Self {
            parent: field(4)?.parse().ok()?,
            group: field(5)?.parse().ok()?,
            started: field(22)?.parse().ok()?,
            worked: field(14)?.parse::<u64>().ok()?.saturating_add(field(15)?.parse().ok()?),
            waited: field(16)?.parse::<u64>().ok()?.saturating_add(field(17)?.parse().ok()?),
            // A zombie with further threads is a process whose first thread ended alone: it lives.
            ended: matches!(field(3)?, "Z" | "X" | "x") && threads <= 1,
        })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn line(name: &[u8], state: &str, threads: u32) -> Vec<u8> {
        let mut line = b"42 (".to_vec();
        line.extend_from_slice(name);
        line.extend_from_slice(
            format!(") {state} 7 40 39 0 -1 4194304 1 2 3 4 50 6 7 8 20 0 {threads} 0 987654 1 2 3\n")
                .as_bytes(),
        );
        line
    }

    #[test]
    fn a_line_of_the_kernel_is_read() {
        let stat = Stat::parse(&line(b"sh", "S", 1)).unwrap();
        assert_eq!(
            stat,
            Stat { parent: 7, group: 40, started: 987_654, worked: 56, waited: 15, ended: false }
        );
    }

    #[test]
    fn a_zombie_has_ended_unless_further_threads_live() {
        assert!(Stat::parse(&line(b"sh", "Z", 1)).unwrap().ended);
        assert!(!Stat::parse(&line(b"sh", "Z", 3)).unwrap().ended);
    }

    proptest! {
        #[test]
        fn no_name_of_a_program_moves_the_fields(name in proptest::collection::vec(any::<u8>(), 0..16)) {
            let stat = Stat::parse(&line(&name, "R", 1)).unwrap();
            prop_assert_eq!(stat.parent, 7);
            prop_assert_eq!(stat.started, 987_654);
        }

        #[test]
        fn no_bytes_make_it_panic(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
            let _ = Stat::parse(&bytes);
        }
    }
}
