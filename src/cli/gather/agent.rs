//! Which agent program a task is for, and whether it can be run here.

use std::{collections::BTreeMap, path::PathBuf};

use super::search_path::{SearchPath, is_program};
use crate::{
    agents::{Adapter, Catalogue, Choice, Program, Reports, User},
    cli::{context::Context, error::CliError},
    vocabulary::TaskSpec,
};

/// Which agents there are, and where their programs are looked for.
#[derive(Debug, Clone)]
pub(crate) struct Programs {
    /// The agents.
    pub(crate) agents: Catalogue,
    /// PATH.
    pub(crate) search: SearchPath,
    /// Programs that the configuration names, by agent.
    pub(crate) named: BTreeMap<String, PathBuf>,
}

impl Programs {
    /// Those of this person.
    pub(crate) fn of_person(context: &Context) -> Self {
        Self {
            agents: context.agents.clone(),
            search: SearchPath::new(context.surroundings.value("PATH")),
            named: context.settings.programs(),
        }
    }

    /// The program of `adapter`, itself and not what only starts it; `None` where it is not to be had, or is callbox
    /// itself.
    pub(crate) fn of(&self, adapter: &dyn Adapter) -> Option<PathBuf> {
        let found = match (self.named.get(adapter.name()), adapter.program()) {
            (_, Program::BuiltIn) => None,
            (Some(path), Program::OnPath(_)) => Some(path.clone()).filter(|path| is_program(path)),
            (None, Program::OnPath(name)) => self.search.find(name),
        }?;
        let real = found.canonicalize().unwrap_or_else(|_| found.clone());
        Some(adapter.behind(&real).into_iter().find(|path| is_program(path)).unwrap_or(found))
    }

    /// Whether `adapter` can be run here.
    pub(super) fn has(&self, adapter: &dyn Adapter) -> bool {
        is_built_in(adapter) || self.of(adapter).is_some()
    }
}

/// Whether `adapter` needs no program but callbox.
pub(crate) fn is_built_in(adapter: &dyn Adapter) -> bool {
    adapter.program() == Program::BuiltIn
}

/// The names of the agents that can be run here.
pub(crate) fn installed(programs: &Programs) -> Vec<&str> {
    programs.agents.all().filter(|adapter| programs.has(*adapter)).map(Adapter::name).collect()
}

/// Whether a task that names no agent may get that of `adapter`. The scripted one, which is always there, does not
/// count.
pub(super) fn counts(adapter: &dyn Adapter) -> bool {
    !is_built_in(adapter) && adapter.choice() == Choice::Anyone
}

/// The agent of a task that names none: the only one installed.
pub(crate) fn only_installed(programs: &Programs) -> Result<&str, CliError> {
    let real = |name: &&str| programs.agents.find(name).is_some_and(counts);
    let found: Vec<_> = installed(programs).into_iter().filter(real).collect();
    match found[..] {
        [only] => Ok(only),
        [] => Err(CliError::unavailable("no agent program is installed").hinted(format!(
            "name one with `--agent`: `scripted` is built in and plays a list of steps; another must be installed: {}",
            list(&programs.agents.names().into_iter().filter(real).collect::<Vec<_>>())
        ))),
        _ => Err(CliError::usage(format!("several agents are installed: {}", list(&found)))
            .hinted("choose one with `--agent NAME`, or whichever is free with `--agent any`")),
    }
}

/// Refuses a task whose agent is unknown, not installed, or cannot be held to what the task asks.
pub(crate) fn check(spec: &TaskSpec, programs: &Programs) -> Result<(), CliError> {
    let adapter =
        programs.agents.find(&spec.agent).ok_or_else(|| no_such_agent(&spec.agent, &programs.agents))?;
    if !programs.has(adapter) {
        return Err(missing(adapter, programs));
    }
    adapter.check(spec, User::current()).map_err(|fault| {
        let error =
            CliError::usage(format!("the agent `{}` refuses the task: {}", spec.agent, fault.message));
        fault.hint.iter().fold(error, |error, hint| error.hinted(hint.clone()))
    })
}

