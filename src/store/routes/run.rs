//! The agent plane: who speaks is decided by the token alone.

use axum::{Json, extract::State};

use crate::{
    database::{
        Read, Write,
        rows::{execution, task},
    },
    ids::TokenHash,
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
        peer::Peer,
        record_signal::{record_signal, recorded},
        runs::Standing,
        spawn_base,
        transition::Occasion,
    },
    vocabulary::Call,
};

/// Characters of a client's name and version that are kept.
const MAX_HELLO: usize = 200;

/// The execution a token was minted for, whether it goes on or not.
fn owner(read: &Read<'_>, hash: &TokenHash) -> Result<execution::ExecutionRow, Failure> {
    execution::by_token(read, hash.as_bytes())?.ok_or_else(|| Failure::from(Bearer::unknown()))
}

/// The execution a token speaks for, while its agent runs.
fn speaker(read: &Read<'_>, hash: &TokenHash) -> Result<execution::ExecutionRow, Failure> {
    let run = owner(read, hash)?;
    speaks(&run).map(|()| run)
}

fn speaks(run: &execution::ExecutionRow) -> Result<(), Failure> {
    use execution::ExecutionState::{Delivering, Ended, Running, Starting};
    match run.state {
        Starting | Running => Ok(()),
        Delivering | Ended => Err(Failure::from(Bearer::revoked())),
    }
}

pub(super) async fn identity(
    State(engine): State<Engine>,
    bearer: Bearer,
) -> Result<Json<RunIdentity>, ApiError> {
    engine
        .read(move |read| {
            let run = speaker(read, &bearer.hash)?;
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
    engine
        .write(move |write| {
            let mut run = speaker(write, &bearer.hash)?;
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
    let rules = engine.rules().clone();
    let standing = engine.runs().standing(&bearer.peer);
    engine.faults().pass(Point::SignalArrived);
    let spawns = matches!(call, Call::SpawnSubtask(_));
    let (number, reply) = engine
        .write(move |write| {
            let run = owner(write, &bearer.hash)?;
            // Before anything is refused: what is on record must not be called unrecorded, also where
            // the answer was lost with the end of the run.
            if let Some(reply) = recorded(write, &run, &key, &call)? {
                return Ok((run.number, reply));
            }
            speaks(&run)?;
            if standing != Standing::Agent(run.number) {
                stranger(write, &run, &bearer.peer)?;
            }
            Ok((run.number, record_signal(write, &run, &key, call, &rules, &Occasion::own())?))
        })
        .await?;
    engine.faults().pass(Point::SignalRecorded);
    if spawns {
        spawn_base::named(&engine, number).await?;
    }
    Ok(Json(reply))
}

/// Without isolation, a call from outside the execution's process tree is a guard's record, not a
/// refusal: an agent program may start its servers through a helper that is not below it.
fn stranger(write: &mut Write<'_>, run: &execution::ExecutionRow, peer: &Peer) -> Result<(), Failure> {
    let text = format!("a call came from outside the run's processes: {peer}");
    News::of_run(run, "stranger").tell(write, &text, &Occasion::own())
}
