//! Whether an agent program is of use now, as its last runs tell. Pure.
//!
//! Known of the program and not of a task: a provider that refuses one task refuses the next, and a program that is
//! not there fails all of them, one after the other.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::{
    ids::Timestamp,
    vocabulary::{AgentEnd, Fault},
};

/// Equal failures in a row, without a turn between them, after which nothing more is started.
const MAX_EQUAL_FAILURES: u32 = 3;
/// Before a login that was refused is tried again, for the first time.
const FIRST_PROBE: Duration = Duration::from_secs(60);
/// The longest time between two tries of a login.
const LONGEST_PROBE: Duration = Duration::from_secs(3600);
/// How long a provider that names no time is left alone at first.
const FIRST_COOLING: Duration = Duration::from_secs(30);
/// The longest time for which one is that names none.
const LONGEST_COOLING: Duration = Duration::from_secs(15 * 60);
/// Faults of the program or of its wiring, which every other task would meet as well.
const OF_THE_PROGRAM: [&str; 4] = ["agent_error", "no_turn", "program_missing", "wiring"];

/// What is known of one agent program.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AgentHealth {
    /// Its provider refuses for now.
    #[serde(default)]
    pub cooling: Option<Cooling>,
    /// Nothing of it is started but one probe at a time.
    #[serde(default)]
    pub pause: Option<Pause>,
    /// Equal failures in a row.
    #[serde(default)]
    pub failure: Option<Failure>,
}

/// How long a provider refuses.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Cooling {
    /// When it began to.
    pub since: Timestamp,
    /// When it serves again, as it said or as is guessed.
    pub until: Timestamp,
    /// Times in a row that it was found to refuse, from 1; those at one time count as one.
    pub refusals: u32,
}

/// Why and since when nothing is started.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Pause {
    /// Since when; a run that was claimed before proves nothing.
    pub since: Timestamp,
    /// What for.
    pub reason: PauseReason,
    /// What the program or its provider said.
    pub message: String,
    /// Probes that were begun since.
    pub probes: u32,
    /// From when on the next one may begin; `None` where a person must act first.
    pub again: Option<Timestamp>,
}

/// What an agent is paused for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PauseReason {
    /// Its provider refused the login.
    Auth,
    /// It failed in the same way several times in a row, before the model took a turn.
    Failures,
}

/// What it failed with, and how often in a row.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Failure {
    /// The code of the fault.
    pub code: String,
    /// Its sentence.
    pub message: String,
    /// How often, from 1.
    pub times: u32,
}

/// What one run tells of its program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Sign {
    /// The model does something: program, login and provider are of use.
    Served,
    /// The provider refuses; until when, where that is known.
    Refused {
        /// When it serves again.
        until: Option<Timestamp>,
    },
    /// The provider refused the login.
    LoginRefused {
        /// Its words.
        message: String,
    },
    /// The program failed before its model took a turn.
    NotServed {
        /// With what.
        fault: Fault,
    },
}

impl Sign {
    /// What the end of a run tells of its program, if it tells anything.
    pub fn of(end: &AgentEnd, turn_taken: bool) -> Option<Self> {
        match end {
            AgentEnd::RateLimited { until, .. } => Some(Self::Refused { until: *until }),
            AgentEnd::Auth { message } => Some(Self::LoginRefused { message: message.clone() }),
            _ if turn_taken => Some(Self::Served),
            AgentEnd::Failed { fault } | AgentEnd::Unavailable { fault }
                if OF_THE_PROGRAM.contains(&fault.code.as_str()) =>
            {
                Some(Self::NotServed { fault: fault.clone() })
            }
            _ => None,
        }
    }
}

impl AgentHealth {
    /// What is known after a run that was claimed at `claimed` gave this sign.
    #[must_use]
    pub fn after(self, sign: &Sign, claimed: Timestamp, now: Timestamp) -> Self {
        match sign {
            Sign::Served => self.served(claimed),
            Sign::Refused { until } => self.refused(*until, now),
            Sign::LoginRefused { message } => self.paused(PauseReason::Auth, message, now),
            Sign::NotServed { fault } => self.failed(fault, now),
        }
    }

