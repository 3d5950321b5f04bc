//! Which agents a task may go to that names none: those installed here that can be held to what it asks.

use super::agent::{Programs, counts, is_built_in};
use crate::{
    agents::{Adapter, Reports, User},
    cli::{context::Context, error::CliError},
    taskfile::{self, AgentWish, PartialSpec},
    vocabulary::{ANY, AgentOption, TaskSpec},
};

/// Every agent that a task as `said` may go to, each with what it is launched with there; refused where there is
/// none, with the reason of each. Never the scripted one, which plays instructions instead of following them, nor a
/// second way to a program.
pub(crate) fn any(
    said: &PartialSpec,
    programs: &Programs,
    context: &Context,
) -> Result<Vec<AgentOption>, CliError> {
    let (mut able, mut unable) = (Vec::new(), Vec::new());
    for adapter in programs.agents.all().filter(|adapter| counts(*adapter)) {
        match option(adapter, said, programs, context) {
            Ok(option) => able.push(option),
            Err(reason) => unable.push(format!("`{}` {reason}", adapter.name())),
        }
    }
    if !able.is_empty() {
        return Ok(able);
    }
    let message = format!("`{ANY}` finds no agent for the task: {}", unable.join("; "));
    // Where some are installed, it is the task that is to be changed.
    let none = programs.agents.all().all(|adapter| !counts(adapter) || !programs.has(adapter));
    Err(if none { CliError::unavailable(message) } else { CliError::usage(message) })
}

/// Those of the agents that subtasks of a task as `said` may use, for subtasks that name none. What the task asks of
/// its own agent is no matter of theirs.
pub(crate) fn of_subtasks(said: &PartialSpec, programs: &Programs, context: &Context) -> Vec<AgentOption> {
    let said = PartialSpec { model: None, options: std::collections::BTreeMap::new(), ..said.clone() };
    let allowed = &context.settings.subtask_agents;
    let adapters = programs.agents.all().filter(|adapter| !is_built_in(*adapter));
    let adapters = adapters.filter(|adapter| allowed.iter().any(|name| name == adapter.name()));
    adapters.filter_map(|adapter| option(adapter, &said, programs, context).ok()).collect()
}

/// What `adapter` is launched with for a task as `said`, or why it is none for it.
fn option(
    adapter: &dyn Adapter,
    said: &PartialSpec,
    programs: &Programs,
    context: &Context,
) -> Result<AgentOption, String> {
    let name = adapter.name();
    if !programs.has(adapter) {
        return Err("is not installed".to_owned());
    }
    let said = PartialSpec { agent: Some(AgentWish::One(name.to_owned())), ..said.clone() };
    let spec =
        taskfile::complete(said, &context.settings.defaults_for(name)).map_err(|error| error.to_string())?;
    adapter.check(&spec, User::current()).map_err(|fault| format!("refuses it, since {}", fault.message))?;
    let missing = |name: &&String| context.surroundings.value(name).is_none();
    match spec.env_names.iter().find(missing).filter(|_| context.settings.env_file.is_none()) {
        Some(variable) => Err(format!("needs the variable `{variable}`, which is not set")),
        None => Ok(AgentOption::of(&spec)),
    }
}

/// What a person must know of a limit that some of the agents that `spec` may go to cannot be held to.
pub(crate) fn unmeasured(spec: &TaskSpec, programs: &Programs) -> Option<String> {
    let reports = |name: &str| programs.agents.find(name).map(Adapter::reports);
    let without = |fits: fn(Reports) -> bool| -> Vec<String> {
        let names = spec.agents.iter().map(|option| &option.name);
        names.filter(|name| reports(name).is_some_and(fits)).map(|name| format!("`{name}`")).collect()
    };
    let cost = without(|reports| reports != Reports::Dollars);
    let tokens = without(|reports| reports == Reports::Nothing);
    let (limit, agents) = match (spec.max_cost_usd, spec.max_tokens) {
        (Some(_), _) if !cost.is_empty() => ("`max_cost_usd`", cost),
        (_, Some(_)) if !tokens.is_empty() => ("`max_tokens`", tokens),
        _ => return None,
    };
    Some(format!(
        "{limit} cannot hold `{}` where it goes to {}: what runs use of that is not reported there",
        spec.name,
        agents.join(" or ")
    ))
}

#[cfg(test)]
mod tests;
