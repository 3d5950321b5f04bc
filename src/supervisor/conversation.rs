//! One agent process from its start until nothing of it is left.
//!
//! One loop: every source becomes an [`Occurrence`], the watch decides, the loop does what was
//! decided. Output is read to its end however the agent is ended, so that a full pipe never holds up
//! an agent that is trying to leave.

use std::{os::unix::process::ExitStatusExt as _, pin::Pin, process::ExitStatus};

use tokio::{
    signal::unix::{Signal as SignalStream, SignalKind, signal},
    time::{Duration, Instant},
};

use super::{
    agent::Agent,
    execution::Execution,
    lines::{Lines, MAX_LINE},
    not_entered::not_entered,
    outgrown::{AtWork, outgrown},
    output::Output,
    pulse::Pulse,
    reporter::Reporter,
    surroundings::{Surroundings, at},
    watch::{Cause, Event, Hello, Limits, Manner, Watch},
};
use crate::{
    agents::{Adapter, Beforehand, Conclusion, Read, Reader, StopSignal},
    process::{Ladder, Signal, Survivors, Tree, end_tree, work_below},
    vocabulary::{AgentEnd, Exit, Fact, Fault},
};

/// How long an agent has for its last words after its stop signal.
const GRACE: Duration = Duration::from_secs(5);
/// How long what a finished agent left in its group has after SIGTERM: its shim leaves at once.
const REST_GRACE: Duration = Duration::from_secs(1);
/// How long SIGKILL may take.
const KILL_DEADLINE: Duration = Duration::from_secs(20);
/// How long pipes are read that somebody outside the tree still holds.
const PIPES: Duration = Duration::from_secs(2);

/// What came of it.
pub(super) struct Held {
    /// What the adapter understood.
    pub(super) conclusion: Conclusion,
    /// How the process ended.
    pub(super) exit: Exit,
    /// Why it was ended, if it did not end by itself.
    pub(super) cause: Option<Cause>,
    /// What could not be ended.
    pub(super) survivors: Option<Survivors>,
}

enum Occurrence {
    Written(usize),
    Complained(usize),
    Exited(ExitStatus),
    TreeEnded(Result<(), Survivors>),
    ChildEnded,
    Watched(Event),
}

type Full<'a> = Pin<Box<dyn Future<Output = Fault> + 'a>>;
type Ending<'a> = Pin<Box<dyn Future<Output = Result<(), Survivors>> + 'a>>;

/// Everything about the agent that is running.
struct Conversation<'a, 'o> {
    execution: &'a Execution,
    reporter: &'a Reporter,
    output: &'o mut Output,
    agent: Agent,
    reader: Box<dyn Reader>,
    lines: Lines,
    complaints: Lines,
    watch: Watch,
    pulse: Option<Pulse>,
    session: Option<String>,
    stop_signal: Signal,
    exit: Option<ExitStatus>,
    tree: Option<Result<(), Survivors>>,
}

/// Reads, watches and at last ends `agent`.
pub(super) async fn hold(
    surroundings: &mut Surroundings<'_>,
    output: &mut Output,
    adapter: &dyn Adapter,
    agent: Agent,
    session: Option<String>,
) -> std::io::Result<Held> {
    let execution = surroundings.execution;
    let limits = Limits {
        timeout: execution.plan.timeout_seconds.map(Duration::from_secs),
        idle: execution.plan.idle_timeout_seconds.map(Duration::from_secs),
        patience: surroundings.patience(),
        session: session.clone(),
        hello: if adapter.announces_its_tools() { Hello::Due } else { Hello::NotDue },
    };
    let mut conversation = Conversation {
        execution,
        reporter: surroundings.reporter,
        output,
        agent,
        reader: adapter.reader(&beforehand(execution, session.as_deref())),
        lines: Lines::new(),
        complaints: Lines::new(),
        pulse: limits.idle.map(Pulse::new),
        watch: Watch::new(limits, Instant::now()),
        session,
        stop_signal: match adapter.stop_signal() {
            StopSignal::Interrupt => Signal::Interrupt,
            StopSignal::Terminate => Signal::Terminate,
        },
        exit: None,
        tree: None,
    };
    conversation.run(surroundings).await?;
    Ok(conversation.conclude())
}

