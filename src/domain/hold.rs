//! Why a task that is due to run does not run yet: delays, agents that are of no use now, budgets of the day, slots.
//! Pure.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
    time::Duration,
};

use super::{AgentHealth, Pause, PauseReason, Wait};
use crate::{
    ids::{TaskNumber, Timestamp},
    vocabulary::Priority,
};

/// A queued task whose predecessors are completed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Candidate {
    /// The task. Lower numbers are older.
    pub task: TaskNumber,
    /// Which goes first.
    pub priority: Priority,
    /// The agent programs of which one may run it, each once and in order: one where the task names it or a conversation
    /// with it goes on.
    pub agents: Vec<String>,
    /// The one that a wait for a provider is about: that of its last run.
    pub refused_by: Option<String>,
    /// The project it works on.
    pub project: Option<PathBuf>,
    /// What it waits for besides its turn.
    pub wait: Wait,
    /// When it began to wait.
    pub began: Timestamp,
}

/// Why a candidate does not run now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Hold {
    /// The delay before another attempt.
    Retry {
        /// When it is over.
        until: Timestamp,
    },
    /// The provider refuses for now.
    RateLimit {
        /// When it is asked again.
        until: Timestamp,
    },
    /// The provider refused the login.
    Auth {
        /// When one run tries it again; `None` while one does.
        again: Option<Timestamp>,
    },
    /// The program failed in the same way several times in a row.
    Failures {
        /// Its last fault.
        message: String,
    },
    /// What may be spent on this day is spent.
    DayBudget {
        /// Of what.
        of: Spender,
        /// When the day is over.
        until: Timestamp,
    },
    /// As many runs as may be are at work.
    Slot {
        /// Of what.
        of: Sharers,
    },
    /// None of several agents can run it now.
    Agents {
        /// Each with what keeps it, in order of their names.
        each: Vec<(String, Hold)>,
    },
}

/// Whose budget of the day is meant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Spender {
    /// That of all tasks.
    All,
    /// That of the task's project.
    Project,
}

/// Which tasks share slots.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sharers {
    /// All.
    All,
    /// Those of one agent program.
    Agent,
    /// Those of one project.
    Project,
}

/// Executions at once.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Slots {
    /// At most so many.
    pub limit: u32,
    /// So many run now.
    pub taken: u32,
}

impl Default for Slots {
    fn default() -> Self {
        Self::UNLIMITED
    }
}

impl Slots {
    /// As many as there are.
    pub const UNLIMITED: Self = Self { limit: u32::MAX, taken: 0 };

    /// Whether none is free.
    pub fn is_full(self) -> bool {
        self.taken >= self.limit
    }
}

/// How one agent program stands.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AgentPlace {
    /// Its slots.
    pub slots: Slots,
    /// Whether it is of use.
    pub health: AgentHealth,
    /// Whether a run of it that was claimed since it was paused is at work.
    pub probing: bool,
}

/// How one project stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ProjectPlace {
    /// Its slots.
    pub slots: Slots,
    /// Whether what may be spent on it on this day is spent.
    pub spent: bool,
}

/// Everything that stands around the candidates.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fleet {
    /// The slots of all.
    pub slots: Slots,
    /// The agents of which something is known; nothing is against others, and none of their runs is at work.
    pub agents: BTreeMap<String, AgentPlace>,
    /// The projects of which something is known.
    pub projects: BTreeMap<PathBuf, ProjectPlace>,
    /// Whether what may be spent on this day is spent.
    pub spent: bool,
    /// When this day is over.
    pub day_over: Timestamp,
}

/// Clocks are put right by less than this all the time.
const SET_BACK: Duration = Duration::from_secs(60);

/// Until when a delay that began at `began` lasts; `None` where it is over. A clock that shows less than when it began
/// was set back since: nobody knows how much of it is over, and until the clock is there again could be years.
fn lasts(began: Timestamp, until: Timestamp, now: Timestamp) -> Option<Timestamp> {
    Some(until).filter(|until| *until > now && began.since(now) < SET_BACK)
}

impl Fleet {
    /// Why `agent` does not run `candidate` now; `None` where it may.
    pub(super) fn hold_with(&self, candidate: &Candidate, agent: &str, now: Timestamp) -> Option<Hold> {
        delay(candidate, agent, now)
            .or_else(|| self.of_agent(agent, now))
            .or_else(|| self.of_day(candidate.project.as_deref()))
            .or_else(|| self.of_slots(candidate, agent))
    }

