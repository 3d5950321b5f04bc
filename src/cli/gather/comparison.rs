//! The same task for several agents, from one base and under one tag, so that their work can be compared.

use super::project;
use crate::{
    cli::{context::Context, error::CliError},
    ids::{TaskNumber, UniqueId},
    protocol::operator::NewTask,
    sandbox::{Project, find_base},
    taskfile::{AfterName, AgentWish, FileTask},
    vocabulary::{BaseChoice, Deliver},
};

/// Tasks as they are to be submitted, one for each agent, and which of them belong together.
#[derive(Debug)]
pub(super) struct Spread {
    /// Each with the place of its comparison, where it is part of one.
    pub(super) tasks: Vec<(FileTask, Option<usize>)>,
    /// The comparisons.
    pub(super) comparisons: Vec<Comparison>,
}

/// Tasks that are compared.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Comparison {
    /// What all of them are tagged with.
    tag: String,
    /// The agent of each, and its place among all tasks of the request.
    members: Vec<(String, usize)>,
    /// The commit from which all of them start.
    base: Option<String>,
}

/// Makes of each task that names several agents one for each of them. Places in `after` are those before.
pub(super) fn spread(tasks: Vec<FileTask>) -> Result<Spread, CliError> {
    let mut spread = Spread { tasks: Vec::new(), comparisons: Vec::new() };
    let mut places: Vec<Option<usize>> = Vec::new();
    for mut task in tasks {
        for after in &mut task.after {
            if let AfterName::Place(place) = after {
                *place = places.get(*place).copied().flatten().ok_or_else(goes_behind)?;
            }
        }
        let Some(AgentWish::Each(agents)) = task.spec.agent.clone() else {
            places.push(Some(spread.tasks.len()));
            spread.tasks.push((task, None));
            continue;
        };
        places.push(None);
        let number = spread.comparisons.len();
        let mut comparison = Comparison { tag: tag(), members: Vec::new(), base: None };
        for agent in agents {
            comparison.members.push((agent.clone(), spread.tasks.len()));
            let mut one = task.clone();
            one.spec.tags.push(comparison.tag.clone());
            one.spec.agent = Some(AgentWish::One(agent));
            spread.tasks.push((one, Some(number)));
        }
        spread.comparisons.push(comparison);
    }
    Ok(spread)
}

fn goes_behind() -> CliError {
    CliError::usage("a task goes `after` one that is compared, of which all but one are cancelled")
        .hinted("submit it once one is taken, or name one agent")
}

/// The end of a new identity is nothing but random.
fn tag() -> String {
    let id = UniqueId::mint().to_string();
    format!("compare-{}", id.get(id.len().saturating_sub(8)..).unwrap_or(&id))
}

impl Comparison {
    /// Makes `task`, which is checked, one of it: all start from one commit, however the project moves on.
    pub(super) fn join(
        &mut self,
        task: &mut NewTask,
        project: Option<&Project>,
        context: &Context,
    ) -> Result<(), CliError> {
        let spec = &mut task.spec;
        let refused = |why: &str| Err(CliError::usage(format!("work that is to be compared {why}")));
        if spec.deliver == Deliver::Merge && !spec.review {
            return refused(
                "cannot be merged by itself, one behind the other: with `review` one of it is accepted",
            );
        }
        spec.comparison = Some(self.tag.clone());
        let Some(project) = project else { return Ok(()) };
        match (&spec.base, task.after.is_empty()) {
            (BaseChoice::Worktree, _) => {
                return refused(
                    "must start from one commit, and `base: worktree` is looked at anew by each: commit first",
                );
            }
            (BaseChoice::After, _) => return Ok(()),
            (_, false) => {
                return refused(
                    "and goes `after` other tasks must start from theirs: `base` must be `after`",
                );
            }
            (BaseChoice::Head | BaseChoice::Revision(_), true) => {}
        }
        let commit = match (&self.base, &spec.base) {
            (Some(known), _) => known.clone(),
            (None, BaseChoice::Revision(name)) => {
                find_base(&project::git(context)?, project, name).map_err(CliError::unavailable)?
            }
            (None, _) => project.head.clone(),
        };
        self.base = Some(commit.clone());
        spec.base = BaseChoice::Revision(commit);
        Ok(())
    }

    /// What a person must know of it, once the tasks have their `numbers`.
    pub(crate) fn told(&self, numbers: &[TaskNumber]) -> String {
        let number = |place: usize| numbers.get(place).map(ToString::to_string).unwrap_or_default();
        let members: Vec<(String, String)> =
            self.members.iter().map(|(agent, place)| (number(*place), agent.clone())).collect();
        let names: Vec<String> = members.iter().map(|(task, agent)| format!("{task} ({agent})")).collect();
        let base = self.base.as_ref().map(|commit| format!(" from {}", commit.get(..12).unwrap_or(commit)));
        format!(
            "{} do the same{}, under the tag `{}`: `callbox diff {} {}` compares two of them, `callbox take ID` takes one and cancels the rest",
            names.join(" and "),
            base.unwrap_or_default(),
            self.tag,
            members[0].0,
            members[1].0,
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::taskfile::PartialSpec;

    fn task(agents: &[&str], after: &[usize]) -> FileTask {
        let names: Vec<String> = agents.iter().map(|agent| (*agent).to_owned()).collect();
        let agent = match &names[..] {
            [one] => AgentWish::One(one.clone()),
            _ => AgentWish::Each(names),
        };
        let spec = PartialSpec { agent: Some(agent), ..PartialSpec::default() };
        FileTask { spec, after: after.iter().map(|place| AfterName::Place(*place)).collect() }
    }

    #[test]
    fn each_agent_gets_a_task_of_its_own_and_who_goes_behind_others_still_does() {
        let tasks =
            vec![task(&["a", "b"], &[]), task(&["c"], &[]), task(&["d"], &[1]), task(&["e", "f"], &[1, 2])];
        let spread = spread(tasks).unwrap();
        let told: Vec<_> = spread
            .tasks
            .iter()
            .map(|(task, comparison)| {
                (task.spec.agent.as_ref().unwrap().one().unwrap(), *comparison, task.after.clone())
            })
            .collect();
        let behind =
            |places: &[usize]| places.iter().map(|place| AfterName::Place(*place)).collect::<Vec<_>>();
        let wanted = [
            ("a", Some(0), behind(&[])),
            ("b", Some(0), behind(&[])),
            ("c", None, behind(&[])),
            ("d", None, behind(&[2])),
            ("e", Some(1), behind(&[2, 3])),
            ("f", Some(1), behind(&[2, 3])),
        ];
        assert_eq!(told, wanted);
        let tags: Vec<_> = spread.tasks.iter().map(|(task, _)| task.spec.tags.clone()).collect();
        assert_eq!((&tags[0], &tags[4]), (&tags[1], &tags[5]));
        assert!(tags[0] != tags[4] && tags[2].is_empty(), "{tags:?}");
    }

    #[test]
    fn nobody_goes_behind_a_task_of_which_all_but_one_are_cancelled() {
        let error = spread(vec![task(&["a", "b"], &[]), task(&["c"], &[0])]).unwrap_err();
        assert_eq!(error.status().code(), 2);
    }
}
