//! A command of the task's own, run in the sandbox and held as its agents are, but without their token, read and
//! watched to its end.

use std::{
    collections::{BTreeMap, VecDeque},
    io,
    path::{Path, PathBuf},
    process::ExitStatus,
};

use tokio::time::{Duration, Instant, timeout};

use super::{
    agent::{self, Agent},
    capped_log::CappedLog,
    conversation::exit_of,
    ending::fault,
    execution::{Execution, make_private_folder},
    fault_point::Point,
    holding::{Held, Holding},
    outgrown::{AtWork, outgrown},
    surroundings::{Surroundings, at},
    watch::{Cause, Event, Manner},
};
use crate::{
    agents::{AgentCommand, Reach},
    ids::Secret,
    process::{Ladder, Signal, Survivors, Tree, end_tree},
    protocol::launch::CommandPlan,
    vocabulary::{AgentEnd, Exit, Fault, Verified},
};

/// How much of the end of the output is kept with the result, in bytes.
const TAIL: usize = 4 << 10;
/// How long a command that is ended early has for its last words.
const GRACE: Duration = Duration::from_secs(5);
/// How long what an ended command left behind has after SIGTERM.
const REST_GRACE: Duration = Duration::from_secs(1);
/// How long SIGKILL may take.
const KILL_DEADLINE: Duration = Duration::from_secs(20);
/// How long pipes are read that somebody outside the tree still holds.
const PIPES: Duration = Duration::from_secs(2);

/// What came of it.
pub(super) enum Commanded {
    /// The command has ended, or was ended for its limit.
    Ran(Verified),
    /// It was ended for this reason and says nothing about anything.
    Ended(Cause),
    /// It was ended since the run outgrew its room, and says nothing about anything.
    Outgrew(Fault),
}

/// What is to be run.
pub(super) struct Order<'a> {
    /// The field of the task that it stands in.
    pub(super) field: &'static str,
    /// The command and its limit.
    pub(super) plan: &'a CommandPlan,
    /// The file that keeps what it writes.
    pub(super) log: PathBuf,
    /// Where a test may want this process to die, once the command runs.
    pub(super) begun: Option<Point>,
}

/// Runs the command of `order`. No process of it is left when this returns, or that is the fault.
pub(super) async fn run_command(
    surroundings: &mut Surroundings<'_>,
    order: &Order<'_>,
) -> Result<Commanded, Fault> {
    let not_run = |error| Fault::of_system(&format!("`{}` could not be run", order.plan.command), &error);
    watch(surroundings, order).await.map_err(not_run)?
}

/// The command through a shell, as the person would type it, and held as the agent was: what it runs is
/// the agent's work.
fn held(
    execution: &Execution,
    plan: &CommandPlan,
    environment: &BTreeMap<String, Secret>,
) -> Result<Held, Fault> {
    let command = AgentCommand {
        program: "/bin/sh".into(),
        arguments: vec!["-c".into(), plan.command.clone().into()],
        environment: BTreeMap::new(),
        input: Vec::new(),
        reach: Reach::Write,
        files: Vec::new(),
    };
    Holding::choose(&execution.plan.isolation, environment)?.hold(execution, &command, &[])
}

