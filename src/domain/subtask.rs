//! Whether and how an agent's wish for a subtask is granted.

use std::collections::BTreeMap;

use crate::{
    ids::TaskNumber,
    vocabulary::{ANY, AgentOption, BaseChoice, Deliver, RetryPolicy, SpawnSubtask, TaskSpec},
};

/// The agent that any subtask may use: it needs no program and costs nothing.
const SCRIPTED: &str = "scripted";

/// How far a tree of tasks may grow.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Caps {
    /// Levels below the root.
    pub depth: u32,
    /// Subtasks of one task.
    pub children: u32,
    /// Tasks in a tree, the root included.
    pub tree: u32,
    /// Signals in one execution.
    pub signals: u32,
}

impl Default for Caps {
    fn default() -> Self {
        Self { depth: 3, children: 20, tree: 100, signals: 1000 }
    }
}

/// What already stands around the wish.
#[derive(Debug, Clone, PartialEq)]
pub struct Family<'a> {
    /// The parent's own specification.
    pub parent: &'a TaskSpec,
    /// How many levels the parent stands below the root.
    pub depth: u32,
    /// The parent's subtasks so far.
    pub siblings: &'a [Sibling],
    /// Tasks in the whole tree.
    pub tree: u32,
    /// How far it may grow.
    pub caps: Caps,
    /// Agents that subtasks may use besides the parent's and `scripted`.
    pub agents: &'a [String],
}

/// A subtask that exists.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sibling {
    /// Its number.
    pub task: TaskNumber,
    /// Its name.
    pub name: String,
    /// Its instructions.
    pub instructions: String,
}

/// A granted wish.
#[derive(Debug, Clone, PartialEq)]
pub enum Spawned {
    /// The same was asked for before.
    Existing(TaskNumber),
    /// A new task.
    New {
        /// Its specification.
        spec: Box<TaskSpec>,
        /// Siblings that must be completed first.
        after: Vec<TaskNumber>,
    },
}

/// Why a wish is not granted, in words for the agent; [`SpawnRefusal::advice`] says what to do.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SpawnRefusal {
    /// The name is taken.
    #[error("`name`: the subtask `{name}` ({task}) exists with other instructions")]
    NameTaken {
        /// The name.
        name: String,
        /// Who has it.
        task: TaskNumber,
    },
    /// A predecessor is not there.
    #[error("`after`: there is no earlier subtask `{name}`")]
    NoSuchPredecessor {
        /// The name given.
        name: String,
    },
    /// The agent is not on the list.
    #[error("`agent`: subtasks may use {allowed} here, not `{agent}`")]
    AgentNotAllowed {
        /// The agent asked for.
        agent: String,
        /// Those on the list.
        allowed: String,
    },
    /// A cap is reached.
    #[error("the limit on {what} ({limit}) is reached")]
    Cap {
        /// The cap.
        limit: u32,
        /// What it counts.
        what: &'static str,
    },
}

impl SpawnRefusal {
    /// What the agent is to do instead.
    pub fn advice(&self) -> &'static str {
        match self {
            Self::NameTaken { .. } => "choose another name",
            Self::NoSuchPredecessor { .. } => "spawn that one first, or leave it out",
            Self::AgentNotAllowed { .. } => "name one of these, or none for your own",
            Self::Cap { .. } => "do the work yourself or report what is left",
        }
    }
}

/// Decides about `wish`.
pub fn spawn(wish: &SpawnSubtask, family: &Family<'_>) -> Result<Spawned, SpawnRefusal> {
    if let Some(sibling) = family.siblings.iter().find(|sibling| sibling.name == wish.name) {
        if sibling.instructions == wish.instructions {
            return Ok(Spawned::Existing(sibling.task));
        }
        return Err(SpawnRefusal::NameTaken { name: wish.name.clone(), task: sibling.task });
    }
    caps(family)?;
    let after = wish.after.iter().map(|name| predecessor(name, family)).collect::<Result<_, _>>()?;
    let parent = family.parent;
    let agent = wish.agent.clone().unwrap_or_else(|| parent.agent.clone());
    let agents = candidates(&agent, family)?;
    let own = launched_with(&agent, parent);
    let spec = TaskSpec {
        name: wish.name.clone(),
        instructions: wish.instructions.clone(),
        model: wish.model.clone().or(own.model),
        options: own.options,
        env_names: own.env_names,
        agents: asked_for(agents, wish.model.as_ref()),
        agent,
        base: BaseChoice::Head,
        // Into what a person stands on, the person's own task alone is merged.
        deliver: if parent.deliver == Deliver::Merge { Deliver::Branch } else { parent.deliver },
        merge_into: None,
        // What belongs to the parent's own work or to the person's hold on it is not inherited.
        retry: RetryPolicy::default(),
        verify: None,
        review: false,
        require_summary: false,
        require_changes: false,
        tags: Vec::new(),
        comparison: None,
        // That of the root counts for the whole tree.
        max_cost_usd: None,
        max_tokens: None,
        ..parent.clone()
    };
    Ok(Spawned::New { spec: Box::new(spec), after })
}

