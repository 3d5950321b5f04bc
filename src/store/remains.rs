//! What tasks left on the disk. Of that only names are looked at: whether a sandbox holds work is not the store's
//! to see.

use std::{
    collections::BTreeMap,
    fs, io,
    path::{Path, PathBuf},
};

use super::{failure::Failure, view::count};
use crate::{
    database::{
        Read,
        rows::{
            dependency,
            execution::{self, ExecutionRow},
            question,
            task::{self, TaskRow},
        },
    },
    domain::{RemainsView, may_go},
    ids::{ExecutionNumber, TaskNumber},
    layout::StateDir,
    protocol::{
        error::ErrorCode,
        remains::{DeliveredBranch, HandedOver, KeptIn, Patched, Remains, RemainsReply},
    },
    vocabulary::BaseChoice,
};

/// The executions whose supervisor was not seen to end, by their tasks.
pub(super) type Supervised = BTreeMap<TaskNumber, ExecutionNumber>;

/// Everything that stands there of tasks that have ended, or was given up.
pub(super) fn remains(read: &Read<'_>, state: &StateDir) -> Result<RemainsReply, Failure> {
    let mut reply =
        RemainsReply { tasks: Vec::new(), given_up: Vec::new(), kept: Vec::new(), branches: Vec::new() };
    let supervised = supervised(read)?;
    let all = task::all(read)?;
    let needed = NeededBranches::of(&all);
    for row in all {
        let runs = execution::of_task(read, row.number)?;
        let standing = Standing::of(state, &row, &runs)?;
        reply.given_up.extend(standing.given_up);
        reply.kept.extend(kept(&row, &runs));
        if !row.state.is_end() {
            continue;
        }
        let view = remains_view(read, &row, &supervised)?;
        if row.state.is_completed() && may_go(&view).is_ok() && !is_waited_for(read, &row)? {
            reply.branches.extend(delivered_branch(&row, &runs).filter(|own| !needed.has(own)));
        }
        if standing.sandboxes.is_empty() && standing.others.is_empty() {
            continue;
        }
        let patched = patched(state, &row, &runs);
        let needed = may_go(&view).err();
        reply.tasks.push(Remains {
            task: row.number,
            name: row.spec.name,
            state: row.state.name().to_owned(),
            ended_at: row.updated_at,
            project: row.spec.project,
            submodules: row.spec.submodules,
            needed: needed.map(|reason| reason.to_string()),
            sandboxes: standing.sandboxes,
            others: standing.others,
            handed: runs.iter().flat_map(|run| handed(state, run)).collect(),
            patched,
        });
    }
    reply.tasks.sort_by_key(|remains| (remains.ended_at, remains.task));
    Ok(reply)
}

/// What decides whether the remains of the task of `row` may go.
pub(super) fn remains_view(
    read: &Read<'_>,
    row: &TaskRow,
    supervised: &Supervised,
) -> Result<RemainsView, Failure> {
    let children = task::children(read, row.number)?;
    Ok(RemainsView {
        state: row.state.clone(),
        open_questions: count(question::open_of(read, row.number)?.len()),
        open_subtask: children.iter().find(|child| !child.state.is_end()).map(|child| child.number),
        supervised: supervised.get(&row.number).copied(),
    })
}

/// The executions that are not gone yet.
pub(super) fn supervised(read: &Read<'_>) -> Result<Supervised, Failure> {
    Ok(execution::unsettled(read)?.into_iter().map(|run| (run.task, run.number)).collect())
}

/// What stands of one task.
#[derive(Default)]
struct Standing {
    sandboxes: Vec<PathBuf>,
    others: Vec<PathBuf>,
    given_up: Vec<PathBuf>,
}

impl Standing {
    fn of(state: &StateDir, row: &TaskRow, runs: &[ExecutionRow]) -> Result<Self, Failure> {
        let mut standing = Self::default();
        let first = state.sandbox(row.number, 1);
        for name in names(first.parent().unwrap_or(&first))? {
            let path = first.with_file_name(&name);
            // `1`, and `1.git` beside it. Other names are not callbox's.
            let number = name.split('.').next().and_then(|number| number.parse::<u32>().ok());
            match number.filter(|number| (1..=row.sandboxes).contains(number)) {
                Some(number) if number <= row.swept_sandboxes => standing.given_up.push(path),
                Some(_) if name.contains('.') => standing.others.push(path),
                Some(_) => standing.sandboxes.push(path),
                None => {}
            }
        }
        // A patch is delivered work, and stands nowhere else.
        let holds_patch = |run: &&ExecutionRow| {
            run.details.delivery.as_ref().is_some_and(|delivery| delivery.patch.is_some())
        };
        for run in runs.iter().filter(|run| !holds_patch(run)) {
            let folder = state.execution(run.number);
            if fs::symlink_metadata(&folder).is_ok() {
                let swept = row.is_swept(run.number);
                if swept { &mut standing.given_up } else { &mut standing.others }.push(folder);
            }
        }
        Ok(standing)
    }
}