async fn watch(
    surroundings: &mut Surroundings<'_>,
    order: &Order<'_>,
) -> io::Result<Result<Commanded, Fault>> {
    let plan = order.plan;
    let execution = surroundings.execution;
    make_private_folder(&execution.tmp())?;
    let environment = execution.environment(&BTreeMap::new());
    let held = match held(execution, plan, &environment) {
        Ok(held) => held,
        Err(fault) => return Ok(Err(fault)),
    };
    let mut running = Running::start(execution, held, &environment, &order.log)?;
    if let Some(point) = order.begun {
        execution.faults.pass(point);
    }
    let mut watch = surroundings.watched(Some(Duration::from_secs(plan.limit_seconds)));
    let mut manner = Manner::Ask;
    let at_work = AtWork::Command { field: order.field, command: &plan.command };
    let mut full = std::pin::pin!(outgrown(execution, at_work));
    while running.status.is_none() && watch.cause().is_none() {
        let deadline = watch.deadline(Instant::now());
        let event = tokio::select! {
            went_on = running.goes_on() => {
                went_on?;
                continue;
            }
            event = surroundings.next() => event,
            fault = &mut full => Event::Hopeless(AgentEnd::Unavailable { fault }),
            () = at(Some(deadline)) => Event::Time,
        };
        manner = watch.take(event, Instant::now()).unwrap_or(manner);
    }
    // What is decided from here on decides nothing about a command that has ended by itself.
    let cause = watch.cause().cloned().filter(|_| running.status.is_none());
    let ask = match (&cause, manner) {
        (None, _) => Some((Signal::Terminate, REST_GRACE)),
        (Some(_), Manner::Ask) => Some((Signal::Terminate, GRACE)),
        (Some(_), Manner::Kill) => None,
    };
    let ended = running.end(execution, Ladder { ask, deadline: KILL_DEADLINE }).await?;
    let (exit, mut tail) = running.conclude();
    if let Err(survivors) = ended {
        return Ok(Err(fault("processes", &survivors, None)));
    }
    let limit_seconds = match cause {
        None => None,
        Some(Cause::TimedOut { seconds }) => {
            tail = format!("{tail}\n[callbox: ended after its limit of {seconds} s]");
            Some(seconds)
        }
        Some(Cause::Hopeless(AgentEnd::Unavailable { fault })) => return Ok(Ok(Commanded::Outgrew(fault))),
        Some(cause) => return Ok(Ok(Commanded::Ended(cause))),
    };
    Ok(Ok(Commanded::Ran(Verified { command: plan.command.clone(), exit, tail, limit_seconds })))
}

/// The command while it runs, and what is kept of its words.
struct Running {
    agent: Agent,
    status: Option<ExitStatus>,
    log: CappedLog,
    tail: VecDeque<u8>,
}

impl Running {
    fn start(
        execution: &Execution,
        held: Held,
        environment: &BTreeMap<String, Secret>,
        log: &Path,
    ) -> io::Result<Self> {
        let log = CappedLog::open(log)?;
        let agent = agent::start(execution, held, Vec::new(), environment)?;
        Ok(Self { agent, status: None, log, tail: VecDeque::new() })
    }

    /// Waits for its next words or its end; for ever where both were. Cancelling loses nothing.
    async fn goes_on(&mut self) -> io::Result<()> {
        let agent = &mut self.agent;
        let length = tokio::select! {
            length = agent.stdout.read(), if agent.stdout.is_open() => (length, Stream::Output),
            length = agent.stderr.read(), if agent.stderr.is_open() => (length, Stream::Error),
            status = agent.child.wait(), if self.status.is_none() => {
                self.status = Some(status?);
                return Ok(());
            }
            else => std::future::pending().await,
        };
        let bytes = match length {
            (length, Stream::Output) => agent.stdout.bytes(length),
            (length, Stream::Error) => agent.stderr.bytes(length),
        };
        self.log.push(bytes);
        self.tail.extend(&bytes[bytes.len().saturating_sub(TAIL)..]);
        let surplus = self.tail.len().saturating_sub(TAIL);
        self.tail.drain(..surplus);
        Ok(())
    }

    /// Ends it and all it started, reading on meanwhile: a full pipe must not hold up who wants to leave.
    async fn end(&mut self, execution: &Execution, ladder: Ladder) -> io::Result<Result<(), Survivors>> {
        let tree = Tree::Below { root: Some(self.agent.process), family: &execution.family };
        let mut ending = Box::pin(end_tree(tree, ladder));
        let ended = loop {
            tokio::select! {
                ended = &mut ending => break ended,
                went_on = self.goes_on() => went_on?,
            }
        };
        let rest = async {
            while self.status.is_none() || self.agent.stdout.is_open() || self.agent.stderr.is_open() {
                self.goes_on().await?;
            }
            io::Result::Ok(())
        };
        // Somebody outside the tree may hold the pipes for ever.
        timeout(PIPES, rest).await.unwrap_or(Ok(()))?;
        Ok(ended)
    }

    fn conclude(self) -> (Exit, String) {
        if let Err(error) = self.log.finish() {
            tracing::error!(%error, "the log of a command is not complete");
        }
        let tail = String::from_utf8_lossy(&self.tail.into_iter().collect::<Vec<u8>>()).into_owned();
        (exit_of(self.status), tail)
    }
}

#[derive(Clone, Copy)]
enum Stream {
    Output,
    Error,
}
