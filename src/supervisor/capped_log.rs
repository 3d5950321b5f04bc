//! A log file that keeps its head and its tail, however much is written.

use std::{
    collections::VecDeque,
    fs::{File, OpenOptions},
    io::{self, Write as _},
    os::unix::fs::OpenOptionsExt as _,
    path::Path,
};

/// How much of the beginning is kept, in bytes.
pub(super) const HEAD: usize = 8 << 20;
/// How much of the end is kept, in bytes.
pub(super) const TAIL: usize = 1 << 20;

/// What is kept of a flood. Pure: [`Cap::push`] says what to write now, [`Cap::finish`] what at last.
#[derive(Debug)]
struct Cap {
    head_left: usize,
    tail_limit: usize,
    tail: VecDeque<u8>,
    omitted: u64,
}

impl Cap {
    fn new(head_left: usize, tail_limit: usize) -> Self {
        Self { head_left, tail_limit, tail: VecDeque::new(), omitted: 0 }
    }

    fn push<'b>(&mut self, bytes: &'b [u8]) -> &'b [u8] {
        let (now, later) = bytes.split_at(bytes.len().min(self.head_left));
        self.head_left -= now.len();
        let skipped = later.len().saturating_sub(self.tail_limit);
        self.tail.extend(&later[skipped..]);
        let surplus = self.tail.len().saturating_sub(self.tail_limit);
        self.tail.drain(..surplus);
        self.omitted += (skipped + surplus) as u64;
        now
    }

    fn finish(&mut self) -> Vec<u8> {
        let mut rest = Vec::new();
        if self.omitted > 0 {
            rest.extend_from_slice(
                format!("\n[callbox: {} bytes are left out here]\n", self.omitted).as_bytes(),
            );
        }
        rest.extend(self.tail.drain(..));
        rest
    }
}

/// The file. What goes beyond the head is written when the log is finished.
#[derive(Debug)]
pub(super) struct CappedLog {
    file: File,
    cap: Cap,
    failed: Option<io::Error>,
}

impl CappedLog {
    /// Opens the file at `path` for what is to be added; mode 0600.
    pub(super) fn open(path: &Path) -> io::Result<Self> {
        let file = OpenOptions::new().create(true).append(true).mode(0o600).open(path)?;
        let written = usize::try_from(file.metadata()?.len()).unwrap_or(usize::MAX);
        Ok(Self { file, cap: Cap::new(HEAD.saturating_sub(written), TAIL), failed: None })
    }

    /// Adds `bytes`. A full disk must not end a run: the first error is kept for [`CappedLog::finish`].
    pub(super) fn push(&mut self, bytes: &[u8]) {
        let now = self.cap.push(bytes);
        if self.failed.is_none() {
            self.failed = self.file.write_all(now).err();
        }
    }

    /// Writes the tail and tells whether everything that was to be kept is there.
    pub(super) fn finish(mut self) -> io::Result<()> {
        match self.failed {
            Some(error) => Err(error),
            None => self.file.write_all(&self.cap.finish()),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;

    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn the_head_and_the_tail_are_kept_and_what_is_between_is_counted(
            pieces in proptest::collection::vec(proptest::collection::vec(any::<u8>(), 0..40), 0..20)
        ) {
            let (head, tail) = (50, 30);
            let mut cap = Cap::new(head, tail);
            let mut kept = Vec::new();
            for piece in &pieces {
                kept.extend_from_slice(cap.push(piece));
                prop_assert!(cap.tail.len() <= tail);
            }
            kept.extend(cap.finish());
            let all = pieces.concat();
            if all.len() <= head + tail {
                prop_assert_eq!(kept, all);
            } else {
                let omitted = all.len() - head - tail;
                let marker = format!("\n[callbox: {omitted} bytes are left out here]\n");
                let expected = [&all[..head], marker.as_bytes(), &all[all.len() - tail..]].concat();
                prop_assert_eq!(kept, expected);
            }
        }
    }

    #[test]
    fn a_file_is_private_and_goes_on_where_an_earlier_process_left_it() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("agent.log");
        for piece in ["one ", "two"] {
            let mut log = CappedLog::open(&path).unwrap();
            log.push(piece.as_bytes());
            log.finish().unwrap();
        }
        assert_eq!(std::fs::read(&path).unwrap(), b"one two");
        assert_eq!(std::fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
    }

    #[test]
    fn a_full_disk_is_said_at_the_end_and_ends_nothing_before() {
        let mut log = CappedLog::open(Path::new("/dev/full")).unwrap();
        log.push(b"one");
        log.push(b"two");
        assert_eq!(log.finish().unwrap_err().kind(), io::ErrorKind::StorageFull);
    }
}
