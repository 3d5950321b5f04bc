//! The reports of an execution on disk, before they are sent: `executions/<n>/spool.jsonl`.
//!
//! One report as JSON on each line, numbered from 1 without gaps. A store that starts may take the
//! file itself; whoever hands a report over a second time does no harm.

use std::{
    fs::{self, File, OpenOptions},
    io::{self, Write as _},
    os::unix::fs::OpenOptionsExt as _,
    path::Path,
};

use crate::protocol::supervise::Report;

/// The spool, open for what is to be added.
#[derive(Debug)]
pub(super) struct Spool {
    file: File,
    /// How much of the file is whole reports.
    whole: u64,
    /// Reports that could not be written yet, as on a full disk: the next one goes behind them.
    owed: Vec<u8>,
}

/// What an earlier supervisor of the same execution left.
#[derive(Debug, PartialEq)]
pub(super) struct Left {
    /// The number of the last report; 0 where there is none.
    pub(super) last: u64,
    /// The reports that the store does not have.
    pub(super) unsent: Vec<Report>,
}

/// Whether a report must be on disk before it is sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Durability {
    /// The machine may stop right after.
    Synced,
    /// Losing it costs a line in a log, or nothing where the machine stopped with everything it tells of.
    Written,
}

impl Spool {
    /// Opens the spool at `path` and reads what is there. A torn last line is cut off. `taken` is the
    /// number of the last report the store has: numbers go on behind it also where the spool was lost.
    pub(super) fn open(path: &Path, taken: u64) -> io::Result<(Self, Left)> {
        let file = OpenOptions::new().create(true).read(true).append(true).mode(0o600).open(path)?;
        let text = fs::read(path)?;
        let (reports, whole) = read(&text);
        if whole < text.len() {
            file.set_len(whole as u64)?;
        }
        let last = reports.last().map_or(0, |report| report.number).max(taken);
        let unsent = reports.into_iter().filter(|report| report.number > taken).collect();
        Ok((Self { file, whole: whole as u64, owed: Vec::new() }, Left { last, unsent }))
    }

    /// Adds `report`, and those before it that could not be written.
    pub(super) fn append(&mut self, report: &Report, durability: Durability) -> io::Result<()> {
        serde_json::to_writer(&mut self.owed, report)?;
        self.owed.push(b'\n');
        if let Err(error) = self.file.write_all(&self.owed) {
            // Half a report would hide everything behind it.
            self.file.set_len(self.whole)?;
            return Err(error);
        }
        self.whole += self.owed.len() as u64;
        self.owed.clear();
        match durability {
            Durability::Synced => self.file.sync_data(),
            Durability::Written => Ok(()),
        }
    }
}

/// The reports and the length of what was understood: everything behind the first line that is not
/// whole, or not the next report, is not.
fn read(text: &[u8]) -> (Vec<Report>, usize) {
    let (mut reports, mut whole) = (Vec::<Report>::new(), 0);
    for line in text.split_inclusive(|byte| *byte == b'\n') {
        let report = line.strip_suffix(b"\n").and_then(|line| serde_json::from_slice::<Report>(line).ok());
        let next = reports.last().map(|report| report.number + 1);
        match report {
            Some(report) if next.is_none_or(|next| report.number == next) => reports.push(report),
            _ => break,
        }
        whole += line.len();
    }
    (reports, whole)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::{ids::Timestamp, protocol::supervise::ReportBody, vocabulary::Fact};

    fn report(number: u64) -> Report {
        let facts = vec![Fact::Activity { text: format!("step {number}\n") }];
        Report { number, at: Timestamp::from_millis(7), body: ReportBody::Facts { facts } }
    }

    #[test]
    fn what_the_store_does_not_have_is_found_again_in_order() {
        let folder = tempfile::tempdir().unwrap();
        let (mut spool, left) = Spool::open(&folder.path().join("spool"), 0).unwrap();
        assert_eq!(left, Left { last: 0, unsent: vec![] });
        for number in 1..=3 {
            spool.append(&report(number), Durability::Synced).unwrap();
        }
        let (_, left) = Spool::open(&folder.path().join("spool"), 1).unwrap();
        assert_eq!(left, Left { last: 3, unsent: vec![report(2), report(3)] });
    }

    #[test]
    fn what_a_full_disk_did_not_take_is_written_with_the_next() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("spool");
        let (mut spool, _) = Spool::open(&path, 0).unwrap();
        let full = OpenOptions::new().append(true).open("/dev/full").unwrap();
        let disk = std::mem::replace(&mut spool.file, full);
        spool.append(&report(1), Durability::Written).unwrap_err();
        spool.file = disk;
        spool.append(&report(2), Durability::Written).unwrap();
        let (_, left) = Spool::open(&path, 0).unwrap();
        assert_eq!(left.unsent, [report(1), report(2)]);
    }

    #[test]
    fn numbers_go_on_behind_what_the_store_has_although_the_spool_is_lost() {
        let folder = tempfile::tempdir().unwrap();
        let (_, left) = Spool::open(&folder.path().join("spool"), 7).unwrap();
        assert_eq!(left, Left { last: 7, unsent: vec![] });
    }

    proptest! {
        #[test]
        fn wherever_the_machine_stopped_what_was_whole_is_kept_and_goes_on(cut in 0usize..400) {
            let folder = tempfile::tempdir().unwrap();
            let (mut spool, _) = Spool::open(&folder.path().join("spool"), 0).unwrap();
            for number in 1..=3 {
                spool.append(&report(number), Durability::Written).unwrap();
            }
            let path = folder.path().join("spool");
            let text = fs::read(&path).unwrap();
            let cut = cut.min(text.len());
            fs::write(&path, &text[..cut]).unwrap();
            let whole = text[..cut].split(|byte| *byte == b'\n').count() as u64 - 1;
            let (mut spool, left) = Spool::open(&folder.path().join("spool"), 0).unwrap();
            prop_assert_eq!(left.last, whole);
            spool.append(&report(whole + 1), Durability::Written).unwrap();
            let (_, left) = Spool::open(&folder.path().join("spool"), 0).unwrap();
            prop_assert_eq!(left.last, whole + 1);
        }
    }
}
