//! A task half described: what a file, the flags or the configuration say, and nothing else.

use std::{collections::BTreeMap, path::PathBuf};

use super::AgentWish;
use crate::vocabulary::{
    BaseChoice, Deliver, IdleLimit, IsolationChoice, OnRateLimit, Permissions, Priority,
};

/// The fields that were given. Units, ranges and meaning are those of
/// [`TaskSpec`](crate::vocabulary::TaskSpec).
#[derive(Debug, Clone, Default, PartialEq)]
#[expect(missing_docs, reason = "each field is the field of `TaskSpec` of that name")]
pub struct PartialSpec {
    pub name: Option<String>,
    pub instructions: Option<String>,
    pub project: Option<PathBuf>,
    pub base: Option<BaseChoice>,
    pub agent: Option<AgentWish>,
    pub model: Option<String>,
    pub permissions: Option<Permissions>,
    pub isolation: Option<IsolationChoice>,
    pub options: BTreeMap<String, String>,
    pub env: BTreeMap<String, String>,
    pub env_names: Vec<String>,
    pub priority: Option<Priority>,
    pub tags: Vec<String>,
    pub copy: Vec<PathBuf>,
    pub sparse: Vec<PathBuf>,
    /// As the field of a task.
    pub submodules: Option<bool>,
    pub setup: Option<String>,
    pub setup_timeout_seconds: Option<u64>,
    pub timeout_seconds: Option<u64>,
    pub idle_timeout: Option<IdleLimit>,
    pub max_cost_usd: Option<f64>,
    pub max_tokens: Option<u64>,
    pub retry: PartialRetry,
    pub on_rate_limit: Option<OnRateLimit>,
    pub deliver: Option<Deliver>,
    pub review: Option<bool>,
    pub verify: Option<String>,
    pub verify_tries: Option<u32>,
    pub require_summary: Option<bool>,
    pub require_changes: Option<bool>,
    pub resume_after_subtasks: Option<bool>,
}

/// The parts of a retry policy that were given.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[expect(missing_docs, reason = "each field is the field of `RetryPolicy` of the same name")]
pub struct PartialRetry {
    pub max_attempts: Option<u32>,
    pub delay_seconds: Option<u64>,
    pub backoff: Option<u32>,
}

impl PartialSpec {
    /// This and, where it says nothing, `lower`. Maps are joined name by name, lists are joined.
    pub fn over(self, lower: &PartialSpec) -> PartialSpec {
        let lower = lower.clone();
        PartialSpec {
            name: self.name.or(lower.name),
            instructions: self.instructions.or(lower.instructions),
            project: self.project.or(lower.project),
            base: self.base.or(lower.base),
            agent: self.agent.or(lower.agent),
            model: self.model.or(lower.model),
            permissions: self.permissions.or(lower.permissions),
            isolation: self.isolation.or(lower.isolation),
            options: joined_map(self.options, lower.options),
            env: joined_map(self.env, lower.env),
            env_names: joined_list(self.env_names, lower.env_names),
            priority: self.priority.or(lower.priority),
            tags: joined_list(self.tags, lower.tags),
            copy: joined_list(self.copy, lower.copy),
            // Two lists together would be more than either asked for.
            sparse: if self.sparse.is_empty() { lower.sparse } else { self.sparse },
            submodules: self.submodules.or(lower.submodules),
            setup: self.setup.or(lower.setup),
            setup_timeout_seconds: self.setup_timeout_seconds.or(lower.setup_timeout_seconds),
            timeout_seconds: self.timeout_seconds.or(lower.timeout_seconds),
            idle_timeout: self.idle_timeout.or(lower.idle_timeout),
            max_cost_usd: self.max_cost_usd.or(lower.max_cost_usd),
            max_tokens: self.max_tokens.or(lower.max_tokens),
            retry: PartialRetry {
                max_attempts: self.retry.max_attempts.or(lower.retry.max_attempts),
                delay_seconds: self.retry.delay_seconds.or(lower.retry.delay_seconds),
                backoff: self.retry.backoff.or(lower.retry.backoff),
            },
            on_rate_limit: self.on_rate_limit.or(lower.on_rate_limit),
            deliver: self.deliver.or(lower.deliver),
            review: self.review.or(lower.review),
            verify: self.verify.or(lower.verify),
            verify_tries: self.verify_tries.or(lower.verify_tries),
            require_summary: self.require_summary.or(lower.require_summary),
            require_changes: self.require_changes.or(lower.require_changes),
            resume_after_subtasks: self.resume_after_subtasks.or(lower.resume_after_subtasks),
        }
    }
}

fn joined_map(upper: BTreeMap<String, String>, lower: BTreeMap<String, String>) -> BTreeMap<String, String> {
    let mut joined = lower;
    joined.extend(upper);
    joined
}

fn joined_list<T: PartialEq>(upper: Vec<T>, lower: Vec<T>) -> Vec<T> {
    let mut joined = upper;
    for item in lower {
        if !joined.contains(&item) {
            joined.push(item);
        }
    }
    joined
}
