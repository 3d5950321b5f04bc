//! Runs that no process of callbox's is with: opened for an agent that a person configured by hand, and closed by
//! that person or by their time.

use super::{
    by_hand::{self, Which},
    engine::Engine,
    failure::Failure,
    transition::{Applied, Occasion, apply},
};
use crate::{
    database::{
        Write,
        rows::{
            execution::{self, ExecutionRow, ExecutionState},
            signal,
        },
    },
    domain::{LONGEST_UNBOUND, TaskEvent, fold},
    ids::{TaskNumber, Timestamp},
    protocol::{
        error::{ApiError, ErrorCode},
        operator::{OpenReply, OpenRequest},
    },
    vocabulary::{AgentEnd, ClosedBy, Ending},
};

/// Opens one as `request` says. It has no supervisor, so that nobody but a person and the clock ends it.
pub(super) fn open(
    write: &mut Write<'_>,
    request: &OpenRequest,
    occasion: &Occasion,
) -> Result<OpenReply, Failure> {
    let which = request.task.map_or(Which::New(&request.name, &request.directory), Which::Known);
    let begun = by_hand::begin(write, which, |execution| TaskEvent::Opened { execution }, occasion)?;
    let until = occasion.now.plus(LONGEST_UNBOUND);
    let mut run = begun.run;
    run.state = ExecutionState::Running;
    run.started_at = Some(occasion.now);
    execution::save(write, &run)?;
    execution::leave_unbound(write, run.number, until)?;
    let (execution, task) = (run.number, run.task);
    let (messages, opening) = (begun.messages, begun.opening);
    Ok(OpenReply { execution, task, token: begun.token, until, messages, opening })
}

/// Closes the open one of the task `number`, its signals folded: the token is worth nothing from here on.
pub(super) fn close(
    write: &mut Write<'_>,
    number: TaskNumber,
    by: ClosedBy,
    occasion: &Occasion,
) -> Result<Applied, Failure> {
    let last = execution::last_of(write, number)?;
    let open = last.filter(|run| run.unbound_until.is_some() && run.state == ExecutionState::Running);
    let Some(mut run) = open else {
        // Refused by the state, which says what the task is instead.
        return apply(write, number, &TaskEvent::Closed { by, reported: None }, occasion);
    };
    let signals = signal::of_execution(write, run.number)?;
    let summary = fold(signals.iter().map(|row| &row.call), None);
    run.details.summary = summary.text;
    run.details.summary_source = Some(summary.source);
    run.details.reported = summary.outcome;
    run.details.ending = Some(Ending::closed(by));
    execution::save(write, &run)?;
    apply(write, number, &TaskEvent::Closed { by, reported: summary.outcome }, occasion)
}

/// Why the token of `run` is worth nothing, where it is an unbound run that is closed or whose time is over.
pub(super) fn refusal(run: &ExecutionRow, now: Timestamp) -> Option<ApiError> {
    let until = run.unbound_until?;
    let reason = match run.details.ending.as_ref().map(|ending| &ending.end) {
        Some(AgentEnd::Closed { by: ClosedBy::Person }) => {
            "a person has ended this run with `callbox end`".to_owned()
        }
        _ if until <= now => {
            format!("the {} hours for which this run was opened are over", LONGEST_UNBOUND.as_secs() / 3600)
        }
        _ => return None,
    };
    let error = ApiError::new(ErrorCode::Revoked, format!("{reason}, and nothing more is recorded for it"));
    Some(error.hinted(format!("end your turn; `callbox mcp-config {}` opens another run", run.task)))
}

impl Engine {
    /// Closes those whose time is over; when the next one's is.
    pub(super) async fn close_unbound(&self) -> Result<Option<Timestamp>, ApiError> {
        let open = self.read(|read| Ok(execution::unbound(read)?)).await?;
        let now = Timestamp::now();
        let is_over = |run: &&ExecutionRow| run.unbound_until.is_some_and(|until| until <= now);
        for run in open.iter().filter(is_over) {
            let (task, number) = (run.task, run.number);
            self.write(move |write| {
                // A person may have ended it since it was looked at, and have opened another.
                let stands =
                    execution::get(write, number)?.is_some_and(|run| run.state == ExecutionState::Running);
                if stands { close(write, task, ClosedBy::Time, &Occasion::own()).map(drop) } else { Ok(()) }
            })
            .await?;
        }
        Ok(open.iter().filter(|run| !is_over(run)).find_map(|run| run.unbound_until))
    }
}

