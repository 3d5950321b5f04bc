//! The agent plane: who speaks is decided by the token alone.

use axum::{Json, extract::State};
use tracing::{Span, field::display};

use crate::{
    database::{
        Read, Write,
        rows::{execution, task},
    },
    ids::{Timestamp, TokenHash},
    protocol::{
        agent::{Hello, RunIdentity, SignalReply, SignalRequest},
        error::{ApiError, ErrorCode},
    },
    store::{
        bearer::Bearer,
        engine::Engine,
        failure::Failure,
        fault_point::Point,
        idempotency_key::IdempotencyKey,
        news::News,
        operator::unlooked,
        record_signal::{record_signal, recorded},
        runs::Standing,
        spawn_base,
        transition::Occasion,
        unbound,
    },
    vocabulary::{Call, Isolation},
};

/// Characters of a client's name and version that are kept.
const MAX_HELLO: usize = 200;

/// The execution a token was minted for, whether it goes on or not.
fn owner(read: &Read<'_>, hash: &TokenHash) -> Result<execution::ExecutionRow, Failure> {
    let run = execution::by_token(read, hash.as_bytes())?.ok_or_else(|| Failure::from(Bearer::unknown()))?;
    Span::current().record("execution", display(run.number));
    Ok(run)
}

/// The execution a token speaks for, while its agent runs.
fn speaker(read: &Read<'_>, hash: &TokenHash) -> Result<execution::ExecutionRow, Failure> {
    let run = owner(read, hash)?;
    speaks(&run, Timestamp::now()).map(|()| run)
}

fn speaks(run: &execution::ExecutionRow, now: Timestamp) -> Result<(), Failure> {
    use execution::ExecutionState::{Delivering, Ended, Running, Starting};
    if let Some(refusal) = unbound::refusal(run, now) {
        return Err(refusal.into());
    }
    match run.state {
        Starting | Running => Ok(()),
        Delivering | Ended => Err(Failure::from(Bearer::revoked())),
    }
}

pub(super) async fn identity(
    State(engine): State<Engine>,
    bearer: Bearer,
) -> Result<Json<RunIdentity>, ApiError> {
    let standing = engine.runs().standing(&bearer.peer);
    engine
        .read(move |read| {
            let run = speaker(read, &bearer.hash)?;
            admit(&run, standing)?;
            let row = task::get(read, run.task)?.ok_or_else(|| Failure::unknown(run.task))?;
            Ok(Json(RunIdentity { execution: run.number, task: run.task, name: row.spec.name }))
        })
        .await
}

pub(super) async fn hello(
    State(engine): State<Engine>,
    bearer: Bearer,
    Json(hello): Json<Hello>,
) -> Result<Json<()>, ApiError> {
    let cut = |text: &str| text.chars().take(MAX_HELLO).collect::<String>();
    let text =
        format!("{} {} connected, MCP {}", cut(&hello.client), cut(&hello.version), cut(&hello.protocol));
    let standing = engine.runs().standing(&bearer.peer);
    engine
        .write(move |write| {
            let mut run = speaker(write, &bearer.hash)?;
            admit(&run, standing)?;
            let by_agent = hello.client != crate::protocol::SUPERVISOR_CLIENT;
            if by_agent && !run.hello_seen {
                run.hello_seen = true;
                execution::save(write, &run)?;
                News::of_run(&run, "hello").tell(write, &text, &Occasion::own())?;
            }
            Ok(Json(()))
        })
        .await
}

pub(super) async fn signal(
    State(engine): State<Engine>,
    bearer: Bearer,
    IdempotencyKey(key): IdempotencyKey,
    Json(request): Json<SignalRequest>,
) -> Result<Json<SignalReply>, ApiError> {
    let call = Call::parse(&request.tool, &request.arguments)
        .map_err(|fault| ApiError::new(ErrorCode::Invalid, fault.to_string()))?;
    let rules = engine.rules();
    let standing = engine.runs().standing(&bearer.peer);
    engine.faults().pass(Point::SignalArrived);
    let follow_up = FollowUp::of(&call);
    let record = move |write: &mut Write<'_>| {
        let run = owner(write, &bearer.hash)?;
        // Before anything is refused: what is on record must not be called unrecorded, also where the
        // answer was lost with the end of the run.
        if let Some(reply) = recorded(write, &run, &key, &call)? {
            return Ok((run.number, reply));
        }
        speaks(&run, Timestamp::now())?;
        if admit(&run, standing)? == Caller::Stranger {
            let text = format!("a call came from outside the run's processes: {}", bearer.peer);
            News::of_run(&run, "stranger").tell(write, &text, &Occasion::own())?;
        }
        Ok((run.number, record_signal(write, &run, &key, call, &rules, &Occasion::own())?))
    };
    let (number, reply) = match follow_up {
        FollowUp::None => engine.write_words(record).await?,
        FollowUp::Orders | FollowUp::Subtask => engine.write(record).await?,
    };
    tracing::debug!(tool = request.tool, "a call is recorded");
    engine.faults().pass(Point::SignalRecorded);
    if follow_up == FollowUp::Subtask {
        spawn_base::named(&engine, number).await?;
    }
    Ok(Json(reply))
}