fn caps(family: &Family<'_>) -> Result<(), SpawnRefusal> {
    let caps = family.caps;
    let children = u32::try_from(family.siblings.len()).unwrap_or(u32::MAX);
    if family.depth >= caps.depth {
        return Err(SpawnRefusal::Cap { limit: caps.depth, what: "levels of subtasks" });
    }
    if children >= caps.children {
        return Err(SpawnRefusal::Cap { limit: caps.children, what: "subtasks of one task" });
    }
    if family.tree >= caps.tree {
        return Err(SpawnRefusal::Cap { limit: caps.tree, what: "tasks in one tree" });
    }
    Ok(())
}

fn predecessor(name: &str, family: &Family<'_>) -> Result<TaskNumber, SpawnRefusal> {
    family
        .siblings
        .iter()
        .find(|sibling| sibling.name == name)
        .map(|sibling| sibling.task)
        .ok_or_else(|| SpawnRefusal::NoSuchPredecessor { name: name.to_owned() })
}

/// Those that the subtask's `any`, or that of its own subtasks, may stand for. The scripted agent is none of them: it
/// plays instructions.
fn candidates(agent: &str, family: &Family<'_>) -> Result<Vec<AgentOption>, SpawnRefusal> {
    let parent = family.parent;
    let own = parent.may_go_to();
    let known = || own.iter().chain(family.agents).map(String::as_str);
    let mut agents: Vec<AgentOption> = parent.agents.clone();
    if !parent.is_for_any() && parent.agent != SCRIPTED && !agents.iter().any(|one| one.name == parent.agent)
    {
        agents.push(AgentOption::of(parent));
    }
    agents.retain(|option| known().any(|name| name == option.name));
    let allowed = if agent == ANY {
        !agents.is_empty()
    } else {
        agent == SCRIPTED || known().any(|name| name == agent)
    };
    if allowed {
        return Ok(agents);
    }
    let mut names: Vec<&str> = known().chain([SCRIPTED]).collect();
    names.sort_unstable();
    names.dedup();
    let allowed = names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
    Err(SpawnRefusal::AgentNotAllowed { agent: agent.to_owned(), allowed })
}

/// A model that the wish names is asked of whichever it comes to.
fn asked_for(agents: Vec<AgentOption>, model: Option<&String>) -> Vec<AgentOption> {
    let with = |option: AgentOption| AgentOption { model: model.cloned().or(option.model), ..option };
    agents.into_iter().map(with).collect()
}