    /// A run that was claimed before the trouble proves nothing about it.
    fn served(self, claimed: Timestamp) -> Self {
        Self {
            cooling: self.cooling.filter(|cooling| claimed < cooling.since),
            pause: self.pause.filter(|pause| claimed < pause.since),
            failure: None,
        }
    }

    fn refused(self, until: Option<Timestamp>, now: Timestamp) -> Self {
        let (before, known) = match self.cooling {
            Some(cooling) if cooling.until > now => (cooling.refusals - 1, Some(cooling.until)),
            Some(cooling) => (cooling.refusals, None),
            None => (0, None),
        };
        let guessed = FIRST_COOLING.saturating_mul(1 << before.min(6)).min(LONGEST_COOLING);
        let until = until.unwrap_or_else(|| now.plus(guessed));
        let until = known.map_or(until, |known| known.max(until));
        let refusals = before.saturating_add(1);
        Self { cooling: Some(Cooling { since: now, until, refusals }), ..self }
    }

    fn paused(self, reason: PauseReason, message: &str, now: Timestamp) -> Self {
        if self.pause.as_ref().is_some_and(|pause| pause.reason == reason) {
            return self;
        }
        let again = match reason {
            PauseReason::Auth => Some(now.plus(FIRST_PROBE)),
            PauseReason::Failures => None,
        };
        let pause = Pause { since: now, reason, message: message.to_owned(), probes: 0, again };
        Self { pause: Some(pause), ..self }
    }

    fn failed(self, fault: &Fault, now: Timestamp) -> Self {
        let same = self.failure.as_ref().filter(|failure| {
            (failure.code.as_str(), failure.message.as_str()) == (fault.code.as_str(), fault.message.as_str())
        });
        let times = same.map_or(1, |failure| failure.times.saturating_add(1));
        let failure = Failure { code: fault.code.clone(), message: fault.message.clone(), times };
        let known = Self { failure: Some(failure), ..self };
        if times >= MAX_EQUAL_FAILURES {
            known.paused(PauseReason::Failures, &fault.message, now)
        } else {
            known
        }
    }

    /// One run is begun as a probe.
    #[must_use]
    pub fn probed(mut self, now: Timestamp) -> Self {
        if let Some(pause) = &mut self.pause {
            pause.probes = pause.probes.saturating_add(1);
            let delay = FIRST_PROBE.saturating_mul(1 << pause.probes.min(6)).min(LONGEST_PROBE);
            pause.again = match pause.reason {
                PauseReason::Auth => Some(now.plus(delay)),
                // Each probe is a task that fails: the next one is a person's to risk.
                PauseReason::Failures => None,
            };
        }
        self
    }

    /// Somebody may have mended it: one probe may begin at once.
    #[must_use]
    pub fn perhaps_mended(mut self, now: Timestamp) -> Self {
        if let Some(pause) = &mut self.pause {
            pause.again = Some(now);
        }
        self
    }