/// What a recorded call brings about while its agent still runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum FollowUp {
    /// Nothing: it is kept, and told to whoever follows.
    None,
    /// The supervisor's orders change.
    Orders,
    /// A task is queued, once it is known where it starts.
    Subtask,
}

impl FollowUp {
    fn of(call: &Call) -> Self {
        match call {
            Call::RecordProgress(_) | Call::ReportSummary(_) => Self::None,
            Call::AskUser(_) => Self::Orders,
            Call::SpawnSubtask(_) => Self::Subtask,
        }
    }
}

/// Whose call it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Caller {
    /// A process of the run's.
    Own,
    /// Another, with the run's token.
    Stranger,
}

/// Under isolation nothing of a run leaves its process tree, so that whoever calls from elsewhere is not of
/// the run, and is refused. Without, it is no more than a guard's record: an agent program may start its
/// servers through a helper that is not below it.
fn admit(run: &execution::ExecutionRow, standing: Standing) -> Result<Caller, Failure> {
    if standing == Standing::Agent(run.number) {
        return Ok(Caller::Own);
    }
    if run.unbound_until.is_some() {
        return admit_unbound(run, standing);
    }
    if run.details.isolation.as_ref().is_some_and(Isolation::isolates) {
        if let Standing::Unlooked(shortage) = standing {
            return Err(unlooked(shortage).into());
        }
        let message =
            format!("this call came from outside the processes of `{}`, which is isolated", run.number);
        let refusal = ApiError::new(ErrorCode::ForbiddenPeer, message);
        return Err(refusal.hinted("only what the run itself started may speak for it; a launcher must keep the agent below itself").into());
    }
    Ok(Caller::Stranger)
}

/// An unbound run has no processes that are known, so that anybody with its token is taken for its agent: but not who
/// belongs to another run, which can only have come by it.
fn admit_unbound(run: &execution::ExecutionRow, standing: Standing) -> Result<Caller, Failure> {
    let from = match standing {
        Standing::Person | Standing::Unknown => return Ok(Caller::Own),
        Standing::Unlooked(shortage) => return Err(unlooked(shortage).into()),
        Standing::Agent(other) => format!("the processes of `{other}`"),
        Standing::Orphan => "the processes of another run".to_owned(),
    };
    let message =
        format!("this call came from {from}, and `{}` is for an agent that a person started", run.number);
    Err(ApiError::new(ErrorCode::ForbiddenPeer, message)
        .hinted("use the token that this very run was given")
        .into())
}

#[cfg(test)]
mod tests {
    use futures::FutureExt as _;
    use serde_json::json;

    use super::*;
    use crate::{
        ids::Secret,
        store::fixture::{Fixture, person},
    };

    /// Calls `tool` under the token of the fixture's execution.
    async fn call(fixture: &Fixture, tool: &str, arguments: serde_json::Value) {
        let (token, execution) = (Secret::mint(), fixture.execution);
        let hash = TokenHash::of(&token);
        let kept = fixture.engine.write_unannounced(move |write| {
            let mut run = execution::get(write, execution)?.ok_or_else(|| Failure::unknown(execution))?;
            run.token_hash = Some(*hash.as_bytes());
            Ok(execution::save(write, &run)?)
        });
        kept.await.unwrap();
        let bearer = Bearer { hash, peer: person() };
        let request =
            SignalRequest { tool: tool.to_owned(), arguments: arguments.as_object().unwrap().clone() };
        let key = IdempotencyKey(tool.to_owned());
        let _ = signal(State(fixture.engine.clone()), bearer, key, Json(request)).await.unwrap();
    }

    #[tokio::test]
    async fn words_that_are_only_kept_wake_nobody_but_those_who_follow() {
        let fixture = Fixture::new().await;
        let engine = &fixture.engine;
        engine.attention().await;
        let (mut changes, decisions) = (engine.changes(), engine.decisions());
        for (tool, arguments) in
            [("record_progress", json!({"message": "half"})), ("report_summary", json!({"summary": "all"}))]
        {
            call(&fixture, tool, arguments).await;
            assert!(changes.has_changed().unwrap(), "{tool}");
            changes.mark_unchanged();
            assert!(!decisions.has_changed().unwrap(), "{tool}");
            assert_eq!(engine.attention().now_or_never(), None, "{tool}");
        }
        call(&fixture, "ask_user", json!({"question": "Which?"})).await;
        assert!(changes.has_changed().unwrap() && decisions.has_changed().unwrap());
        assert_eq!(engine.attention().now_or_never(), Some(()));
    }
}
