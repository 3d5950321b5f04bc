//! All that is to be submitted, checked as far as anything can be before it runs.

use std::{collections::HashMap, path::PathBuf};

use super::{
    agent::{self, Programs},
    any,
    comparison::{Comparison, Spread, spread},
    environment::environment,
    message::message,
    project::{self, Wanted},
    repository::{RepositorySays, repository_says},
};
use crate::{
    agents::Adapter,
    cli::{context::Context, error::CliError, source_flags::SourceFlags},
    ids::TaskNumber,
    protocol::operator::{After, Hold, NewTask, SubmitRequest},
    sandbox::{Prepared, Project, Submodules, hindrance, is_branch},
    taskfile::{self, AfterName, AgentWish, FileTask, Incomplete, PartialSpec, TaskFileError},
    vocabulary::{ANY, BaseChoice, Deliver, TaskSpec},
};

/// A request that can be sent, and what a person should know of it.
#[derive(Debug)]
pub(crate) struct Order {
    /// The request.
    pub(crate) request: SubmitRequest,
    /// Sentences about the projects, such as that changed files are not included.
    pub(crate) notes: Vec<String>,
    comparisons: Vec<Comparison>,
}

impl Order {
    /// What is to be said once the tasks have their `numbers`: which of them are compared.
    pub(crate) fn told(&self, numbers: &[TaskNumber]) -> Vec<String> {
        self.comparisons.iter().map(|comparison| comparison.told(numbers)).collect()
    }
}

/// Reads and checks everything named; the first thing that is wrong refuses the whole.
pub(crate) fn order(source: &SourceFlags, hold: Hold, context: &Context) -> Result<Order, CliError> {
    let tasks = read(source, context)?;
    if source.task.name.is_some() && tasks.len() > 1 {
        return Err(CliError::usage(format!("`--name` names one task, and there are {}", tasks.len())));
    }
    let mut gathering = Gathering {
        source,
        programs: Programs::of_person(context),
        context,
        projects: HashMap::new(),
        repositories: HashMap::new(),
        notes: Vec::new(),
    };
    let mut request =
        SubmitRequest { tasks: Vec::new(), environment: std::collections::BTreeMap::new(), hold };
    let Spread { tasks, mut comparisons } = spread(tasks)?;
    for (task, comparison) in tasks {
        let (mut new, project) = gathering.task(task)?;
        if let Some(comparison) = comparison.and_then(|place| comparisons.get_mut(place)) {
            comparison.join(&mut new, project.as_ref(), context)?;
        }
        request.tasks.push(new);
    }
    let specs = || request.tasks.iter().map(|task| &task.spec);
    let of_agents = specs().flat_map(|spec| &spec.agents).flat_map(|option| &option.env_names);
    let mut named: Vec<String> = specs().flat_map(|spec| &spec.env_names).chain(of_agents).cloned().collect();
    named.sort();
    named.dedup();
    request.environment = environment(context, &named)?;
    Ok(Order { request, notes: gathering.notes, comparisons })
}

/// The tasks as the files or the flags give them; places are those among all of them.
fn read(source: &SourceFlags, context: &Context) -> Result<Vec<FileTask>, CliError> {
    let directory = context.surroundings.directory();
    let flags = source.task.partial(directory)?;
    if let Some(prompt) = &source.prompt {
        let instructions = message(prompt, directory)?;
        let spec = taskfile::flag("instructions", &instructions, directory)
            .map_err(|error| CliError::usage(format!("the text of `-p` {}", error.message)))?;
        return Ok(vec![FileTask { spec: flags.over(&spec), after: Vec::new() }]);
    }
    if source.files.is_empty() {
        return Err(
            CliError::usage("there is nothing to do").hinted("say it with `-p TEXT`, or name task files")
        );
    }
    let (mut tasks, mut wrong): (Vec<FileTask>, Vec<TaskFileError>) = (Vec::new(), Vec::new());
    for file in &source.files {
        match taskfile::read(file, &source.vars()) {
            Ok(read) => {
                let before = tasks.len();
                tasks.extend(read.into_iter().map(|task| moved(task, before)));
            }
            Err(error) => wrong.push(error),
        }
    }
    if let Some(error) = all(wrong) {
        return Err(error.hinted("nothing was queued"));
    }
    Ok(tasks
        .into_iter()
        .map(|task| FileTask { spec: flags.clone().over(&task.spec), after: task.after })
        .collect())
}

