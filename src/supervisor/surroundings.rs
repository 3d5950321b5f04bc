//! What goes on around a run: the store's wishes and its absence, and signals to this process.

use std::io;

use tokio::{
    signal::unix::{Signal as SignalStream, SignalKind, signal},
    sync::watch,
    time::{Duration, Instant, sleep_until, timeout},
};

use super::{
    execution::Execution,
    reporter::{Answer, Reporter, Spooled},
    standing::Standing,
    watch::{Cause, Event, Limits, Watch},
};
use crate::{
    process::{Ladder, Tree, end_tree},
    protocol::supervise::{ReportBody, Verdict},
};

/// How long a supervisor that was asked to end still waits for an answer that it doesn't need.
const LAST_WORDS: Duration = Duration::from_secs(5);
/// How long what was begun may take to notice that its programs were killed.
const TO_NOTICE: Duration = Duration::from_secs(1);
/// How long SIGKILL may take.
const KILL_DEADLINE: Duration = Duration::from_secs(20);

/// Everything a step of the run needs besides its own arguments.
pub(super) struct Surroundings<'a> {
    /// The execution.
    pub(super) execution: &'a Execution,
    /// Where facts go.
    pub(super) reporter: &'a Reporter,
    /// How the run stands with the store.
    pub(super) standing: watch::Receiver<Standing>,
    terminate: SignalStream,
    interrupt: SignalStream,
    terminated: bool,
}

impl<'a> Surroundings<'a> {
    /// From now on SIGTERM and SIGINT are events.
    pub(super) fn watch(
        execution: &'a Execution,
        reporter: &'a Reporter,
        standing: watch::Receiver<Standing>,
    ) -> io::Result<Self> {
        let (terminate, interrupt) = (signal(SignalKind::terminate())?, signal(SignalKind::interrupt())?);
        Ok(Self { execution, reporter, standing, terminate, interrupt, terminated: false })
    }

    /// How long the run goes on without a store.
    pub(super) fn patience(&self) -> Option<Duration> {
        self.execution.plan.patience_seconds.map(Duration::from_secs)
    }

    /// Waits for the next event from outside.
    pub(super) async fn next(&mut self) -> Event {
        tokio::select! {
            changed = self.standing.changed() => match changed {
                Ok(()) => Event::Standing(self.standing.borrow_and_update().clone()),
                // The store refused for good and said so before; nothing more comes from there.
                Err(_) => std::future::pending().await,
            },
            _ = self.terminate.recv() => self.asked_to_end(),
            _ = self.interrupt.recv() => self.asked_to_end(),
        }
    }

    /// Reports, and waits for the verdict; `None` where there is none to be had. What was not answered is
    /// in the spool, and the next store takes it from there.
    pub(super) async fn report(&mut self, body: ReportBody) -> Option<Verdict> {
        let spooled = self.reporter.report(body).await;
        match self.answer(spooled).await {
            Some(Answer::Verdict(verdict)) => Some(verdict),
            Some(Answer::Refused(refusal)) => {
                tracing::warn!(%refusal, "the store does not want this run");
                None
            }
            None => {
                tracing::warn!("the store stayed away");
                None
            }
        }
    }

    /// The store's answer to a report; `None` when it is not to be had any more. The report stays in
    /// the spool.
    async fn answer(&mut self, spooled: Spooled) -> Option<Answer> {
        let answer = spooled.answer();
        tokio::pin!(answer);
        loop {
            // It may have been told while the agent was ending, and is not told twice.
            if self.standing.borrow().disowned {
                return None;
            }
            let away = self.standing.borrow().away_since;
            let patience = if self.terminated { Some(LAST_WORDS) } else { self.patience() };
            let until = away.zip(patience).map(|(since, patience)| since + patience);
            tokio::select! {
                answer = &mut answer => return Some(answer),
                () = at(until) => return None,
                _ = self.next() => {}
            }
        }
    }

    /// Watches what begins now and may last for `timeout`. What has happened already is known to it.
    pub(super) fn watched(&mut self, timeout: Option<Duration>) -> Watch {
        let limits = Limits { timeout, patience: self.patience(), ..Limits::default() };
        let mut watch = Watch::new(limits, Instant::now());
        if self.terminated {
            watch.take(Event::Terminated, Instant::now());
        }
        watch.take(Event::Standing(self.standing.borrow_and_update().clone()), Instant::now());
        watch
    }

    /// Does `work`, which is nothing but programs and files, unless the run is to end before it is
    /// done: then its programs are killed.
    pub(super) async fn unless_stopped<T>(&mut self, work: impl Future<Output = T>) -> Result<T, Cause> {
        let mut watch = self.watched(None);
        tokio::pin!(work);
        loop {
            if let Some(cause) = watch.cause() {
                let cause = cause.clone();
                self.kill(work).await;
                return Err(cause);
            }
            let deadline = watch.deadline(Instant::now());
            let event = tokio::select! {
                done = &mut work => return Ok(done),
                event = self.next() => event,
                () = at(Some(deadline)) => Event::Time,
            };
            watch.take(event, Instant::now());
        }
    }

    /// Work on another thread may start its next program between two looks, so this looks again.
    async fn kill<T>(&self, mut work: std::pin::Pin<&mut impl Future<Output = T>>) {
        for _ in 0..10 {
            let tree = Tree::Below { root: None, family: &self.execution.family };
            if let Err(error) = end_tree(tree, Ladder { ask: None, deadline: KILL_DEADLINE }).await {
                tracing::error!(%error, "what prepared the run could not be ended");
            }
            if timeout(TO_NOTICE, &mut work).await.is_ok() {
                return;
            }
        }
    }

    fn asked_to_end(&mut self) -> Event {
        self.terminated = true;
        Event::Terminated
    }
}

/// Waits until `deadline`, for ever where there is none.
pub(super) async fn at(deadline: Option<Instant>) {
    match deadline {
        Some(deadline) => sleep_until(deadline).await,
        None => std::future::pending().await,
    }
}
