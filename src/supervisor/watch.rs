//! When a run is to be ended, and for which reason. Pure: events and times in, decisions out.
//!
//! All times within are those of the run's own clock, [`Awake`].
//!
//! Every reason has a time from which it holds. The first reason in the order of [`Watch::reasons`]
//! that holds is the cause; once there is one, only a more urgent manner of ending replaces it.

use std::time::Duration;

use tokio::time::Instant;

use super::{awake::Awake, standing::Standing};
use crate::{
    protocol::supervise::Desired,
    vocabulary::{AgentEnd, Fault, StopReason},
};

/// How long an agent may work on after it asked a question.
const AFTER_QUESTION: Duration = Duration::from_secs(120);
/// How long an agent that has given its result may take to exit.
const AFTER_RESULT: Duration = Duration::from_secs(5);
/// How long after the agent's first turn its shim must have announced it.
const FOR_HELLO: Duration = Duration::from_secs(5);

/// What limits a run.
#[derive(Debug, Clone, Default)]
pub(super) struct Limits {
    /// The longest it may last.
    pub(super) timeout: Option<Duration>,
    /// How long it may go on without a word of its agent and without work in its processes.
    pub(super) idle: Option<Duration>,
    /// How long it may go on without a store.
    pub(super) patience: Option<Duration>,
    /// The session it must go on in.
    pub(super) session: Option<String>,
    /// Whether its shim speaks up.
    pub(super) hello: Hello,
}

/// Whether a run's shim is to speak up.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum Hello {
    /// Soon after the first turn.
    #[default]
    Due,
    /// The program starts none.
    NotDue,
}

/// What happened.
#[derive(Debug, Clone)]
pub(super) enum Event {
    /// The agent wrote something, or its processes worked.
    Active,
    /// The agent took a turn.
    Turn,
    /// The agent said which session it holds.
    Session(String),
    /// The agent has given its result.
    Done,
    /// The end is certain whatever the agent still tries.
    Hopeless(AgentEnd),
    /// How the run stands with the store.
    Standing(Standing),
    /// This process was asked to end.
    Terminated,
    /// Time has passed.
    Time,
}

/// Why the run is to be ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Cause {
    /// The store knows this run no longer.
    Disowned,
    /// The store wants it, or the agent did not stop after it asked.
    Stopped(StopReason),
    /// The supervisor was asked to end, or the store stayed away for too long.
    Interrupted,
    /// Going on would waste money.
    Fault(Fault),
    /// The end is certain already.
    Hopeless(AgentEnd),
    /// The agent has given its result and does not exit.
    Done,
    /// It took too long.
    TimedOut {
        /// The limit.
        seconds: u64,
    },
    /// Nothing came of it for too long.
    Idle {
        /// The limit.
        seconds: u64,
    },
}

/// How the agent is to be ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Manner {
    /// With its stop signal first, and time to obey.
    Ask,
    /// At once.
    Kill,
}

/// Watches one run.
#[derive(Debug)]
pub(super) struct Watch {
    limits: Limits,
    clock: Awake,
    begun: Instant,
    active_at: Instant,
    turn_at: Option<Instant>,
    wrong_session: Option<(Instant, String)>,
    done_at: Option<Instant>,
    hopeless: Option<(Instant, AgentEnd)>,
    standing: Standing,
    away_since: Option<Instant>,
    heard_at: Instant,
    asked_at: Option<Instant>,
    terminated: Vec<Instant>,
    decided: Option<(Manner, Cause)>,
}

impl Watch {
    /// Watches a run that begins `now`.
    pub(super) fn new(limits: Limits, now: Instant) -> Self {
        Self {
            limits,
            clock: Awake::new(now),
            begun: now,
            active_at: now,
            turn_at: None,
            wrong_session: None,
            done_at: None,
            hopeless: None,
            standing: Standing::default(),
            away_since: None,
            heard_at: now,
            asked_at: None,
            terminated: Vec::new(),
            decided: None,
        }
    }

    /// Takes an event; the manner in which the agent is to be ended, where that changed.
    pub(super) fn take(&mut self, event: Event, now: Instant) -> Option<Manner> {
        let now = self.clock.read(now);
        self.note(event, now);
        let held = self.reasons().into_iter().filter(|(from, ..)| *from <= now);
        let (_, first, cause) = held.clone().next()?;
        let manner = held.map(|(_, manner, _)| manner).max().unwrap_or(first);
        match &self.decided {
            Some((decided, _)) if *decided >= manner => return None,
            // The cause stays: only the manner becomes more urgent. A run that is disowned is no
            // longer anyone's, whatever it was ended for.
            Some((_, decided)) if cause != Cause::Disowned => self.decided = Some((manner, decided.clone())),
            _ => self.decided = Some((manner, cause)),
        }
        Some(manner)
    }

    /// Whether at `now` the run is idle for as long as it may be, unless something is heard of it.
    pub(super) fn is_idle(&self, now: Instant) -> bool {
        self.limits.idle.is_some_and(|idle| self.active_at + idle <= self.clock.at(now))
    }

