//! Whether this process belongs to a run of the very state directory it is about to open.
//!
//! An agent's command that finds no store would else become one: the person's decisions would be its
//! own to make, and the run it belongs to would be supervised from within.

use std::io;

use super::{open::StoreError, operator::refusal, runs::Standing};
use crate::{
    layout::StateDir,
    process::{Bearing, Pid, ancestors, attends},
};

/// Refuses where this process belongs to a run of `state`, by its ancestors or by what it or they carry,
/// and where that cannot be found out.
pub(super) fn refuse_from_inside(state: &StateDir) -> Result<(), StoreError> {
    let line = ancestors(Pid::current()).map_err(|error| StoreError::System(io::Error::other(error)))?;
    // This process itself may attend: a command attached by hand supervises and hosts.
    let attended: Vec<_> = line
        .iter()
        .skip(1)
        .map(|process| attends(*process, state))
        .collect::<io::Result<_>>()
        .map_err(StoreError::System)?;
    let bearings: Vec<_> =
        line.into_iter().map(Bearing::of).collect::<io::Result<_>>().map_err(StoreError::System)?;
    let mut bearings = bearings.into_iter().flatten();
    let borne = || bearings.find(|bearing| bearing.is_within(state.root())).map(|bearing| bearing.execution);
    match attended.into_iter().flatten().next().or_else(borne) {
        Some(execution) => Err(StoreError::Inside(refusal(Standing::Agent(execution)))),
        None => Ok(()),
    }
}
