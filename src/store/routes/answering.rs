//! Answering questions.

use axum::{
    Json,
    extract::{Path, State},
};

use super::acting::{occasion, remember};
use crate::{
    domain::TaskState,
    ids::QuestionNumber,
    protocol::{
        error::ApiError,
        operator::{AnswerReply, AnswerRequest},
    },
    store::{answer as answering, engine::Engine, operator::Operator, settings::Residency},
};

pub(super) async fn answer(
    State(engine): State<Engine>,
    operator: Operator,
    Path(number): Path<QuestionNumber>,
    Json(request): Json<AnswerRequest>,
) -> Result<Json<AnswerReply>, ApiError> {
    let occasion = occasion(&operator);
    let AnswerRequest { answer, environment } = request;
    let (question, applied) =
        engine.write(move |write| answering::answer(write, number, &answer, &occasion)).await?;
    remember(&engine, question.task, environment).await?;
    let task = question.task;
    let message = match (&applied.state, engine.residency()) {
        (TaskState::Queued { .. }, Residency::Resident) => format!("{task} goes on with the answer"),
        (TaskState::Queued { .. }, Residency::Hosted) => {
            format!("{task} goes on with the answer once a store runs it: `callbox resume {task} --run`")
        }
        (TaskState::Blocked { .. }, _) => format!("{task} has other questions open"),
        (TaskState::Running { .. }, _) => {
            format!("{task} is still running; it is told at the end of its turn")
        }
        _ => format!("the answer is kept; {task} is {}", applied.state.name()),
    };
    Ok(Json(AnswerReply { question: number, task, state: applied.state.name().to_owned(), message }))
}
