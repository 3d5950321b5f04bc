//! The copies of the database that a store makes by itself: where they stand, how they are called, which of them are
//! still kept. Names and decisions; `copying` makes them.

use std::{fs, io, path::PathBuf, time::Duration};

use crate::{ids::Timestamp, layout::StateDir};

/// What their names begin and end with.
const NAME: (&str, &str) = ("callbox-", ".db");
/// How long they are kept.
const KEPT: Duration = Duration::from_secs(3 * 86_400);
/// How many stay at any age.
const NEWEST: usize = 3;
/// How long after one the next is made.
pub(super) const PERIOD: Duration = Duration::from_secs(6 * 3600);

/// One of them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Copy {
    /// The file.
    pub(super) path: PathBuf,
    /// When it was made, as its name says.
    pub(super) at: Timestamp,
}

impl Copy {
    /// That of the moment `at`.
    pub(super) fn of(state: &StateDir, at: Timestamp) -> Self {
        // To the second, and without what a shell or a file system might take amiss.
        let text = at.to_string();
        let name: String = text
            .split('.')
            .next()
            .unwrap_or_default()
            .chars()
            .filter(|letter| !"-:Z".contains(*letter))
            .collect();
        Self { path: state.backups().join(format!("{}{name}{}", NAME.0, NAME.1)), at }
    }
}

/// Those there are, the newest first. Whatever else stands in the folder is not callbox's to look at.
pub(super) fn copies(state: &StateDir) -> io::Result<Vec<Copy>> {
    let entries = match fs::read_dir(state.backups()) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        entries => entries?,
    };
    let mut found = Vec::new();
    for entry in entries {
        let path = entry?.path();
        let at = path.file_name().and_then(|name| moment(name.to_str()?));
        found.extend(at.map(|at| Copy { path, at }));
    }
    found.sort_by_key(|copy| std::cmp::Reverse(copy.at));
    Ok(found)
}

/// When the copy of this name was made.
fn moment(name: &str) -> Option<Timestamp> {
    let digits = name.strip_prefix(NAME.0)?.strip_suffix(NAME.1)?;
    let (date, time) = digits.split_once('T')?;
    let is_number =
        |text: &str, length| text.len() == length && text.bytes().all(|byte| byte.is_ascii_digit());
    if !is_number(date, 8) || !is_number(time, 6) {
        return None;
    }
    let (year, month, day) = (&date[..4], &date[4..6], &date[6..]);
    let (hour, minute, second) = (&time[..2], &time[2..4], &time[4..]);
    Timestamp::parse(&format!("{year}-{month}-{day}T{hour}:{minute}:{second}Z"))
}

/// When the next one is to be made: at once where the last one was made in what is now the future, since the clock
/// was set back.
pub(super) fn due(newest: Option<&Copy>, now: Timestamp) -> Timestamp {
    match newest {
        Some(copy) if copy.at <= now => copy.at.plus(PERIOD),
        _ => now,
    }
}

/// Those of `all`, the newest first, that are kept no longer. The newest stay at any age: the last one may be of what
/// nobody wants back.
pub(super) fn outlived(all: &[Copy], now: Timestamp) -> &[Copy] {
    let kept = |copy: &Copy| now.since(copy.at) < KEPT;
    let first =
        all.iter().skip(NEWEST).position(|copy| !kept(copy)).map_or(all.len(), |place| place + NEWEST);
    &all[first..]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(text: &str) -> Timestamp {
        Timestamp::parse(text).unwrap()
    }

    #[test]
    fn the_name_of_a_copy_says_when_it_was_made_and_other_files_are_no_copies() {
        let folder = tempfile::tempdir().unwrap();
        let state = StateDir::at(folder.path());
        fs::create_dir(state.backups()).unwrap();
        let moments = ["2026-11-30T19:45:00Z", "2026-12-01T01:45:07Z"].map(at);
        for moment in moments {
            fs::write(Copy::of(&state, moment).path, "").unwrap();
        }
        for other in
            ["callbox-20261130T194500.db.x.partial", "callbox-monday.db", "callbox-20269930T194500.db"]
        {
            fs::write(state.backups().join(other), "").unwrap();
        }
        let found: Vec<_> = copies(&state).unwrap().into_iter().map(|copy| copy.at).collect();
        assert_eq!(found, [moments[1], moments[0]]);
        assert!(state.backups().join("callbox-20261130T194500.db").exists());
    }

    #[test]
    fn a_copy_is_made_every_six_hours_and_kept_for_three_days_and_the_newest_three_for_ever() {
        let state = StateDir::at("/s");
        let made = |text: &str| Copy::of(&state, at(text));
        let now = at("2026-11-30T12:00:00Z");
        assert_eq!(due(None, now), now);
        assert_eq!(due(Some(&made("2026-11-30T10:00:00Z")), now), at("2026-11-30T16:00:00Z"));
        assert_eq!(due(Some(&made("2026-12-30T10:00:00Z")), now), now, "the clock was set back");
        let all = ["30T10:00:00", "30T04:00:00", "29T10:00:00", "27T12:00:01", "27T12:00:00", "01T00:00:00"];
        let all = all.map(|text| made(&format!("2026-11-{text}Z")));
        assert_eq!(outlived(&all, now), &all[4..]);
        assert_eq!(outlived(&all[2..], now), &all[5..], "the newest three stay at any age");
        assert_eq!(outlived(&all[3..], now), &[]);
    }
}
