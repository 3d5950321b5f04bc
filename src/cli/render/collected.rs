//! `callbox gc`: what went, what stays and why.

use std::fmt::Write as _;

use super::{
    amounts::{ago, counted},
    style::{Tone, paint},
    table::{Cell, Column, table},
};
use crate::{
    cli::{gc::Collected, sanitise},
    ids::Timestamp,
    sandbox::readable,
};

const COLUMNS: [Column; 5] = [
    Column { heading: "TASK", limit: 8 },
    Column { heading: "STATE", limit: 16 },
    Column { heading: "ENDED", limit: 12 },
    Column { heading: "SIZE", limit: 10 },
    Column { heading: "NAME", limit: 60 },
];

/// All of it; `max_disk` is what all may take together.
pub(crate) fn collected(
    collected: &Collected,
    max_disk: Option<u64>,
    now: Timestamp,
    width: Option<usize>,
) -> String {
    let rows: Vec<_> = collected
        .removed
        .iter()
        .map(|removed| {
            [
                Cell::plain(&removed.task.to_string()),
                Cell::plain(&removed.state),
                Cell::plain(&ago(removed.ended_at, now)),
                Cell::plain(&readable(removed.bytes)),
                Cell::plain(&removed.name),
            ]
        })
        .collect();
    let mut text = if rows.is_empty() { String::new() } else { table(&COLUMNS, &rows, width) };
    // Writing to a string cannot fail.
    for stays in &collected.stays {
        let _ = writeln!(
            text,
            "{} stays ({}): {}",
            stays.task,
            readable(stays.bytes),
            paint(Tone::Care, &sanitise::line(&stays.reason))
        );
    }
    if let Some(stays) = collected.stays.iter().find(|stays| stays.droppable) {
        let _ = writeln!(
            text,
            "`callbox open {0}` names its place, and `callbox gc --drop {0}` removes it all the same",
            stays.task
        );
    }
    for gone in &collected.branches {
        let done = if collected.dry_run { "would be removed" } else { "is removed" };
        let branch = sanitise::line(&gone.branch);
        let _ = writeln!(text, "the branch `{branch}` of {} is merged and {done}", gone.task);
    }
    let done = if collected.dry_run { "would be freed" } else { "freed" };
    let _ = writeln!(text, "{} {done}, {} taken", readable(collected.freed), readable(collected.taken));
    if let Some(most) = max_disk.filter(|most| collected.taken > *most) {
        let _ = writeln!(
            text,
            "{}",
            paint(
                Tone::Care,
                &format!("that is more than `gc.max_disk`, {}: nothing else may go", readable(most))
            )
        );
    }
    if collected.kept > 0 {
        let kept = counted(u32::try_from(collected.kept).unwrap_or(u32::MAX), "reference");
        let _ = writeln!(text, "left in projects for you to take or drop: {kept} `refs/callbox/…`");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        cli::gc::{Removed, Stays},
        ids::TaskNumber,
    };

    #[test]
    fn what_went_and_what_stays_is_said_line_by_line_and_harmlessly() {
        let now = Timestamp::from_millis(1_000_000_000);
        let removed = Removed {
            task: TaskNumber::new(1),
            name: "mend \u{1b}[2J".to_owned(),
            state: "completed".to_owned(),
            ended_at: Timestamp::from_millis(0),
            why: "age",
            bytes: 3 << 20,
        };
        let stays = |number, droppable| Stays {
            task: TaskNumber::new(number),
            name: "n".to_owned(),
            reason: "`a\u{7}` stands in it".to_owned(),
            droppable,
            sandboxes: Vec::new(),
            bytes: 1024,
        };
        let all = Collected {
            dry_run: true,
            removed: vec![removed],
            stays: vec![stays(2, false), stays(3, true)],
            unfinished: 0,
            freed: 3 << 20,
            taken: 2 << 30,
            kept: 1,
            branches: Vec::new(),
            failed: Vec::new(),
        };
        let text = collected(&all, Some(1 << 30), now, None);
        for words in [
            "t1    completed",
            "3 MiB",
            "t2 stays (1 KiB): ",
            "callbox gc --drop t3",
            "3 MiB would be freed, 2.0 GiB taken",
            "more than `gc.max_disk`, 1.0 GiB",
            "1 reference",
        ] {
            assert!(text.contains(words), "no {words:?} in {text}");
        }
        assert!(
            !text.contains("--drop t2") && !text.contains("\u{1b}[2J") && !text.contains('\u{7}'),
            "{text}"
        );
        let done = collected(&Collected { dry_run: false, kept: 0, ..all }, None, now, None);
        assert!(
            done.contains("3 MiB freed") && !done.contains("max_disk") && !done.contains("reference"),
            "{done}"
        );
    }
}