    /// Why the run is being ended, if it is.
    pub(super) fn cause(&self) -> Option<&Cause> {
        self.decided.as_ref().map(|(_, cause)| cause)
    }

    /// When [`Event::Time`] is due at the latest.
    pub(super) fn deadline(&self, now: Instant) -> Instant {
        let now = self.clock.at(now);
        let reasons = self.reasons().into_iter().map(|(from, ..)| from).filter(|from| *from > now);
        reasons
            .map(|from| self.clock.wall(from))
            .min()
            .map_or(self.clock.next(), |from| from.min(self.clock.next()))
    }

    fn note(&mut self, event: Event, now: Instant) {
        match event {
            Event::Active => self.active_at = now,
            Event::Turn => _ = self.turn_at.get_or_insert(now),
            Event::Session(id) => {
                if self.limits.session.as_ref().is_some_and(|expected| *expected != id) {
                    self.wrong_session.get_or_insert((now, id));
                }
            }
            Event::Done => _ = self.done_at.get_or_insert(now),
            Event::Hopeless(end) => _ = self.hopeless.get_or_insert((now, end)),
            Event::Standing(standing) => {
                match standing.away_since {
                    // It was noticed by a clock that does not stand still.
                    Some(since) => _ = self.away_since.get_or_insert(since.min(now)),
                    None if self.away_since.take().is_some() => self.heard_at = now,
                    None => {}
                }
                let open = standing.orders.as_ref().is_some_and(|orders| orders.question_open);
                self.asked_at = open.then(|| self.asked_at.unwrap_or(now));
                self.standing = standing;
            }
            Event::Terminated => self.terminated.push(now),
            Event::Time => {}
        }
    }

    /// All reasons with the time from which each holds, the most important first.
    fn reasons(&self) -> Vec<(Instant, Manner, Cause)> {
        let mut reasons = Vec::new();
        if self.standing.disowned {
            reasons.push((self.begun, Manner::Kill, Cause::Disowned));
        }
        match self.standing.orders.as_ref().map(|orders| orders.desired) {
            Some(Desired::Kill(reason)) => reasons.push((self.begun, Manner::Kill, Cause::Stopped(reason))),
            // What has given its result costs nothing more, and keeps it.
            Some(Desired::Stop(StopReason::Budget)) if self.done_at.is_some() => {}
            Some(Desired::Stop(reason)) => reasons.push((self.begun, Manner::Ask, Cause::Stopped(reason))),
            Some(Desired::Go) | None => {}
        }
        // The first time asks, the second no longer does.
        let manners = [Manner::Ask, Manner::Kill];
        let terminated = self.terminated.iter().zip(manners);
        reasons.extend(terminated.map(|(from, manner)| (*from, manner, Cause::Interrupted)));
        if let Some((from, id)) = &self.wrong_session {
            reasons.push((*from, Manner::Ask, Cause::Fault(self.session_changed(id))));
        }
        if let Some((from, end)) = &self.hopeless {
            reasons.push((*from, Manner::Ask, Cause::Hopeless(end.clone())));
        }
        match self.done_at {
            Some(done) => reasons.push((done + AFTER_RESULT, Manner::Ask, Cause::Done)),
            None => reasons.extend(self.while_it_works()),
        }
        reasons
    }

    fn while_it_works(&self) -> impl Iterator<Item = (Instant, Manner, Cause)> {
        let timeout = self
            .limits
            .timeout
            .map(|timeout| (self.begun + timeout, Cause::TimedOut { seconds: timeout.as_secs() }));
        let away = self.away_since.zip(self.limits.patience);
        let interrupted = away.map(|(since, patience)| (since + patience, Cause::Interrupted));
        let hello_seen = self.limits.hello == Hello::NotDue
            || self.standing.orders.as_ref().is_none_or(|orders| orders.hello_seen);
        let unwired = match (self.turn_at, self.away_since) {
            (Some(turn), None) if !hello_seen => {
                Some((turn.max(self.heard_at) + FOR_HELLO, Cause::Fault(unwired())))
            }
            _ => None,
        };
        let asked = self.asked_at.map(|asked| (asked + AFTER_QUESTION, Cause::Stopped(StopReason::Asked)));
        let idle =
            self.limits.idle.map(|idle| (self.active_at + idle, Cause::Idle { seconds: idle.as_secs() }));
        let found = [timeout, interrupted, unwired, asked, idle];
        found.into_iter().flatten().map(|(from, cause)| (from, Manner::Ask, cause))
    }

    fn session_changed(&self, id: &str) -> Fault {
        let expected = self.limits.session.as_deref().unwrap_or_default();
        let id: String = id.chars().filter(|letter| !letter.is_control()).take(100).collect();
        Fault::new(
            "session_changed",
            format!("the agent was to go on in session `{expected}` and opened session `{id}`"),
        )
        .hinted("the task run anew starts a new conversation")
    }
}

fn unwired() -> Fault {
    let message = format!(
        "the agent took a turn and its shim had not announced it within {} s: nobody would have heard it",
        FOR_HELLO.as_secs()
    );
    Fault::new("wiring", message).hinted("`callbox doctor` proves the wiring of each agent program")
}

#[cfg(test)]
mod tests;