/// What a subtask for `agent` is launched with: as its parent where that is the same, else as the agent was found where
/// the parent was submitted, and with nothing of another's.
fn launched_with(agent: &str, parent: &TaskSpec) -> AgentOption {
    if agent == parent.agent {
        return AgentOption::of(parent);
    }
    let found = parent.agents.iter().find(|option| option.name == agent);
    found.cloned().unwrap_or_else(|| AgentOption {
        name: agent.to_owned(),
        model: None,
        options: BTreeMap::new(),
        env_names: parent.env_names.clone(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::vocabulary::Permissions;

    fn wish(name: &str) -> SpawnSubtask {
        SpawnSubtask {
            name: name.to_owned(),
            instructions: "do it".to_owned(),
            agent: None,
            model: None,
            after: Vec::new(),
        }
    }

    fn parent() -> TaskSpec {
        let mut spec = TaskSpec::new("claude", "all of it");
        spec.permissions = Permissions::Read;
        spec.review = true;
        spec.model = Some("big".to_owned());
        (spec.timeout_seconds, spec.max_cost_usd) = (Some(60), Some(1.0));
        spec
    }

    fn family<'a>(parent: &'a TaskSpec, siblings: &'a [Sibling]) -> Family<'a> {
        Family { parent, depth: 0, siblings, tree: 1, caps: Caps::default(), agents: &[] }
    }

    #[test]
    fn the_same_wish_twice_is_one_subtask_and_another_under_its_name_is_refused() {
        let parent = parent();
        let siblings = [Sibling { task: TaskNumber::new(2), name: "a".into(), instructions: "do it".into() }];
        let family = family(&parent, &siblings);
        assert_eq!(spawn(&wish("a"), &family), Ok(Spawned::Existing(TaskNumber::new(2))));
        let other = SpawnSubtask { instructions: "other".into(), ..wish("a") };
        assert!(matches!(spawn(&other, &family), Err(SpawnRefusal::NameTaken { .. })));
    }

    #[test]
    fn a_subtask_inherits_limits_but_not_the_persons_hold_on_the_parent() {
        let parent = parent();
        let Ok(Spawned::New { spec, .. }) = spawn(&wish("a"), &family(&parent, &[])) else {
            panic!("the wish must be granted");
        };
        assert_eq!((spec.permissions, spec.review), (Permissions::Read, false));
        assert_eq!(spec.model.as_deref(), Some("big"));
        assert_eq!((spec.timeout_seconds, spec.max_cost_usd), (Some(60), None));
    }

    #[test]
    fn a_subtask_of_work_that_is_merged_delivers_a_branch() {
        let mut parent = parent();
        (parent.deliver, parent.merge_into) = (Deliver::Merge, Some("main".to_owned()));
        let Ok(Spawned::New { spec, .. }) = spawn(&wish("a"), &family(&parent, &[])) else {
            panic!("the wish must be granted");
        };
        assert_eq!((spec.deliver, spec.merge_into), (Deliver::Branch, None));
    }

    #[test]
    fn another_agent_must_be_on_the_list_and_gets_no_foreign_model() {
        let parent = parent();
        let codex = SpawnSubtask { agent: Some("codex".into()), ..wish("a") };
        let error = spawn(&codex, &family(&parent, &[])).unwrap_err();
        assert_eq!(error.to_string(), "`agent`: subtasks may use `claude`, `scripted` here, not `codex`");
        let agents = ["codex".to_owned()];
        let allowed = Family { agents: &agents, ..family(&parent, &[]) };
        let Ok(Spawned::New { spec, .. }) = spawn(&codex, &allowed) else { panic!("it is on the list") };
        assert_eq!(spec.model, None);
    }

    fn option(name: &str) -> AgentOption {
        AgentOption { name: name.to_owned(), ..AgentOption::of(&TaskSpec::new(name, "x")) }
    }

    fn names(options: &[AgentOption]) -> Vec<&str> {
        options.iter().map(|option| option.name.as_str()).collect()
    }

    #[test]
    fn any_of_a_subtask_stands_for_its_parents_agent_and_for_those_found_that_are_on_the_list() {
        let mut parent = parent();
        let wish = SpawnSubtask { agent: Some(ANY.into()), ..wish("a") };
        let spec = |parent: &TaskSpec, list: &[String]| match spawn(
            &wish,
            &Family { agents: list, ..family(parent, &[]) },
        ) {
            Ok(Spawned::New { spec, .. }) => Ok(*spec),
            Ok(Spawned::Existing(_)) => panic!("there was none"),
            Err(refusal) => Err(refusal),
        };
        let alone = spec(&parent, &[]).unwrap();
        assert_eq!((alone.agent.as_str(), names(&alone.agents)), (ANY, vec!["claude"]));
        assert_eq!(alone.agents[0].model.as_deref(), Some("big"), "as its parent has it");
        parent.agents = vec![option("codex"), option("gemini")];
        let list = ["codex".to_owned(), "missing".to_owned()];
        assert_eq!(names(&spec(&parent, &list).unwrap().agents), ["codex", "claude"]);
        parent.agent = ANY.to_owned();
        assert_eq!(
            names(&spec(&parent, &[]).unwrap().agents),
            ["codex", "gemini"],
            "all that it may be itself"
        );
        parent.agent = "scripted".to_owned();
        assert_eq!(names(&spec(&parent, &list).unwrap().agents), ["codex"]);
        let refused = spec(&parent, &[]).unwrap_err().to_string();
        assert_eq!(refused, "`agent`: subtasks may use `scripted` here, not `any`");
    }

    #[test]
    fn a_subtask_for_another_agent_gets_nothing_of_its_parents_agent() {
        let mut parent = parent();
        parent.options.insert("max_turns".to_owned(), "3".to_owned());
        let codex = SpawnSubtask { agent: Some("codex".into()), ..wish("a") };
        let agents = ["codex".to_owned()];
        let spec = |parent: &TaskSpec| match spawn(&codex, &Family { agents: &agents, ..family(parent, &[]) })
        {
            Ok(Spawned::New { spec, .. }) => *spec,
            other => panic!("{other:?}"),
        };
        assert!(spec(&parent).options.is_empty());
        parent.agents = vec![AgentOption { model: Some("small".to_owned()), ..option("codex") }];
        assert_eq!(spec(&parent).model.as_deref(), Some("small"));
    }

    #[test]
    fn every_cap_is_named_when_it_is_reached() {
        let parent = parent();
        let deep = Family { depth: 3, ..family(&parent, &[]) };
        let wide = Family { tree: 100, ..family(&parent, &[]) };
        for family in [deep, wide] {
            assert!(spawn(&wish("a"), &family).unwrap_err().to_string().contains("the limit on"));
        }
    }
}
