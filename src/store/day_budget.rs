//! Ends what runs once the money of the day is spent; it goes on in its conversation on another day.

use super::{
    day::Day,
    engine::Engine,
    failure::Failure,
    fleet::Spent,
    transition::{Occasion, apply},
};
use crate::{
    database::{
        Read,
        rows::{execution, task},
    },
    domain::{Phase, TaskEvent, TaskState},
    ids::{TaskNumber, Timestamp},
    protocol::error::ApiError,
    vocabulary::Quotas,
};

impl Engine {
    /// Tells the runs to end whose day is spent.
    pub(super) async fn hold_to_the_day(&self) -> Result<(), ApiError> {
        let quotas = self.planning().quotas.clone();
        if !quotas.limit_a_day() {
            return Ok(());
        }
        let over = self.read(move |read| over_the_day(read, &quotas, Timestamp::now())).await?;
        if over.is_empty() {
            return Ok(());
        }
        self.write(move |write| {
            for task in over {
                apply(write, task, &TaskEvent::DaySpent, &Occasion::own())?;
            }
            Ok(())
        })
        .await
    }
}

fn over_the_day(read: &Read<'_>, quotas: &Quotas, now: Timestamp) -> Result<Vec<TaskNumber>, Failure> {
    let spent = Spent::on(read, quotas, Day::of(now))?;
    let mut over = Vec::new();
    for run in execution::at_work(read)? {
        let Some(row) = task::get(read, run.task)? else { continue };
        let costs = matches!(row.state, TaskState::Running { phase: Phase::Agent, .. });
        if costs && (spent.all(quotas) || spent.project(quotas, row.spec.project.as_deref())) {
            over.push(row.number);
        }
    }
    Ok(over)
}
