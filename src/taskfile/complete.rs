//! From what was said to a whole task.

use super::{AgentWish, PartialSpec};
use crate::vocabulary::{IdleLimit, RetryPolicy, TaskSpec};

/// What no flag, file or configuration said and has no default.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Incomplete {
    /// Nothing to do.
    #[error("the task has no instructions: give them with `-p` or in a task file")]
    Instructions,
    /// Nobody to do it. The caller knows which agents are installed.
    #[error("the task names no agent: give one with `--agent`")]
    Agent,
    /// Several to do it, each of which does a task of its own.
    #[error("the task names several agents, and is one task of each")]
    SeveralAgents,
}

/// `partial`, where it says nothing `defaults`, where neither does the default of the field.
///
/// The order of precedence is the caller's: `flags.over(&file)`, then `complete(…, &settings)`.
/// The name comes from the instructions where none was given.
pub fn complete(partial: PartialSpec, defaults: &PartialSpec) -> Result<TaskSpec, Incomplete> {
    let said = partial.over(defaults);
    let instructions = said.instructions.ok_or(Incomplete::Instructions)?;
    let agent = match said.agent.ok_or(Incomplete::Agent)? {
        AgentWish::One(agent) => agent,
        AgentWish::Each(_) => return Err(Incomplete::SeveralAgents),
    };
    let spec = TaskSpec::new(agent, instructions);
    let retry = RetryPolicy {
        max_attempts: said.retry.max_attempts.unwrap_or(spec.retry.max_attempts),
        delay_seconds: said.retry.delay_seconds.unwrap_or(spec.retry.delay_seconds),
        backoff: said.retry.backoff.unwrap_or(spec.retry.backoff),
    };
    Ok(TaskSpec {
        name: said.name.unwrap_or(spec.name),
        project: said.project,
        base: said.base.unwrap_or(spec.base),
        model: said.model,
        permissions: said.permissions.unwrap_or(spec.permissions),
        isolation: said.isolation.unwrap_or(spec.isolation),
        options: said.options,
        env: said.env,
        env_names: said.env_names,
        priority: said.priority.unwrap_or(spec.priority),
        tags: said.tags,
        copy: said.copy,
        sparse: said.sparse,
        submodules: said.submodules.unwrap_or(spec.submodules),
        setup: said.setup,
        setup_timeout_seconds: said.setup_timeout_seconds.unwrap_or(spec.setup_timeout_seconds),
        timeout_seconds: said.timeout_seconds,
        idle_timeout_seconds: said.idle_timeout.map_or(spec.idle_timeout_seconds, IdleLimit::seconds),
        max_cost_usd: said.max_cost_usd,
        max_tokens: said.max_tokens,
        retry,
        on_rate_limit: said.on_rate_limit.unwrap_or(spec.on_rate_limit),
        deliver: said.deliver.unwrap_or(spec.deliver),
        merge_into: None,
        review: said.review.unwrap_or(spec.review),
        verify: said.verify,
        verify_tries: said.verify_tries.unwrap_or(spec.verify_tries),
        require_summary: said.require_summary.unwrap_or(spec.require_summary),
        require_changes: said.require_changes.unwrap_or(spec.require_changes),
        resume_after_subtasks: said.resume_after_subtasks.unwrap_or(spec.resume_after_subtasks),
        instructions: spec.instructions,
        agent: spec.agent,
        agents: Vec::new(),
        comparison: None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{taskfile::PartialRetry, vocabulary::Permissions};

    fn partial(agent: &str) -> PartialSpec {
        PartialSpec {
            agent: Some(AgentWish::One(agent.to_owned())),
            instructions: Some("mend it".to_owned()),
            ..PartialSpec::default()
        }
    }

    #[test]
    fn a_flag_wins_over_the_file_the_file_over_the_settings_and_these_over_the_default() {
        let settings = PartialSpec {
            model: Some("of the settings".to_owned()),
            permissions: Some(Permissions::Read),
            tags: vec!["night".to_owned()],
            env: [("A", "1"), ("B", "1")].map(|(k, v)| (k.to_owned(), v.to_owned())).into(),
            retry: PartialRetry { max_attempts: Some(5), ..PartialRetry::default() },
            ..partial("settings")
        };
        let file = PartialSpec {
            model: Some("of the file".to_owned()),
            env: [("B".to_owned(), "2".to_owned())].into(),
            tags: vec!["night".to_owned(), "docs".to_owned()],
            ..partial("file")
        };
        let flags = PartialSpec { agent: Some(AgentWish::One("flag".to_owned())), ..PartialSpec::default() };
        let spec = complete(flags.over(&file), &settings).unwrap();
        assert_eq!((spec.agent.as_str(), spec.model.as_deref()), ("flag", Some("of the file")));
        assert_eq!((spec.permissions, spec.isolation.as_str()), (Permissions::Read, "auto"));
        assert_eq!(spec.env, [("A", "1"), ("B", "2")].map(|(k, v)| (k.to_owned(), v.to_owned())).into());
        assert_eq!(spec.tags, ["night", "docs"]);
        assert_eq!(spec.retry, RetryPolicy { max_attempts: 5, ..RetryPolicy::default() });
        assert_eq!(spec.name, "mend it");
    }

    #[test]
    fn what_nobody_said_is_the_default_of_the_field() {
        let spec = complete(partial("scripted"), &PartialSpec::default()).unwrap();
        assert_eq!(spec, TaskSpec::new("scripted", "mend it"));
    }

    #[test]
    fn a_task_without_instructions_or_just_one_agent_is_refused() {
        let nothing = PartialSpec::default();
        assert_eq!(complete(nothing.clone(), &nothing), Err(Incomplete::Instructions));
        let idle = PartialSpec { agent: None, ..partial("x") };
        assert_eq!(complete(idle, &nothing), Err(Incomplete::Agent));
        let each = Some(AgentWish::Each(vec!["x".to_owned(), "y".to_owned()]));
        let several = PartialSpec { agent: each, ..partial("x") };
        assert_eq!(complete(several, &nothing), Err(Incomplete::SeveralAgents));
    }
}
