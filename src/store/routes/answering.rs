//! Answering and dismissing questions.

use axum::{
    Json,
    extract::{Path, State},
};

use super::acting::occasion;
use crate::{
    database::rows::execution,
    domain::TaskState,
    ids::QuestionNumber,
    protocol::{
        error::ApiError,
        operator::{ActRequest, AnswerReply, AnswerRequest},
    },
    store::{
        answer as answering, dismiss as dismissing, engine::Engine, operator::Operator, provision::provide,
        settings::Residency,
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
    let (question, applied, by_hand) = engine
        .write(move |write| {
            let (question, applied) = answering::answer(write, number, &answer, &occasion)?;
            provide(write, question.task, environment, values.environments())?;
            let last = execution::last_of(write, question.task)?;
            Ok((question, applied, last.is_some_and(|run| run.details.by_hand)))
        })
        .await?;
    let task = question.task;
    let replaced = question.answer.map(|before| format!(" instead of `{before}`")).unwrap_or_default();
    let message = match (&applied.state, engine.residency()) {
        (TaskState::Queued { .. }, Residency::Resident) => {
            format!("{task} goes on with the answer{replaced}")
        }
        (TaskState::Queued { .. }, Residency::Hosted) => {
            format!("{task} goes on with the answer{replaced} once a store runs it")
        }
        (TaskState::Blocked { .. }, _) => format!("{task} has other questions open"),
        (TaskState::Running { .. }, _) if by_hand => {
            format!("{task} is still open; its agent is told{replaced} with its next tool result")
        }
        (TaskState::Running { .. }, _) => {
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
    let values = engine.clone();
    let (question, applied) = engine
        .write(move |write| {
            let (question, applied) = dismissing::dismiss(write, number, &occasion)?;
            provide(write, question.task, request.environment, values.environments())?;
            Ok((question, applied))
        })
        .await?;
    let task = question.task;
    let message = match (&applied.state, &applied.unchanged) {
        (_, Some(reason)) => reason.clone(),
        (TaskState::Queued { .. }, None) => format!("{task} goes on once a store runs it"),
        (TaskState::Running { .. }, None) => format!("the work of {task} is being handed over"),
        (state, None) => format!("{task} is {}", state.name()),
    };
    Ok(Json(AnswerReply { question: number, task, state: applied.state.name().to_owned(), message }))
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
        assert!(engine.environments().look_up(task, &names).contains_key("CALLBOX_TEST_WARY"));
        let _ = answering.await.unwrap().unwrap();
        let row = fixture.task_row().await;
        assert_eq!((row.state.name(), row.variables.as_slice()), ("queued", names.as_slice()));
    }
}