/// A task of a second file stands behind those of the first.
fn moved(mut task: FileTask, before: usize) -> FileTask {
    for after in &mut task.after {
        if let AfterName::Place(place) = after {
            *place += before;
        }
    }
    task
}

/// The faults of all files in one error, so that a person mends them in one go.
fn all(mut wrong: Vec<TaskFileError>) -> Option<CliError> {
    if wrong.len() > 1 {
        let lines: Vec<String> = wrong.iter().map(ToString::to_string).collect();
        return Some(CliError::usage(lines.join("\n")));
    }
    wrong.pop().map(CliError::usage)
}

struct Gathering<'a> {
    source: &'a SourceFlags,
    programs: Programs,
    context: &'a Context,
    projects: HashMap<Wanted, Option<Project>>,
    repositories: HashMap<(PathBuf, String), RepositorySays>,
    notes: Vec<String>,
}

impl Gathering<'_> {
    /// The task as it is to be submitted, and the project it is for.
    fn task(&mut self, task: FileTask) -> Result<(NewTask, Option<Project>), CliError> {
        let project = match self.wanted(&task.spec) {
            Some(wanted) => self.inspected(wanted)?,
            None => None,
        };
        let (said, unheard_agent) = match &project {
            Some(project) => self.of_project(task.spec, project)?,
            None => (task.spec, None),
        };
        let mut spec = self.complete(said, unheard_agent)?;
        if spec.is_for_any() {
            self.notes.extend(any::unmeasured(&spec, &self.programs));
        } else {
            agent::check(&spec, &self.programs)?;
            let reports = self.programs.agents.find(&spec.agent).map(Adapter::reports);
            self.notes.extend(reports.and_then(|reports| agent::unmeasured(&spec, reports)));
        }
        let of_file = task.after.into_iter().map(|after| match after {
            AfterName::Task(number) => After::Task(number),
            AfterName::Place(place) => After::Place(place),
        });
        let of_flags = self.source.task.after.iter().map(|number| After::Task(*number));
        let after: Vec<After> = of_file.chain(of_flags).collect();
        // What a task follows may make the branch that it names.
        if let (Some(project), BaseChoice::Revision(name), []) = (&project, &spec.base, &after[..]) {
            project::check_base(name, project, &project::git(self.context)?)?;
        }
        if let Some(project) = &project {
            self.note(project, &spec);
        }
        spec.merge_into = self.merge_into(&spec, project.as_ref())?;
        // Under review nothing is merged before a person says so, who is told then.
        if let (Some(project), Some(into), false) = (&project, &spec.merge_into, spec.review) {
            self.note_hindrance(project, into)?;
        }
        spec.project = project.as_ref().map(|project| project.root.clone());
        Ok((NewTask { spec, after }, project))
    }

    /// `said` and, where it says nothing, what the person's configuration says of the project, then what its own
    /// repository does; and how an agent that this names in vain would be heard.
    fn of_project(
        &mut self,
        said: PartialSpec,
        project: &Project,
    ) -> Result<(PartialSpec, Option<String>), CliError> {
        let settings = &self.context.settings;
        let own = settings.projects.get(&project.root).cloned().unwrap_or_default();
        let said = said.over(&own);
        let git = project::git(self.context)?;
        let base = said.base.as_ref().or(settings.defaults.base.as_ref());
        let commit = project::base_commit(base, project, &git);
        let place = (project.root.clone(), commit);
        let says = match self.repositories.get(&place) {
            Some(known) => known.clone(),
            None => repository_says(self.context, &git, project, &place.1)?,
        };
        self.notes.extend(says.note.clone().filter(|note| !self.notes.contains(note)));
        self.repositories.insert(place, says.clone());
        Ok((said.over(&says.spec), says.unheard_agent))
    }

    fn complete(&self, mut said: PartialSpec, unheard_agent: Option<String>) -> Result<TaskSpec, CliError> {
        let settings = &self.context.settings;
        let agent = match said.agent.take().or_else(|| settings.defaults.agent.clone()) {
            Some(AgentWish::One(agent)) => agent,
            Some(AgentWish::Each(_)) => return Err(CliError::usage(Incomplete::SeveralAgents)),
            None => agent::only_installed(&self.programs)
                .map_err(|error| unheard_agent.into_iter().fold(error, CliError::hinted))?
                .to_owned(),
        };
        let defaults = settings.defaults_for(&agent);
        let agents = match agent.as_str() {
            ANY => any::any(&said, &self.programs, self.context)?,
            _ => any::of_subtasks(&said, &self.programs, self.context),
        };
        said.agent = Some(AgentWish::One(agent));
        let spec = taskfile::complete(said, &defaults).map_err(CliError::usage)?;
        Ok(TaskSpec { agents, ..spec })
    }

    /// The branch that the work is merged into, where it is: the one it starts from.
    fn merge_into(&self, spec: &TaskSpec, project: Option<&Project>) -> Result<Option<String>, CliError> {
        if spec.deliver != Deliver::Merge {
            return Ok(None);
        }
        let refused = |why: String| CliError::usage(format!("`deliver: merge` {why}"));
        let project = project.ok_or_else(|| refused("needs a project".to_owned()))?;
        let into = match &spec.base {
            BaseChoice::Worktree => {
                return Err(refused("needs a base that is committed, and `base` is `worktree`".to_owned()));
            }
            BaseChoice::Revision(name) => {
                let git = project::git(self.context)?;
                let is_branch = is_branch(&git, project, name).map_err(CliError::unavailable)?;
                is_branch
                    .then(|| name.clone())
                    .ok_or_else(|| refused(format!("needs a branch, which `{name}` is not")))
            }
            BaseChoice::Head | BaseChoice::After => project.branch.clone().ok_or_else(|| {
                refused(format!("needs a branch, and none is checked out in `{}`", project.root.display()))
            }),
        };
        into.map(Some)
    }

    /// What would stop the branch from being moved, said before an agent worked for nothing.
    fn note_hindrance(&mut self, project: &Project, into: &str) -> Result<(), CliError> {
        let git = project::git(self.context)?;
        if let Some(error) = hindrance(&git, &project.root, into).map_err(CliError::unavailable)? {
            let hint = error.hint();
            let note = format!("{error}, and `deliver: merge` does not move `{into}` so: {hint}");
            if !self.notes.contains(&note) {
                self.notes.push(note);
            }
        }
        Ok(())
    }

    /// What a person should know of the project, each thing once.
    fn note(&mut self, project: &Project, spec: &TaskSpec) {
        let includes_changes = spec.base == BaseChoice::Worktree;
        let project = if includes_changes { project.clone().with_changes() } else { project.clone() };
        let submodules = if spec.submodules { Submodules::Filled } else { Submodules::Empty };
        let prepared = Prepared { setup: spec.setup.as_deref(), copy: &spec.copy, submodules };
        for note in project.notes(prepared) {
            let note = format!("{}: {note}", project.root.display());
            if !self.notes.contains(&note) {
                self.notes.push(note);
            }
        }
    }

    /// Words on the command line are about the project in which they are said.
    fn wanted(&self, said: &PartialSpec) -> Option<Wanted> {
        match said.project.as_ref().or(self.context.settings.defaults.project.as_ref()) {
            _ if self.source.task.no_project => None,
            Some(path) => Some(Wanted::Named(path.clone())),
            None if self.source.prompt.is_some() => {
                Some(Wanted::Around(self.context.surroundings.directory().to_owned()))
            }
            None => None,
        }
    }

    fn inspected(&mut self, wanted: Wanted) -> Result<Option<Project>, CliError> {
        if let Some(known) = self.projects.get(&wanted) {
            return Ok(known.clone());
        }
        let project = project::project(&wanted, &project::git(self.context)?)?;
        self.projects.insert(wanted, project.clone());
        Ok(project)
    }
}
