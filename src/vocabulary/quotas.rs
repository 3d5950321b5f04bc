//! How much may go on at once and on one day, as a person's configuration says.

use std::{collections::BTreeMap, path::PathBuf};

/// Limits over all tasks of a state directory, which no task can change.
#[derive(Debug, Clone, PartialEq)]
pub struct Quotas {
    /// Executions at once, from 1.
    pub max_concurrent: u32,
    /// US dollars that all executions of one day may cost.
    pub per_day_usd: Option<f64>,
    /// Executions of one agent program at once, by its name.
    pub agents: BTreeMap<String, u32>,
    /// Limits of single projects, by their roots.
    pub projects: BTreeMap<PathBuf, ProjectQuota>,
}

/// Limits over the tasks of one project.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct ProjectQuota {
    /// Executions at once, from 1.
    pub max_concurrent: Option<u32>,
    /// US dollars that its executions of one day may cost.
    pub per_day_usd: Option<f64>,
}

impl Default for Quotas {
    fn default() -> Self {
        Self { max_concurrent: 4, per_day_usd: None, agents: BTreeMap::new(), projects: BTreeMap::new() }
    }
}

impl Quotas {
    /// Whether any money of a day is limited.
    pub fn limit_a_day(&self) -> bool {
        self.per_day_usd.is_some() || self.projects.values().any(|quota| quota.per_day_usd.is_some())
    }
}
