//! Takes what a client gave for the launches of a tree: names into the rows, values into memory.
//!
//! To be called inside the transaction that lets the task run: its commit wakes the engine, which may
//! start the run before the request that brought the values has gone on.

use std::collections::BTreeMap;

use super::{environments::Environments, failure::Failure};
use crate::{
    database::{Write, rows::task},
    ids::{Secret, TaskNumber},
};

/// Keeps `values` for the launches of `number` and its whole tree.
pub(super) fn provide(
    write: &mut Write<'_>,
    number: TaskNumber,
    values: BTreeMap<String, Secret>,
    environments: &Environments,
) -> Result<(), Failure> {
    if values.is_empty() {
        return Ok(());
    }
    let mut row = task::get(write, number)?.ok_or_else(|| Failure::unknown(number))?;
    row.variables.extend(values.keys().cloned());
    row.variables.sort_unstable();
    row.variables.dedup();
    task::save(write, &row)?;
    // Undone with nothing: without the rows nobody looks these up.
    environments.remember(row.root, values);
    Ok(())
}
