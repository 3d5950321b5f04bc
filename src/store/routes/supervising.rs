//! The supervisor plane.

use std::time::Duration;

use axum::{
    Json,
    extract::{Query, State},
};
use tracing::{Span, field::display};

use crate::{
    database::{Read, rows::execution},
    ids::TokenHash,
    protocol::{
        error::ApiError,
        query::OrdersQuery,
        supervise::{Orders, Report, ReportBody, Verdict},
    },
    store::{
        bearer::Bearer, engine::Engine, failure::Failure, fault_point::Point, orders as desired,
        take_report::take_report, transition::Occasion,
    },
};

/// How long a question about orders waits for an answer that is new.
const LONGEST_POLL: Duration = Duration::from_secs(25);

fn supervised(read: &Read<'_>, hash: &TokenHash) -> Result<execution::ExecutionRow, Failure> {
    let run =
        execution::by_supervisor(read, hash.as_bytes())?.ok_or_else(|| Failure::from(Bearer::unknown()))?;
    Span::current().record("execution", display(run.number));
    Ok(run)
}

pub(super) async fn report(
    State(engine): State<Engine>,
    bearer: Bearer,
    Json(report): Json<Report>,
) -> Result<Json<Verdict>, ApiError> {
    let begins = matches!(report.body, ReportBody::Started { .. });
    let what = report.body.name();
    let recorded = Point::recorded(&report.body);
    if recorded == Point::EndedRecorded {
        engine.faults().pass(Point::EndedArrived);
    }
    let (number, verdict) = engine
        .write(move |write| {
            let run = supervised(write, &bearer.hash)?;
            Ok((run.number, take_report(write, run.number, &report, &Occasion::own())?))
        })
        .await?;
    if recorded == Point::FactsRecorded {
        // As often as an agent says something.
        tracing::debug!(report = what, ?verdict, "its supervisor's report is recorded");
    } else {
        tracing::info!(report = what, ?verdict, "its supervisor's report is recorded");
    }
    engine.faults().pass(recorded);
    // A command attached by hand is its own supervisor, and this store did not start it.
    if begins && !engine.supervisors().knows(number) {
        engine.supervisors().adopt(&engine, number);
    }
    Ok(Json(verdict))
}

pub(super) async fn orders(
    State(engine): State<Engine>,
    bearer: Bearer,
    Query(query): Query<OrdersQuery>,
) -> Result<Json<Orders>, ApiError> {
    let deadline = tokio::time::Instant::now() + LONGEST_POLL;
    let mut decisions = engine.decisions();
    loop {
        let hash = bearer.hash;
        let now = engine.read(move |read| desired::orders(read, &supervised(read, &hash)?)).await?;
        if now.level != query.seen {
            return Ok(Json(now));
        }
        tokio::select! {
            _ = decisions.changed() => {}
            () = tokio::time::sleep_until(deadline) => return Ok(Json(now)),
            () = engine.stop().cancelled() => return Ok(Json(now)),
        }
    }
}
