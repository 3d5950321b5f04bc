//! The agent plane's one act: a tool call becomes a row before the tool answers.

use std::time::Duration;

use super::{
    budget, dollars_left::dollars_left, failure::Failure, news::News, time_left::time_left,
    told_along::told_along, transition::Occasion, view::count,
};
use crate::{
    database::{
        Read, Write,
        rows::{dependency, execution, question, signal, task},
    },
    domain::Author,
    domain::{Caps, Family, Sibling, SpawnRefusal, Spawned, Start, TaskState, spawn},
    protocol::{
        agent::SignalReply,
        error::{ApiError, ErrorCode},
    },
    vocabulary::{AskUser, Call, RecordProgress, SpawnSubtask},
};

/// What a signal is recorded under.
#[derive(Debug, Clone)]
pub(super) struct Rules {
    /// How far a tree may grow and how much one execution may say.
    pub(super) caps: Caps,
    /// Agents that subtasks may use besides the parent's and `scripted`.
    pub(super) agents: Vec<String>,
}

/// What `call` was told when it was recorded before under the same `key`; `None` where the key is new.
pub(super) fn recorded(
    read: &Read<'_>,
    run: &execution::ExecutionRow,
    key: &str,
    call: &Call,
) -> Result<Option<SignalReply>, Failure> {
    match signal::by_key(read, run.number, key)? {
        None => Ok(None),
        Some(before) if before.call == *call => Ok(Some(SignalReply { seq: before.seq, text: before.reply })),
        Some(_) => {
            let message = "this call's key was used before for another call";
            let refusal = ApiError::new(ErrorCode::Conflict, message);
            Err(refusal.hinted("make it once more as a call of its own").into())
        }
    }
}

/// Records `call` for `run` under a `key` that is new.
pub(super) fn record_signal(
    write: &mut Write<'_>,
    run: &execution::ExecutionRow,
    key: &str,
    call: Call,
    rules: &Rules,
    occasion: &Occasion,
) -> Result<SignalReply, Failure> {
    let seq = signal::count(write, run.number)? + 1;
    if seq > rules.caps.signals {
        let limit = rules.caps.signals;
        let message = format!("the limit on calls in one run ({limit}) is reached");
        let refusal = ApiError::new(ErrorCode::CapReached, message);
        return Err(refusal.hinted("finish with what you have and end your turn").into());
    }
    let reply = match &call {
        Call::AskUser(asked) => ask(write, run, asked, occasion)?,
        Call::ReportSummary(summary) => {
            News::of_run(run, "summary").tell(write, &summary.summary, occasion)?;
            "Recorded. A later call of report_summary in this run replaces it.".to_owned()
        }
        Call::SpawnSubtask(wish) => spawn_subtask(write, run, wish, (rules, occasion))?,
        Call::RecordProgress(progress) => {
            let reply = record_progress(write, run, progress, occasion)?;
            let terms = task::terms(write, run.task)?.ok_or_else(|| Failure::unknown(run.task))?;
            let time = time_left(limit(run, &terms), since(run, occasion));
            reply + &time + &dollars_left(budget::left(write, &terms)?)
        }
    };
    let reply = reply + &told_along(write, run, (key, seq), occasion)?;
    let at = occasion.now;
    let stored = signal::SignalRow { execution: run.number, seq, key: key.to_owned(), call, reply, at };
    signal::insert(write, &stored)?;
    Ok(SignalReply { seq, text: stored.reply })
}

fn ask(
    write: &mut Write<'_>,
    run: &execution::ExecutionRow,
    asked: &AskUser,
    occasion: &Occasion,
) -> Result<String, Failure> {
    let open = question::open_of(write, run.task)?;
    let same = open.iter().find(|row| row.execution == run.number && row.asked == *asked);
    let number = match same {
        Some(row) => row.number,
        None => question::insert(write, run.task, run.number, asked, occasion.now)?,
    };
    if same.is_none() {
        News::of_run(run, "question").tell(write, &format!("{number}: {}", asked.question), occasion)?;
    }
    let then = if run.details.by_hand {
        "The answer comes when the person has you go on, at the latest with the result of your next tool call."
    } else {
        "This same conversation goes on with the answer as its next message."
    };
    Ok(format!(
        "Recorded as {number}. End your turn now, without further tool calls: nobody can answer while \
         you work. {then}"
    ))
}

