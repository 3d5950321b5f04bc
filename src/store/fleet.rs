//! Gathers from the rows what stands around the tasks that are due: slots, agents, what the day has cost.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
};

use super::{day::Day, failure::Failure};
use crate::{
    database::{
        Read,
        rows::{agent, execution, task, usage},
    },
    domain::{
        AgentHealth, AgentPlace, Candidate, EarlierRun, Fleet, ProjectPlace, Slots, TaskState, bound_to,
    },
    ids::Timestamp,
    vocabulary::{ProjectQuota, Quotas},
};

/// How everything stands now.
pub(super) fn fleet(read: &Read<'_>, quotas: &Quotas, now: Timestamp) -> Result<Fleet, Failure> {
    let day = Day::of(now);
    let spent = Spent::on(read, quotas, day)?;
    let mut fleet = Fleet {
        slots: Slots { limit: quotas.max_concurrent, taken: 0 },
        agents: agents(agent::all(read)?, quotas),
        projects: projects(&spent, quotas),
        spent: spent.all(quotas),
        day_over: day.end,
    };
    for run in execution::at_work(read)? {
        fleet.slots.taken += 1;
        let place = fleet.agents.entry(run.details.agent).or_default();
        place.slots.taken += 1;
        let paused = place.health.pause.as_ref();
        place.probing |= paused.is_some_and(|pause| run.created_at >= pause.since);
        let Some(row) = task::get(read, run.task)? else { continue };
        if let Some(place) = row.spec.project.and_then(|path| fleet.projects.get_mut(&path)) {
            place.slots.taken += 1;
        }
    }
    Ok(fleet)
}

/// The task of `row` as one that waits for its turn, where it does. `earlier` are its runs where it is for any agent.
pub(super) fn candidate(row: &task::TaskRow, earlier: &[EarlierRun]) -> Option<Candidate> {
    let TaskState::Queued { wait, start } = row.state else { return None };
    Some(Candidate {
        task: row.number,
        priority: row.spec.priority,
        agents: match bound_to(start, earlier) {
            Some(agent) if row.spec.is_for_any() => vec![agent.to_owned()],
            _ => row.spec.may_go_to(),
        },
        refused_by: earlier.last().map(|run| run.agent.clone()),
        project: row.spec.project.clone(),
        wait,
        began: row.updated_at,
    })
}

fn agents(known: BTreeMap<String, AgentHealth>, quotas: &Quotas) -> BTreeMap<String, AgentPlace> {
    let mut health = known;
    for name in quotas.agents.keys() {
        health.entry(name.clone()).or_default();
    }
    let place = |(name, health): (String, AgentHealth)| {
        let limit = quotas.agents.get(&name).copied().unwrap_or(u32::MAX);
        (name, AgentPlace { slots: Slots { limit, taken: 0 }, health, probing: false })
    };
    health.into_iter().map(place).collect()
}

fn projects(spent: &Spent, quotas: &Quotas) -> BTreeMap<PathBuf, ProjectPlace> {
    let place = |(path, quota): (&PathBuf, &ProjectQuota)| {
        let slots = Slots { limit: quota.max_concurrent.unwrap_or(u32::MAX), taken: 0 };
        (path.clone(), ProjectPlace { slots, spent: spent.project(quotas, Some(path)) })
    };
    quotas.projects.iter().map(place).collect()
}

/// What the runs that were claimed on one day have cost.
#[derive(Debug, Default)]
pub(super) struct Spent {
    by_project: BTreeMap<Option<PathBuf>, f64>,
}

impl Spent {
    /// Reads it, where anything of a day is limited.
    pub(super) fn on(read: &Read<'_>, quotas: &Quotas, day: Day) -> Result<Self, Failure> {
        if !quotas.limit_a_day() {
            return Ok(Self::default());
        }
        Ok(Self { by_project: usage::spent_since(read, day.start)?.into_iter().collect() })
    }

    /// Whether what may be spent on the day is spent.
    pub(super) fn all(&self, quotas: &Quotas) -> bool {
        quotas.per_day_usd.is_some_and(|limit| self.sum() >= limit)
    }

    /// US dollars of all tasks.
    pub(super) fn sum(&self) -> f64 {
        self.by_project.values().sum()
    }

    /// Whether what may be spent on `project` is.
    pub(super) fn project(&self, quotas: &Quotas, project: Option<&Path>) -> bool {
        let Some(project) = project else { return false };
        let limit = quotas.projects.get(project).and_then(|quota| quota.per_day_usd);
        let cost = self.by_project.get(&Some(project.to_owned())).copied().unwrap_or(0.0);
        limit.is_some_and(|limit| cost >= limit)
    }
}
