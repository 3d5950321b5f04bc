//! The budget of a tree of tasks: that of its root, against what all its runs have used.

use super::{
    failure::Failure,
    transition::{Occasion, apply},
};
use crate::{
    database::{
        Read, Write,
        rows::{
            task::{self, Terms},
            usage,
        },
    },
    domain::{Phase, TaskEvent, TaskState, dollars_left, used_up},
    ids::TaskNumber,
    protocol::error::{ApiError, ErrorCode},
    vocabulary::{Budget, Fault},
};

/// The budget of the tree of the task under `terms`.
pub(super) fn of_tree(read: &Read<'_>, terms: &Terms) -> Result<Budget, Failure> {
    if terms.root == terms.number {
        return Ok(terms.budget);
    }
    Ok(task::terms(read, terms.root)?.ok_or_else(|| Failure::unknown(terms.root))?.budget)
}

/// Why nothing of the tree of the task under `terms` may run on, where its budget is used up.
pub(super) fn over(read: &Read<'_>, terms: &Terms) -> Result<Option<Fault>, Failure> {
    let budget = of_tree(read, terms)?;
    if budget == Budget::default() {
        return Ok(None);
    }
    Ok(used_up(budget, &usage::used_by_tree(read, terms.root)?))
}

/// The dollars that are left to the tree of the task under `terms`, where they are limited.
pub(super) fn left(read: &Read<'_>, terms: &Terms) -> Result<Option<f64>, Failure> {
    let budget = of_tree(read, terms)?;
    match budget.max_cost_usd {
        None => Ok(None),
        Some(_) => Ok(dollars_left(budget, &usage::used_by_tree(read, terms.root)?)),
    }
}

/// Ends whatever of the tree of `number` still costs something, where its budget is used up.
pub(super) fn enforce(write: &mut Write<'_>, number: TaskNumber, occasion: &Occasion) -> Result<(), Failure> {
    let terms = task::terms(write, number)?.ok_or_else(|| Failure::unknown(number))?;
    if over(write, &terms)?.is_none() {
        return Ok(());
    }
    for member in task::tree(write, terms.root)? {
        if matches!(member.state, TaskState::Running { phase: Phase::Agent, .. }) {
            apply(write, member.number, &TaskEvent::BudgetSpent, occasion)?;
        }
    }
    Ok(())
}

/// Sets the limits that `raised` names for the whole tree of `number`. A limit that leaves nothing is refused.
pub(super) fn raise(write: &mut Write<'_>, number: TaskNumber, raised: Budget) -> Result<(), Failure> {
    if raised == Budget::default() {
        return Ok(());
    }
    let row = task::get(write, number)?.ok_or_else(|| Failure::unknown(number))?;
    let mut root = task::get(write, row.root)?.ok_or_else(|| Failure::unknown(row.root))?;
    root.spec.set_budget(raised.over(root.spec.budget()));
    task::save_spec(write, &root)?;
    match over(write, &root.terms())? {
        None => Ok(()),
        Some(fault) => {
            let refusal = ApiError::new(ErrorCode::Refused, fault.message);
            Err(refusal.hinted("name a limit above what was used").into())
        }
    }
}
