//! Tells once a day that its money is spent, of all tasks or of a project.

use super::{day::Day, engine::Engine, failure::Failure, fleet::Spent, news::News, transition::Occasion};
use crate::{
    database::{
        Read,
        rows::{event, execution::ExecutionRow, usage},
    },
    ids::Timestamp,
    protocol::error::ApiError,
    vocabulary::Quotas,
};

/// What such an event is called.
pub(super) const DAY_BUDGET: &str = "day_budget";

impl Engine {
    /// Records it beside the last run that cost something.
    pub(super) async fn tell_of_the_day(&self) -> Result<(), ApiError> {
        let quotas = self.planning().quotas.clone();
        if !quotas.limit_a_day() {
            return Ok(());
        }
        let reached = self.read(move |read| reached(read, &quotas, Timestamp::now())).await?;
        if reached.is_empty() {
            return Ok(());
        }
        self.write(move |write| {
            for (run, text) in reached {
                News::of_run(&run, DAY_BUDGET).tell(write, &text, &Occasion::own())?;
            }
            Ok(())
        })
        .await
    }
}

/// What is reached and was not told on this day.
fn reached(read: &Read<'_>, quotas: &Quotas, now: Timestamp) -> Result<Vec<(ExecutionRow, String)>, Failure> {
    let day = Day::of(now);
    let spent = Spent::on(read, quotas, day)?;
    let mut places = Vec::new();
    if spent.all(quotas) {
        places.push((None, "the money for this day is spent".to_owned()));
    }
    for project in quotas.projects.keys().filter(|project| spent.project(quotas, Some(project))) {
        let text = format!("the money for this day is spent of the project `{}`", project.display());
        places.push((Some(project.as_path()), text));
    }
    let mut reached = Vec::new();
    for (project, text) in places {
        if event::is_told(read, DAY_BUDGET, &text, day.start)? {
            continue;
        }
        let run = usage::last_costly(read, day.start, project)?;
        reached.extend(run.map(|run| (run, text)));
    }
    Ok(reached)
}