fn record_progress(
    write: &mut Write<'_>,
    run: &execution::ExecutionRow,
    progress: &RecordProgress,
    occasion: &Occasion,
) -> Result<String, Failure> {
    let text = match progress.percent {
        Some(percent) => format!("{percent} % {}", progress.message),
        None => progress.message.clone(),
    };
    News::of_run(run, "progress").tell(write, &text, occasion)?;
    Ok("Recorded.".to_owned())
}

/// Nobody limits an agent that a person started by hand.
fn limit(run: &execution::ExecutionRow, terms: &task::Terms) -> Option<Duration> {
    terms.timeout_seconds.filter(|_| !run.details.by_hand).map(Duration::from_secs)
}

fn since(run: &execution::ExecutionRow, occasion: &Occasion) -> Duration {
    run.started_at.map_or(Duration::ZERO, |started| occasion.now.since(started))
}

fn spawn_subtask(
    write: &mut Write<'_>,
    run: &execution::ExecutionRow,
    wish: &SpawnSubtask,
    (rules, occasion): (&Rules, &Occasion),
) -> Result<String, Failure> {
    let parent = task::get(write, run.task)?.ok_or_else(|| Failure::unknown(run.task))?;
    let siblings: Vec<Sibling> = task::children(write, parent.number)?
        .into_iter()
        .map(|child| Sibling {
            task: child.number,
            name: child.spec.name,
            instructions: child.spec.instructions,
        })
        .collect();
    let family = Family {
        parent: &parent.spec,
        depth: parent.depth,
        siblings: &siblings,
        tree: count(task::tree(write, parent.root)?.len()),
        caps: rules.caps,
        agents: &rules.agents,
    };
    let number = match spawn(wish, &family).map_err(|error| refusal(&error))? {
        Spawned::Existing(number) => number,
        Spawned::New { spec, after } => {
            let new = task::NewTaskRow {
                spec: *spec,
                parent: Some(task::Parent { task: parent.number, root: parent.root, depth: parent.depth }),
                author: Author::Agent,
                spawn_base: spawn_base(run, &parent),
                variables: parent.variables.clone(),
                state: TaskState::queued(Start::Fresh),
                at: occasion.now,
            };
            let number = task::insert(write, &new)?;
            dependency::insert(write, number, &after)?;
            let row = task::get(write, number)?.ok_or_else(|| Failure::unknown(number))?;
            super::transition::fail_without_predecessors(write, &row, occasion)?;
            News::of_run(run, "subtask").tell(write, &format!("{number}: {}", wish.name), occasion)?;
            News::of_task(number, "state").tell(write, row.state.name(), occasion)?;
            number
        }
    };
    Ok(format!(
        "Queued as {number}. Do not wait for it: end your turn when your own part is done. You will be \
         told of its result in this conversation."
    ))
}

/// Without a project there is nothing to start from.
fn spawn_base(run: &execution::ExecutionRow, parent: &task::TaskRow) -> Option<task::SpawnBase> {
    parent.spec.project.as_ref()?;
    Some(task::SpawnBase { sandbox: run.sandbox.clone()?, commit: None })
}

fn refusal(refusal: &SpawnRefusal) -> Failure {
    let code = match refusal {
        SpawnRefusal::Cap { .. } => ErrorCode::CapReached,
        SpawnRefusal::NameTaken { .. } => ErrorCode::Conflict,
        SpawnRefusal::NoSuchPredecessor { .. } | SpawnRefusal::AgentNotAllowed { .. } => ErrorCode::Invalid,
    };
    ApiError::new(code, refusal.to_string()).hinted(refusal.advice()).into()
}