/// The refusal of a name that no agent has.
pub(crate) fn no_such_agent(name: &str, agents: &Catalogue) -> CliError {
    CliError::usage(format!("there is no agent called `{name}`")).hinted(format!(
        "agents are {}; `any` is whichever of those installed is free",
        list(&agents.names())
    ))
}

/// What a person must know of a limit that the agent of `spec` cannot be held to, since it does not say what
/// it uses.
pub(crate) fn unmeasured(spec: &TaskSpec, reports: Reports) -> Option<String> {
    let limit = match (reports, spec.max_cost_usd, spec.max_tokens) {
        (Reports::Tokens | Reports::Nothing, Some(_), _) => "`max_cost_usd`",
        (Reports::Nothing, None, Some(_)) => "`max_tokens`",
        _ => return None,
    };
    let (name, agent) = (&spec.name, &spec.agent);
    Some(format!(
        "{limit} cannot hold `{name}`: the agent `{agent}` does not report what its runs use of that"
    ))
}

fn missing(adapter: &dyn Adapter, programs: &Programs) -> CliError {
    let name = adapter.name();
    let what = match (programs.named.get(name), adapter.program()) {
        (Some(path), _) => format!("the program of the agent `{name}` is not at `{}`", path.display()),
        (None, Program::OnPath(program)) => {
            format!("the program `{program}` of the agent `{name}` is not on the PATH")
        }
        (None, Program::BuiltIn) => format!("the agent `{name}` is not to be had"),
    };
    CliError::unavailable(what).hinted(format!("agents found here: {}", list(&installed(programs))))
}

fn list(names: &[&str]) -> String {
    match names {
        [] => "none".to_owned(),
        names => names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", "),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn nothing_installed() -> Programs {
        Programs { agents: Catalogue::built_in(), search: SearchPath::default(), named: BTreeMap::new() }
    }

    #[test]
    fn an_unknown_agent_is_wrong_usage_and_the_known_ones_are_listed() {
        let error = check(&TaskSpec::new("\u{1b}[2Jx", "y"), &nothing_installed()).unwrap_err();
        assert_eq!(error.status().code(), 2);
        let text = error.to_string();
        assert!(text.contains("no agent called") && text.contains("`claude`"), "{text}");
    }

    #[test]
    fn a_limit_that_an_agent_cannot_be_held_to_is_named() {
        let mut spec = TaskSpec::new("codex", "y");
        assert_eq!(unmeasured(&spec, Reports::Nothing), None);
        spec.max_tokens = Some(5);
        assert_eq!(unmeasured(&spec, Reports::Tokens), None);
        assert!(unmeasured(&spec, Reports::Nothing).unwrap().contains("`max_tokens`"));
        spec.max_cost_usd = Some(1.0);
        assert_eq!(unmeasured(&spec, Reports::Dollars), None);
        assert!(unmeasured(&spec, Reports::Tokens).unwrap().contains("`max_cost_usd` cannot hold `y`"));
    }

    #[test]
    fn a_missing_program_is_unavailable_and_what_was_found_is_listed() {
        let error = check(&TaskSpec::new("claude", "y"), &nothing_installed()).unwrap_err();
        assert_eq!(error.status().code(), 69);
        let text = error.to_string();
        assert!(
            text.contains("`claude` is not on the PATH") || text.contains("the program `claude`"),
            "{text}"
        );
        assert!(text.contains("hint: agents found here: "), "{text}");
    }

    #[test]
    fn a_program_that_the_configuration_names_is_looked_for_there_alone() {
        let named = [("claude".to_owned(), PathBuf::from("/nowhere/claude"))].into();
        let programs = Programs { named, ..nothing_installed() };
        let error = check(&TaskSpec::new("claude", "y"), &programs).unwrap_err();
        assert!(error.to_string().contains("not at `/nowhere/claude`"), "{error}");
    }

    #[test]
    fn without_an_agent_program_no_task_gets_one_by_default() {
        let error = only_installed(&nothing_installed()).unwrap_err();
        assert_eq!(error.status().code(), 69);
        let text = error.to_string();
        assert!(text.contains("name one with `--agent`: `scripted` is built in"), "{text}");
        assert!(text.contains("; another must be installed: `claude`"), "{text}");
    }
}