fn names(folder: &Path) -> Result<Vec<String>, Failure> {
    let read = || -> io::Result<Vec<String>> {
        let mut names = Vec::new();
        // Whatever became of it, nothing is removed through a link.
        if !fs::symlink_metadata(folder)?.is_dir() {
            return Ok(names);
        }
        for entry in fs::read_dir(folder)? {
            names.extend(entry?.file_name().into_string());
        }
        names.sort();
        Ok(names)
    };
    match read() {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Vec::new()),
        result => result.map_err(|error| {
            Failure::refused(
                ErrorCode::Internal,
                format!("`{}` could not be read: {error}", folder.display()),
            )
        }),
    }
}

fn kept<'a>(row: &'a TaskRow, runs: &'a [ExecutionRow]) -> impl Iterator<Item = KeptIn> + 'a {
    let kept = runs.iter().filter_map(|run| row.spec.project.as_ref().zip(run.details.kept.as_ref()));
    kept.map(|(project, kept)| KeptIn {
        project: project.clone(),
        reference: kept.reference.clone(),
        head: kept.head.clone(),
    })
}

/// What tasks that have not ended start from or are merged into, by name, with their projects.
struct NeededBranches(Vec<(PathBuf, String)>);

impl NeededBranches {
    fn of(all: &[TaskRow]) -> Self {
        let needed = all.iter().filter(|row| !row.state.is_end()).flat_map(|row| {
            let base = match &row.spec.base {
                BaseChoice::Revision(name) => Some(name),
                BaseChoice::Head | BaseChoice::Worktree | BaseChoice::After => None,
            };
            let project = row.spec.project.clone().unwrap_or_default();
            let short =
                |name: &String| name.trim_start_matches("refs/").trim_start_matches("heads/").to_owned();
            base.into_iter().chain(&row.spec.merge_into).map(move |name| (project.clone(), short(name)))
        });
        Self(needed.collect())
    }

    /// Also where more is said behind the name, as in `callbox/t1-work~2`.
    fn has(&self, own: &DeliveredBranch) -> bool {
        self.0.iter().any(|(project, name)| *project == own.project && name.starts_with(&own.branch))
    }
}

/// Whether a task that has not ended starts from what the task of `row` left.
fn is_waited_for(read: &Read<'_>, row: &TaskRow) -> Result<bool, Failure> {
    for dependent in dependency::dependents(read, row.number)? {
        if task::get(read, dependent)?.is_some_and(|dependent| !dependent.state.is_end()) {
            return Ok(true);
        }
    }
    Ok(false)
}

/// The branch of its work. One that it was merged into is the person's, whatever it is called.
fn delivered_branch(row: &TaskRow, runs: &[ExecutionRow]) -> Option<DeliveredBranch> {
    let delivery = runs.iter().rev().find_map(|run| run.details.delivery.as_ref())?;
    let branch = delivery.branch.clone().filter(|branch| row.spec.merge_into.as_ref() != Some(branch))?;
    Some(DeliveredBranch {
        task: row.number,
        ended_at: row.updated_at,
        project: row.spec.project.clone()?,
        branch,
        head: delivery.head.clone(),
    })
}

/// The work that a further run would go on from, where that was handed over as a patch and stands in the project
/// nowhere: what `base_of_more_work` would look for in vain without the sandbox.
fn patched(state: &StateDir, row: &TaskRow, runs: &[ExecutionRow]) -> Option<Patched> {
    let last = runs.iter().rev().find(|run| run.details.settled && run.sandbox.is_some())?;
    if last.details.kept.is_some() || row.is_swept(last.number) {
        return None;
    }
    let delivery = runs.iter().rev().find_map(|run| run.details.delivery.as_ref())?;
    delivery.patch.as_ref()?;
    Some(Patched {
        execution: last.number,
        sandbox: state.resolve(last.sandbox.as_ref()?),
        base: delivery.base.clone(),
        head: delivery.head.clone(),
    })
}

fn handed(state: &StateDir, run: &ExecutionRow) -> impl Iterator<Item = HandedOver> {
    let delivered = run.details.delivery.as_ref().map(|delivery| HandedOver {
        head: delivery.head.clone(),
        patch: delivery.patch.as_ref().map(|path| state.resolve(path)),
    });
    let kept = run.details.kept.as_ref().map(|kept| HandedOver { head: kept.head.clone(), patch: None });
    delivered.into_iter().chain(kept)
}
