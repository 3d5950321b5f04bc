//! The command that decides whether the work is good.

use std::fs;

use super::{
    fault_point::Point,
    held_command::{Commanded, Order, run_command},
    surroundings::Surroundings,
};
use crate::{
    protocol::launch::CommandPlan,
    vocabulary::{Fact, Fault},
};

/// Runs it.
pub(super) async fn verify(
    surroundings: &mut Surroundings<'_>,
    plan: &CommandPlan,
) -> Result<Commanded, Fault> {
    let execution = surroundings.execution;
    surroundings.reporter.learned(Fact::Activity { text: format!("verify: {}", plan.command) });
    let log = execution.state.verify_log(execution.plan.execution);
    let order = Order { field: "verify", plan, log, begun: Some(Point::VerifyStarted) };
    let verified = run_command(surroundings, &order).await;
    if let Err(error) = fs::remove_dir_all(execution.tmp()) {
        tracing::warn!(%error, "the folder for temporary files could not be removed");
    }
    verified
}
