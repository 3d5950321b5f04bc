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
    if let Some(stays) = collected.stays.first() {
        let _ = writeln!(
            text,
            "`callbox open {0}` names its place, and `callbox gc --drop {0}` removes it all the same",
            stays.task
        );
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
        let kept = counted(u32::try_from(collected.kept).unwrap_or(u32::MAX), "work");
        let _ = writeln!(
            text,
            "{kept} of runs without a good end stay in their projects as `refs/callbox/…` until you take or drop them"
        );
    }
    text
}