impl<'a> Conversation<'a, '_> {
    async fn run(&mut self, surroundings: &mut Surroundings<'a>) -> std::io::Result<()> {
        let mut children = signal(SignalKind::child())?;
        let mut ending: Option<Ending<'a>> = None;
        let mut full: Option<Full<'a>> = Some(Box::pin(outgrown(self.execution, AtWork::Agent)));
        let mut pipes_until: Option<Instant> = None;
        let standing = surroundings.standing.borrow_and_update().clone();
        let mut manner = self.watch.take(Event::Standing(standing), Instant::now());
        loop {
            if let Some(manner) = manner.take()
                && self.tree.is_none()
            {
                ending = Some(self.end(self.ladder(manner)));
            }
            let drained = !self.agent.stdout.is_open() && !self.agent.stderr.is_open();
            let given_up = pipes_until.is_some_and(|until| until <= Instant::now());
            // What SIGKILL could not end may be the agent itself, and is not waited for.
            let over = self.exit.is_some() || matches!(self.tree, Some(Err(_)));
            if over && self.tree.is_some() && (drained || given_up) {
                return Ok(());
            }
            // Once the agent has exited nothing is weighed any more, and no look at the clock is due.
            let watched = self.exit.is_none().then(|| self.watch.deadline(Instant::now()));
            let deadline = watched.into_iter().chain(pipes_until).min();
            match self.next(surroundings, &mut children, (&mut ending, &mut full), deadline).await {
                Occurrence::Written(length) => manner = self.written(length),
                Occurrence::Complained(length) => manner = self.complained(length),
                Occurrence::Exited(status) => {
                    self.exit = Some(status);
                    // What it left behind is ended, unless everything is being ended already.
                    if ending.is_none() && self.tree.is_none() {
                        let ask = Some((Signal::Terminate, REST_GRACE));
                        ending = Some(self.end(Ladder { ask, deadline: KILL_DEADLINE }));
                    }
                }
                Occurrence::TreeEnded(result) => {
                    ending = None;
                    self.tree = Some(result);
                    pipes_until = Some(Instant::now() + PIPES);
                }
                Occurrence::ChildEnded => {
                    if let Err(error) = self.execution.family.reap_adopted() {
                        tracing::warn!(%error, "ended orphans could not be cleared away");
                    }
                }
                // What happens outside no longer matters to an agent that has exited.
                Occurrence::Watched(_) if self.exit.is_some() => {}
                Occurrence::Watched(Event::Time) if self.works() => {
                    manner = self.watch.take(Event::Active, Instant::now());
                }
                Occurrence::Watched(event) => manner = self.watch.take(event, Instant::now()),
            }
        }
    }

    /// Whether a look at its processes, where one is due, finds them at work. What cannot be seen is not
    /// known to be idle.
    fn works(&mut self) -> bool {
        let now = Instant::now();
        let Some(pulse) = &mut self.pulse else { return false };
        if !pulse.is_due(now) && !self.watch.is_idle(now) {
            return false;
        }
        match work_below() {
            Ok(used) => pulse.worked(now, used),
            Err(error) => {
                tracing::warn!(%error, "the processes of the run could not be looked at");
                true
            }
        }
    }

    async fn next(
        &mut self,
        surroundings: &mut Surroundings<'_>,
        children: &mut SignalStream,
        (ending, full): (&mut Option<Ending<'a>>, &mut Option<Full<'a>>),
        deadline: Option<Instant>,
    ) -> Occurrence {
        let agent = &mut self.agent;
        tokio::select! {
            length = agent.stdout.read(), if agent.stdout.is_open() => Occurrence::Written(length),
            length = agent.stderr.read(), if agent.stderr.is_open() => Occurrence::Complained(length),
            status = agent.child.wait(), if self.exit.is_none() => {
                // Without a status nothing may be taken for well.
                Occurrence::Exited(status.unwrap_or_else(|_| ExitStatus::from_raw(0xff00)))
            }
            result = maybe(ending) => Occurrence::TreeEnded(result),
            fault = maybe(full) => {
                *full = None;
                Occurrence::Watched(Event::Hopeless(AgentEnd::Unavailable { fault }))
            }
            _ = children.recv() => Occurrence::ChildEnded,
            event = surroundings.next() => Occurrence::Watched(event),
            () = at(deadline) => Occurrence::Watched(Event::Time),
        }
    }

    fn ladder(&self, manner: Manner) -> Ladder {
        let ask = match manner {
            Manner::Ask => Some((self.stop_signal, GRACE)),
            Manner::Kill => None,
        };
        Ladder { ask, deadline: KILL_DEADLINE }
    }

    fn end(&self, ladder: Ladder) -> Ending<'a> {
        let execution: &'a Execution = self.execution;
        let tree = Tree::Below { root: Some(self.agent.process), family: &execution.family };
        Box::pin(end_tree(tree, ladder))
    }

    fn written(&mut self, length: usize) -> Option<Manner> {
        let bytes = self.agent.stdout.bytes(length);
        self.output.raw(bytes);
        let mut reads = Vec::new();
        let reader = &mut self.reader;
        let left_out = self.lines.left_out();
        if length == 0 {
            self.lines.finish(|line| reads.extend(reader.line(line)));
        } else {
            self.lines.push(bytes, |line| reads.extend(reader.line(line)));
        }
        if self.lines.left_out() > left_out {
            let text = format!("a line of more than {} MiB was left out", MAX_LINE >> 20);
            reads.push(Read::Fact(Fact::Notice { text }));
        }
        self.understood(reads)
    }

    fn complained(&mut self, length: usize) -> Option<Manner> {
        let bytes = self.agent.stderr.bytes(length);
        self.output.error(bytes);
        let mut reads = Vec::new();
        let reader = &mut self.reader;
        if length == 0 {
            self.complaints.finish(|line| reads.extend(reader.complaint(line)));
        } else {
            self.complaints.push(bytes, |line| reads.extend(reader.complaint(line)));
        }
        self.understood(reads)
    }

    fn understood(&mut self, reads: Vec<Read>) -> Option<Manner> {
        let mut manner = None;
        let mut happened = |watch: &mut Watch, event| {
            manner = watch.take(event, Instant::now()).or(manner);
        };
        for read in reads {
            self.output.transcribe(&read);
            let Read::Fact(fact) = read else { continue };
            match &fact {
                Fact::TurnTaken => happened(&mut self.watch, Event::Turn),
                Fact::Session { id } => {
                    happened(&mut self.watch, Event::Session(id.clone()));
                    if self.session.as_ref().is_some_and(|expected| expected != id) {
                        // The recorded session stays the one to go on with.
                        continue;
                    }
                }
                _ => {}
            }
            self.reporter.learned(fact);
        }
        if let Some(end) = self.reader.hopeless() {
            happened(&mut self.watch, Event::Hopeless(end));
        }
        if self.reader.done() {
            happened(&mut self.watch, Event::Done);
        }
        self.active().or(manner)
    }

    /// Notes that something was heard of the agent, behind what it was: a result that arrives with a limit
    /// is a result. What still comes out of its pipes once it has exited does not judge it.
    fn active(&mut self) -> Option<Manner> {
        self.exit.is_none().then(|| self.watch.take(Event::Active, Instant::now())).flatten()
    }

    fn conclude(self) -> Held {
        let exit = exit_of(self.exit);
        let tail = self.output.take_error_tail();
        let mut conclusion = self.reader.conclude(exit, &tail);
        if let Some(fault) = not_entered(exit, &tail).filter(|_| !conclusion.turn_taken) {
            conclusion.end = AgentEnd::Failed { fault };
        }
        if self.session.is_some() {
            conclusion.session = self.session;
        }
        Held {
            conclusion,
            exit,
            cause: self.watch.cause().cloned(),
            survivors: self.tree.and_then(Result::err),
        }
    }
}

/// What a reader must know of a run that goes on with `session`, or begins one.
fn beforehand(execution: &Execution, session: Option<&str>) -> Beforehand {
    let used = session.map(|_| execution.plan.used_before.clone()).unwrap_or_default();
    Beforehand { permissions: execution.plan.permissions, used }
}

/// How a process ended. Without a status nothing may be taken for well.
pub(super) fn exit_of(status: Option<ExitStatus>) -> Exit {
    let status = status.unwrap_or_else(|| ExitStatus::from_raw(0xff00));
    match (status.code(), status.signal()) {
        (Some(code), _) => Exit::Code(code),
        (None, signal) => Exit::Signal(signal.unwrap_or(0)),
    }
}

async fn maybe<T>(awaited: &mut Option<Pin<Box<dyn Future<Output = T> + '_>>>) -> T {
    match awaited {
        Some(awaited) => awaited.await,
        None => std::future::pending().await,
    }
}
