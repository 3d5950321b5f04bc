//! Looking: status, tasks, questions, why.

use std::collections::{HashMap, HashSet};

use axum::{
    Json,
    extract::{Path, Query, State},
    http::header::CONTENT_TYPE,
    response::IntoResponse,
};

use crate::{
    database::{
        Read,
        rows::{question, task, usage},
    },
    domain::why as reason,
    ids::TaskNumber,
    protocol::{
        error::ApiError,
        operator::WhyReply,
        query::{QuestionChoice, QuestionFilter, TaskFilter},
        report::{QuestionReport, TaskLine, TaskReport},
        status::Status,
    },
    store::{
        engine::Engine,
        failure::Failure,
        listed::most_telling,
        metrics::exposition,
        operator::Operator,
        outlook::Outlook,
        report::{circumstances, question_report, task_lines, task_report},
        settings::Residency,
        status::{Itself, status as status_of},
    },
};

pub(super) async fn status(State(engine): State<Engine>, _: Operator) -> Result<Json<Status>, ApiError> {
    let itself =
        Itself { generation: engine.generation(), resident: engine.residency() == Residency::Resident };
    let planning = engine.planning();
    engine.read(move |read| Ok(Json(status_of(read, itself, &planning.quotas)?))).await
}

/// In the text format of Prometheus, version 0.0.4.
pub(super) async fn metrics(
    State(engine): State<Engine>,
    _: Operator,
) -> Result<impl IntoResponse, ApiError> {
    let itself =
        Itself { generation: engine.generation(), resident: engine.residency() == Residency::Resident };
    let planning = engine.planning();
    let text = engine
        .read(move |read| {
            let status = status_of(read, itself, &planning.quotas)?;
            Ok(exposition(&status, &usage::totals(read)?))
        })
        .await?;
    Ok(([(CONTENT_TYPE, "text/plain; version=0.0.4")], text))
}

pub(super) async fn tasks(
    State(engine): State<Engine>,
    _: Operator,
    Query(filter): Query<TaskFilter>,
) -> Result<Json<Vec<TaskLine>>, ApiError> {
    let (scope, planning) = (engine.scope().clone(), engine.planning());
    engine
        .read(move |read| {
            let outlook = Outlook::now(read, &scope, &planning.quotas)?;
            let rows = rows(read, &filter)?;
            task_lines(read, rows, &outlook).map(Json)
        })
        .await
}

/// The tasks that are meant, oldest first.
fn rows(read: &Read<'_>, filter: &TaskFilter) -> Result<Vec<task::TaskRow>, Failure> {
    let is_plain = TaskFilter { limit: None, ..filter.clone() } == TaskFilter::default();
    if let Some(limit) = filter.limit.filter(|_| is_plain) {
        let all = task::standings(read)?;
        let listed = most_telling(all.iter().map(|(number, state)| (*number, state.as_str())), limit);
        return Ok(task::some(read, &listed)?);
    }
    let mut rows = match (&filter.state, &filter.tree.0[..]) {
        (Some(state), []) => task::in_state(read, state)?,
        (None, []) => task::all(read)?,
        (_, trees) => task::trees(read, trees)?,
    };
    rows.retain(|row| {
        filter.state.as_ref().is_none_or(|state| row.state.name() == state)
            && filter.project.as_ref().is_none_or(|path| row.spec.project.as_ref() == Some(path))
            && filter.tag.as_ref().is_none_or(|tag| row.spec.tags.contains(tag))
            && filter.since.is_none_or(|time| row.created_at >= time)
    });
    if let Some(limit) = filter.limit {
        let listed = most_telling(rows.iter().map(|row| (row.number, row.state.name())), limit);
        let listed: HashSet<TaskNumber> = listed.into_iter().collect();
        rows.retain(|row| listed.contains(&row.number));
    }
    Ok(rows)
}

pub(super) async fn task(
    State(engine): State<Engine>,
    _: Operator,
    Path(number): Path<TaskNumber>,
) -> Result<Json<TaskReport>, ApiError> {
    let (scope, state) = (engine.scope().clone(), engine.state().clone());
    let planning = engine.planning();
    engine
        .read(move |read| {
            let row = task::get(read, number)?.ok_or_else(|| Failure::unknown(number))?;
            task_report(read, &row, &Outlook::now(read, &scope, &planning.quotas)?, &state).map(Json)
        })
        .await
}

pub(super) async fn why(
    State(engine): State<Engine>,
    _: Operator,
    Path(number): Path<TaskNumber>,
) -> Result<Json<WhyReply>, ApiError> {
    let (scope, planning) = (engine.scope().clone(), engine.planning());
    engine
        .read(move |read| {
            let row = task::get(read, number)?.ok_or_else(|| Failure::unknown(number))?;
            let around = circumstances(read, &row, &Outlook::now(read, &scope, &planning.quotas)?)?;
            Ok(Json(WhyReply { sentence: reason(&around) }))
        })
        .await
}

pub(super) async fn questions(
    State(engine): State<Engine>,
    _: Operator,
    Query(filter): Query<QuestionFilter>,
) -> Result<Json<Vec<QuestionReport>>, ApiError> {
    engine
        .read(move |read| {
            let mut rows = match (filter.state, filter.task) {
                (QuestionChoice::Open, Some(task)) => question::open_of(read, task)?,
                (QuestionChoice::Open, None) => question::open(read, filter.limit)?,
                (QuestionChoice::All, _) => question::all(read, filter.limit)?,
            };
            rows.retain(|row| filter.task.is_none_or(|task| row.task == task));
            let asking: Vec<TaskNumber> = rows.iter().map(|row| row.task).collect();
            let tasks: HashMap<_, _> =
                task::some(read, &asking)?.into_iter().map(|task| (task.number, task)).collect();
            let report = |row: &question::QuestionRow| {
                let task = tasks.get(&row.task).ok_or_else(|| Failure::unknown(row.task))?;
                Ok(question_report(row, task))
            };
            rows.iter().map(report).collect::<Result<_, Failure>>().map(Json)
        })
        .await
}
