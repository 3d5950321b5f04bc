//! Which agent program runs a task that may go to several. Pure.

use super::{Candidate, Fleet, Hold, Sharers, Start};
use crate::ids::Timestamp;

/// What an earlier run of a task says of who goes on with it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EarlierRun {
    /// Its agent program.
    pub agent: String,
    /// Whether there is a conversation to go on with: it has a session in a sandbox, and its provider did not refuse
    /// it before the model had done anything.
    pub conversation: bool,
}

/// The one agent that the next run is for, whatever the task asked for: who holds the conversation that goes on. `runs`
/// are all before it, oldest first.
pub fn bound_to(start: Start, runs: &[EarlierRun]) -> Option<&str> {
    match start {
        Start::Fresh => None,
        Start::Continue => runs.iter().rev().find(|run| run.conversation).map(|run| run.agent.as_str()),
    }
}

impl Fleet {
    /// The agent that runs `candidate` now, or why none does: of those that can, the one with the fewest runs at work,
    /// ties by name. One that is paused, and of which a run may find out whether it still has to be, comes behind all
    /// that are not.
    pub fn pick<'a>(&self, candidate: &'a Candidate, now: Timestamp) -> Result<&'a str, Hold> {
        let held = |agent: &&'a String| self.hold_with(candidate, agent, now);
        let free = candidate.agents.iter().filter(|agent| held(agent).is_none());
        let picked = free.min_by_key(|agent| (self.pause(agent).is_some(), self.at_work(agent), *agent));
        if let Some(agent) = picked {
            return Ok(agent);
        }
        let each = candidate.agents.iter().filter_map(|agent| Some((agent.clone(), held(&agent)?)));
        let mut each: Vec<(String, Hold)> = each.collect();
        each.sort_by(|one, other| one.0.cmp(&other.0));
        Err(Hold::of_all(each))
    }

    /// Why `candidate` does not run now; `None` where it may.
    pub fn hold(&self, candidate: &Candidate, now: Timestamp) -> Option<Hold> {
        self.pick(candidate, now).err()
    }

    /// What all of `agents` are paused for, also where one run may find out at once whether that is over; `None` where
    /// any of them is not.
    pub fn pause_of_all(&self, agents: &[String]) -> Option<Hold> {
        let each: Option<Vec<_>> =
            agents.iter().map(|agent| Some((agent.clone(), self.pause(agent)?))).collect();
        each.filter(|each| !each.is_empty()).map(Hold::of_all)
    }

    fn at_work(&self, agent: &str) -> u32 {
        self.agents.get(agent).map_or(0, |place| place.slots.taken)
    }
}

impl Hold {
    /// What holds a task where all agents that could run it are held. Where there is but one, or it is the same for all
    /// and no matter of theirs, that alone is said.
    fn of_all(mut each: Vec<(String, Self)>) -> Self {
        let same =
            each.windows(2).all(|pair| pair[0].1 == pair[1].1) && !each.iter().any(|one| one.1.is_of_agent());
        match each.len() {
            1 => each.swap_remove(0).1,
            0 => Self::Agents { each },
            _ if same => each.swap_remove(0).1,
            _ => Self::Agents { each },
        }
    }

    /// Whether another agent might run the task.
    fn is_of_agent(&self) -> bool {
        match self {
            Self::RateLimit { .. } | Self::Auth { .. } | Self::Failures { .. } | Self::Agents { .. } => true,
            Self::Slot { of } => *of == Sharers::Agent,
            Self::Retry { .. } | Self::DayBudget { .. } => false,
        }
    }

    /// Of what holds several agents, that which is likely to be over first, with the agent's name; else itself.
    pub fn nearest(&self) -> (Option<&str>, &Self) {
        let Self::Agents { each } = self else { return (None, self) };
        let nearest = each.iter().min_by_key(|(_, hold)| (hold.distance(), hold.until()));
        nearest.map_or((None, self), |(agent, hold)| (Some(agent), hold))
    }

    /// How little is known of its end.
    fn distance(&self) -> u8 {
        match self {
            Self::Slot { .. } => 0,
            Self::Retry { .. } | Self::RateLimit { .. } => 1,
            Self::DayBudget { .. } => 2,
            Self::Auth { .. } => 3,
            Self::Failures { .. } => 4,
            Self::Agents { .. } => 5,
        }
    }
}

#[cfg(test)]
mod tests;
