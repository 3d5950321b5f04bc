//! Puts together how the store and everything in its state directory stand.

use super::{
    day::Day,
    failure::Failure,
    fleet::{Spent, fleet},
};
use crate::{
    database::{
        Read,
        rows::{event, question, task},
    },
    domain::{AgentPlace, Fleet, Hold},
    ids::Timestamp,
    protocol::status::{AgentStatus, DayStatus, Status},
    vocabulary::Quotas,
};

/// What the store knows of itself.
#[derive(Debug, Clone, Copy)]
pub(super) struct Itself {
    /// Which one it is.
    pub(super) generation: i64,
    /// Whether it stays.
    pub(super) resident: bool,
}

/// How everything stands now.
pub(super) fn status(read: &Read<'_>, itself: Itself, quotas: &Quotas) -> Result<Status, Failure> {
    let now = Timestamp::now();
    let fleet = fleet(read, quotas, now)?;
    Ok(Status {
        version: env!("CARGO_PKG_VERSION").to_owned(),
        pid: std::process::id(),
        generation: itself.generation,
        resident: itself.resident,
        running: fleet.slots.taken,
        slots: fleet.slots.limit,
        tasks: task::counts(read)?,
        questions: question::open_count(read)?,
        agents: fleet.agents.iter().filter_map(|(name, place)| agent(name, place, &fleet, now)).collect(),
        day: day(read, quotas, now)?,
        last_event: event::last_seq(read)?,
    })
}

/// `None` where nothing is to be said of it.
fn agent(name: &str, place: &AgentPlace, fleet: &Fleet, now: Timestamp) -> Option<AgentStatus> {
    let hold = fleet.trouble(name, now);
    let slots = Some(place.slots.limit).filter(|limit| *limit < u32::MAX);
    if hold.is_none() && slots.is_none() && place.slots.taken == 0 {
        return None;
    }
    let reason = hold.as_ref().and_then(|hold| match hold {
        Hold::RateLimit { .. } => Some("rate_limit"),
        Hold::Auth { .. } => Some("auth"),
        Hold::Failures { .. } => Some("failures"),
        Hold::Retry { .. } | Hold::DayBudget { .. } | Hold::Slot { .. } | Hold::Agents { .. } => None,
    });
    let is_paused = matches!(hold, Some(Hold::Auth { .. } | Hold::Failures { .. }));
    Some(AgentStatus {
        name: name.to_owned(),
        running: place.slots.taken,
        slots,
        held: reason.map(str::to_owned),
        until: hold.as_ref().and_then(Hold::until),
        // A rate limit says nothing of a pause that may stand beside it.
        message: place.health.pause.as_ref().filter(|_| is_paused).map(|pause| pause.message.clone()),
    })
}

fn day(read: &Read<'_>, quotas: &Quotas, now: Timestamp) -> Result<Option<DayStatus>, Failure> {
    if !quotas.limit_a_day() {
        return Ok(None);
    }
    let day = Day::of(now);
    let spent_usd = Spent::on(read, quotas, day)?.sum();
    Ok(Some(DayStatus { spent_usd, limit_usd: quotas.per_day_usd, until: day.end }))
}