    /// A person wants it tried at once, whatever its provider said.
    #[must_use]
    pub fn tried_at_once(self, now: Timestamp) -> Self {
        Self { cooling: None, ..self.perhaps_mended(now) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(seconds: i64) -> Timestamp {
        Timestamp::from_millis(seconds * 1000)
    }

    fn refused_login() -> Sign {
        Sign::LoginRefused { message: "401".to_owned() }
    }

    fn missing(message: &str) -> Sign {
        Sign::NotServed { fault: Fault::new("program_missing", message) }
    }

    #[test]
    fn a_login_that_was_refused_pauses_until_a_run_that_began_since_has_a_turn() {
        let paused = AgentHealth::default().after(&refused_login(), at(0), at(10));
        assert_eq!(paused.pause.as_ref().unwrap().again, Some(at(70)));
        assert_eq!(
            paused.clone().after(&Sign::Served, at(9), at(11)),
            paused,
            "claimed before it was refused"
        );
        assert_eq!(paused.clone().after(&refused_login(), at(9), at(12)), paused, "the same refusal again");
        assert_eq!(paused.after(&Sign::Served, at(70), at(75)), AgentHealth::default());
    }

    #[test]
    fn probes_of_a_login_become_rarer_up_to_one_an_hour() {
        let mut health = AgentHealth::default().after(&refused_login(), at(0), at(0));
        let mut delays = Vec::new();
        for _ in 0..8 {
            health = health.probed(at(0));
            delays.push(health.pause.as_ref().unwrap().again.unwrap().since(at(0)).as_secs() / 60);
        }
        assert_eq!(delays, [2, 4, 8, 16, 32, 60, 60, 60]);
    }

    #[test]
    fn only_equal_failures_in_a_row_pause_and_only_a_person_lets_one_more_run() {
        let health =
            AgentHealth::default().after(&missing("a"), at(0), at(1)).after(&missing("a"), at(0), at(2));
        assert_eq!(health.clone().after(&missing("b"), at(0), at(3)).pause, None, "another failure");
        let turned = health.clone().after(&Sign::Served, at(0), at(3)).after(&missing("a"), at(0), at(4));
        assert_eq!(turned.pause, None, "a turn between them");
        let paused = health.after(&missing("a"), at(0), at(3));
        let pause = paused.pause.clone().unwrap();
        assert_eq!((pause.reason, pause.again), (PauseReason::Failures, None));
        let probing = paused.perhaps_mended(at(9));
        assert_eq!(probing.pause.as_ref().unwrap().again, Some(at(9)));
        assert_eq!(probing.probed(at(9)).pause.unwrap().again, None);
    }

    #[test]
    fn a_provider_cools_down_until_the_latest_time_it_named_or_a_later_run_is_served() {
        let until = |seconds| Sign::Refused { until: Some(at(seconds)) };
        let cooling = AgentHealth::default().after(&until(100), at(0), at(1)).after(&until(50), at(0), at(2));
        assert_eq!(cooling.cooling.unwrap().until, at(100));
        assert!(cooling.clone().after(&Sign::Served, at(1), at(5)).cooling.is_some());
        assert_eq!(cooling.clone().after(&Sign::Served, at(3), at(5)).cooling, None);
        assert_eq!(cooling.tried_at_once(at(6)).cooling, None);
    }

    #[test]
    fn a_provider_that_names_no_time_is_left_alone_longer_each_time_and_refusals_at_one_time_count_as_one() {
        let refused = |health: AgentHealth, now| health.after(&Sign::Refused { until: None }, at(0), now);
        let until = |health: &AgentHealth| health.cooling.unwrap().until;
        let once = refused(AgentHealth::default(), at(0));
        assert_eq!(until(&once), at(30));
        let again = refused(once, at(10));
        assert_eq!(until(&again), at(40), "by a run that was under way");
        let twice = refused(again, at(40));
        assert_eq!(until(&twice), at(100));
        let many = (0..20).fold(twice, |health, _| {
            let now = until(&health);
            refused(health, now)
        });
        let cooling = many.cooling.unwrap();
        assert_eq!(cooling.until.since(cooling.since), LONGEST_COOLING);
    }

    #[test]
    fn what_a_task_does_wrong_by_itself_is_no_sign_of_its_program() {
        for code in ["sandbox", "setup", "reported_failure", "script", "option_unknown", "variable_missing"] {
            let end = AgentEnd::Failed { fault: Fault::new(code, "x") };
            assert_eq!(Sign::of(&end, false), None, "{code}");
        }
        let end = AgentEnd::Failed { fault: Fault::new("no_turn", "x") };
        assert!(matches!(Sign::of(&end, false), Some(Sign::NotServed { .. })));
        assert_eq!(Sign::of(&end, true), Some(Sign::Served));
    }
}
