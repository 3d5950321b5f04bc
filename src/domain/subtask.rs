//! Whether and how an agent's wish for a subtask is granted.

use crate::{
    ids::TaskNumber,
    vocabulary::{BaseChoice, Deliver, RetryPolicy, SpawnSubtask, TaskSpec},
};

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
    allowed(&agent, family)?;
    let same_agent = agent == parent.agent;
    let spec = TaskSpec {
        name: wish.name.clone(),
        instructions: wish.instructions.clone(),
        model: wish.model.clone().or_else(|| parent.model.clone().filter(|_| same_agent)),
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

fn allowed(agent: &str, family: &Family<'_>) -> Result<(), SpawnRefusal> {
    let known = [family.parent.agent.as_str(), "scripted"];
    if known.contains(&agent) || family.agents.iter().any(|name| name == agent) {
        return Ok(());
    }
    let mut names: Vec<&str> = known.into_iter().chain(family.agents.iter().map(String::as_str)).collect();
    names.sort_unstable();
    names.dedup();
    let allowed = names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
    Err(SpawnRefusal::AgentNotAllowed { agent: agent.to_owned(), allowed })
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