/// The refusal of a store that does not stay: there would be nobody to talk to for the agent.
pub(super) fn needs_a_resident_store() -> ApiError {
    ApiError::new(
        ErrorCode::Refused,
        "this store ends with the command that opened it, and the agent would find none",
    )
    .hinted("`callbox serve` keeps one that stays")
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::{
        database::rows::task,
        store::fixture::Fixture,
        vocabulary::{Call, ReportSummary, SummaryOutcome},
    };

    const HOUR: Duration = Duration::from_secs(3600);

    /// A run that was opened so many hours ago, and whose agent reported where `reported` says so.
    async fn opened(fixture: &Fixture, hours: u64, reported: Option<SummaryOutcome>) -> OpenReply {
        let request = OpenRequest { name: "by hand".to_owned(), task: None, directory: "/".into() };
        let ago = i64::try_from(hours).unwrap() * 3_600_000;
        let now = Timestamp::from_millis(Timestamp::now().millis() - ago);
        let open = move |write: &mut Write<'_>| {
            let reply = open(write, &request, &Occasion { now, actor: None })?;
            if let Some(outcome) = reported {
                let call = Call::ReportSummary(ReportSummary { summary: "painted".to_owned(), outcome });
                let (key, text) = ("k".to_owned(), "Recorded.".to_owned());
                let row =
                    signal::SignalRow { execution: reply.execution, seq: 1, key, call, reply: text, at: now };
                signal::insert(write, &row)?;
            }
            Ok(reply)
        };
        fixture.engine.write(open).await.unwrap()
    }

    async fn standing(fixture: &Fixture, opened: &OpenReply) -> (String, Option<ApiError>) {
        let (task, execution) = (opened.task, opened.execution);
        let both =
            fixture.engine.read(move |read| Ok((task::get(read, task)?, execution::get(read, execution)?)));
        let (row, run) = both.await.unwrap();
        (row.unwrap().state.name().to_owned(), refusal(&run.unwrap(), Timestamp::now()))
    }

    #[tokio::test]
    async fn behind_24_hours_a_token_is_refused_with_its_reason_and_its_run_is_closed_as_it_was_reported() {
        for (reported, state) in [(None, "timed_out"), (Some(SummaryOutcome::Done), "completed")] {
            let fixture = Fixture::new().await;
            let opened = opened(&fixture, 24, reported).await;
            // Before anybody has looked at it.
            let (before, refused) = standing(&fixture, &opened).await;
            assert_eq!(before, "running");
            assert!(
                refused.unwrap().message.starts_with("the 24 hours for which this run was opened are over")
            );
            fixture.engine.close_unbound().await.unwrap();
            let (after, refused) = standing(&fixture, &opened).await;
            assert_eq!(after, state);
            assert!(refused.unwrap().message.starts_with("the 24 hours"));
        }
    }

    #[tokio::test]
    async fn until_then_a_run_stays_open_and_the_store_wakes_for_its_end() {
        let fixture = Fixture::new().await;
        let opened = opened(&fixture, 23, None).await;
        let next = fixture.engine.close_unbound().await.unwrap();
        assert_eq!(next, Some(opened.until));
        assert!(opened.until.since(Timestamp::now()) <= HOUR);
        assert_eq!(standing(&fixture, &opened).await, ("running".to_owned(), None));
    }

    #[tokio::test]
    async fn a_store_that_opens_neither_adopts_such_a_run_nor_calls_it_lost() {
        let fixture = Fixture::new().await;
        let opened = opened(&fixture, 1, None).await;
        crate::store::recovery::reconcile(&fixture.engine).await.unwrap();
        assert!(!fixture.engine.supervisors().knows(opened.execution));
        assert_eq!(standing(&fixture, &opened).await, ("running".to_owned(), None));
    }
}