    fn of_agent(&self, agent: &str, now: Timestamp) -> Option<Hold> {
        let place = self.agents.get(agent)?;
        let cooling = place.health.cooling;
        if let Some(until) = cooling.and_then(|cooling| lasts(cooling.since, cooling.until, now)) {
            return Some(Hold::RateLimit { until });
        }
        let pause = place.health.pause.as_ref()?;
        match (place.probing, pause.again) {
            (false, Some(again)) => {
                lasts(pause.since, again, now).map(|again| paused_for(pause, Some(again)))
            }
            (true, _) | (false, None) => Some(paused_for(pause, None)),
        }
    }

    /// What is wrong with `agent`, whether or not one run of it may find out at once whether that is over.
    pub fn trouble(&self, agent: &str, now: Timestamp) -> Option<Hold> {
        self.of_agent(agent, now).or_else(|| self.pause(agent))
    }

    /// What `agent` is paused for, also where one run of it may find out at once whether that is over.
    pub fn pause(&self, agent: &str) -> Option<Hold> {
        let pause = self.agents.get(agent)?.health.pause.as_ref()?;
        Some(paused_for(pause, pause.again))
    }

    fn of_day(&self, project: Option<&Path>) -> Option<Hold> {
        let place = project.and_then(|project| self.projects.get(project));
        let of = match (self.spent, place) {
            (true, _) => Spender::All,
            (false, Some(ProjectPlace { spent: true, .. })) => Spender::Project,
            (false, _) => return None,
        };
        Some(Hold::DayBudget { of, until: self.day_over })
    }

    fn of_slots(&self, candidate: &Candidate, agent: &str) -> Option<Hold> {
        let agent = self.agents.get(agent).map(|place| place.slots);
        let project =
            candidate.project.as_ref().and_then(|path| self.projects.get(path)).map(|place| place.slots);
        let all = [(Some(self.slots), Sharers::All), (agent, Sharers::Agent), (project, Sharers::Project)];
        let full = all.into_iter().find(|(slots, _)| slots.is_some_and(Slots::is_full))?;
        Some(Hold::Slot { of: full.1 })
    }

    /// Notes that `agent` runs `candidate` now. Says whether that is the probe of an agent that is paused.
    pub(super) fn take(&mut self, candidate: &Candidate, agent: &str) -> Role {
        let one_more = |slots: &mut Slots| slots.taken = slots.taken.saturating_add(1);
        one_more(&mut self.slots);
        if let Some(place) = candidate.project.as_ref().and_then(|path| self.projects.get_mut(path)) {
            one_more(&mut place.slots);
        }
        let place = self.agents.entry(agent.to_owned()).or_default();
        one_more(&mut place.slots);
        match place.health.pause {
            Some(_) => {
                place.probing = true;
                Role::Probe
            }
            None => Role::Run,
        }
    }
}

fn paused_for(pause: &Pause, again: Option<Timestamp>) -> Hold {
    match pause.reason {
        PauseReason::Auth => Hold::Auth { again },
        PauseReason::Failures => Hold::Failures { message: pause.message.clone() },
    }
}

fn delay(candidate: &Candidate, agent: &str, now: Timestamp) -> Option<Hold> {
    let began = candidate.began;
    match candidate.wait {
        // Another provider has refused nothing.
        Wait::RateLimit { .. } if candidate.refused_by.as_deref().is_some_and(|refused| refused != agent) => {
            None
        }
        Wait::Retry { until } => lasts(began, until, now).map(|until| Hold::Retry { until }),
        Wait::RateLimit { until } => lasts(began, until, now).map(|until| Hold::RateLimit { until }),
        // What holds it is its agent, for all tasks alike.
        Wait::Turn | Wait::Auth => None,
    }
}

/// As what a claimed task runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// One among others.
    Run,
    /// The only one of its agent, which is paused, to find out whether it is of use again.
    Probe,
}

impl Hold {
    /// When it ends by itself, where it does and a time is known.
    pub fn until(&self) -> Option<Timestamp> {
        match self {
            Self::Retry { until } | Self::RateLimit { until } | Self::DayBudget { until, .. } => Some(*until),
            Self::Auth { again } => *again,
            Self::Failures { .. } | Self::Slot { .. } => None,
            Self::Agents { each } => each.iter().filter_map(|(_, hold)| hold.until()).min(),
        }
    }
}
