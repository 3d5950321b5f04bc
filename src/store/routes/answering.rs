//! Answering and dismissing questions.

use axum::{
    Json,
    extract::{Path, State},
};

use super::acting::occasion;
use crate::{
    database::{
        Read,
        rows::{execution, task},
    },
    domain::TaskState,
    ids::{QuestionNumber, TaskNumber},
    protocol::{
        error::ApiError,
        operator::{ActRequest, AnswerReply, AnswerRequest},
    },
    store::{
        answer as answering, dismiss as dismissing, engine::Engine, failure::Failure, mover::Mover,
        operator::Operator, provision::provide, settings::Residency,
    },
};

pub(super) async fn answer(
    State(engine): State<Engine>,
    operator: Operator,
    Path(number): Path<QuestionNumber>,
    Json(request): Json<AnswerRequest>,
) -> Result<Json<AnswerReply>, ApiError> {
    let occasion = occasion(&operator);
    let AnswerRequest { answer, environment } = request;
    let values = engine.clone();
    let residency = engine.residency();
    let (question, applied, by_hand, mover) = engine
        .write(move |write| {
            let (question, applied) = answering::answer(write, number, &answer, &occasion)?;
            provide(write, question.task, environment, values.environments())?;
            let last = execution::last_of(write, question.task)?;
            let by_hand = last.is_some_and(|run| run.details.by_hand);
            let mover = mover(write, question.task, residency)?;
            Ok((question, applied, by_hand, mover))
        })
        .await?;
    let task = question.task;
    let replaced = question.answer.map(|before| format!(" instead of `{before}`")).unwrap_or_default();
    let message = match &applied.state {
        TaskState::Queued { .. } => format!("{task} goes on with the answer{replaced}{}", mover.when()),
        TaskState::Blocked { .. } => format!("{task} has other questions open"),
        TaskState::Running { .. } if by_hand => {
            format!("{task} is still open; its agent is told{replaced} with its next tool result")
        }
        TaskState::Running { .. } => {
            format!("{task} is still running; it is told{replaced} at the end of its turn")
        }
        _ => format!("the answer is kept{replaced}; {task} is {}", applied.state.name()),
    };
    Ok(Json(AnswerReply { question: number, task, state: applied.state.name().to_owned(), message }))
}

pub(super) async fn dismiss(
    State(engine): State<Engine>,
    operator: Operator,
    Path(number): Path<QuestionNumber>,
    Json(request): Json<ActRequest>,
) -> Result<Json<AnswerReply>, ApiError> {
    let occasion = occasion(&operator);
    let (values, residency) = (engine.clone(), engine.residency());
    let (question, applied, mover) = engine
        .write(move |write| {
            let (question, applied) = dismissing::dismiss(write, number, &occasion)?;
            provide(write, question.task, request.environment, values.environments())?;
            let mover = mover(write, question.task, residency)?;
            Ok((question, applied, mover))
        })
        .await?;
    let task = question.task;
    let message = match (&applied.state, &applied.unchanged) {
        (_, Some(reason)) => reason.clone(),
        (TaskState::Queued { .. }, None) => format!("{task} goes on{}", mover.when()),
        (TaskState::Running { .. }, None) => format!("the work of {task} is being handed over"),
        (state, None) => format!("{task} is {}", state.name()),
    };
    Ok(Json(AnswerReply { question: number, task, state: applied.state.name().to_owned(), message }))
}

fn mover(read: &Read<'_>, number: TaskNumber, residency: Residency) -> Result<Mover, Failure> {
    let row = task::get(read, number)?.ok_or_else(|| Failure::unknown(number))?;
    Ok(Mover::of(&row, residency))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::{
        database::rows::question,
        domain::TaskEvent,
        ids::{Secret, Timestamp},
        protocol::operator::AnswerText,
        store::{
            fixture::{Fixture, person},
            transition::{Occasion, apply},
        },
        vocabulary::AskUser,
    };

    #[tokio::test]
    async fn what_comes_with_an_answer_is_known_before_the_task_can_be_claimed() {
        let fixture = Fixture::new().await;
        let (engine, task, execution) = (fixture.engine.clone(), fixture.task, fixture.execution);
        let number = engine
            .write(move |write| {
                let asked = AskUser { question: "Which?".to_owned(), options: Vec::new(), context: None };
                let number = question::insert(write, task, execution, &asked, Timestamp::now())?;
                apply(write, task, &TaskEvent::Lost { turn_taken: true }, &Occasion::own())?;
                Ok(number)
            })
            .await
            .unwrap();
        let mut changes = engine.changes();
        changes.mark_unchanged();
        let request = AnswerRequest {
            answer: AnswerText::Text("blue".to_owned()),
            environment: BTreeMap::from([("CALLBOX_TEST_WARY".to_owned(), Secret::new("here"))]),
        };
        let answering = answer(State(engine.clone()), Operator(person()), Path(number), Json(request));
        let answering = tokio::spawn(answering);
        changes.changed().await.unwrap();
        // Looked at before anything else can run, as the engine might: it is woken by the same change.
        let names = ["CALLBOX_TEST_WARY".to_owned()];
        assert!(engine.environments().look_up(task, &names, None).contains_key("CALLBOX_TEST_WARY"));
        let _ = answering.await.unwrap().unwrap();
        let row = fixture.task_row().await;
        assert_eq!((row.state.name(), row.variables.as_slice()), ("queued", names.as_slice()));
    }
}
