//! Taking in what came: everything is looked at before anything is placed, and placed before a row is recorded.

use std::{
    collections::BTreeSet,
    io::Write as _,
    path::{Path, PathBuf},
};

use tempfile::NamedTempFile;

use super::{
    broken_off::{Mark, clear_broken_off},
    fault_point::Point,
    place::Checked,
    report::{Moved, Taken},
};
use crate::{
    archive::{Contents, Luggage},
    cli::{
        context::Context,
        error::{CliError, ErrorKind},
        gather,
        opened::Opened,
        output, sanitise,
    },
    host::prepared,
    ids::UniqueId,
    layout::StateDir,
    process::FaultPoints,
    protocol::travel::{ArrivalRequest, Arriving, ImportReply, ImportRequest, Placed},
    sandbox::{Git, Project, inspect},
};

/// What the person says of where things go.
#[derive(Debug)]
pub(crate) struct Wish {
    /// Where the project stands here.
    pub(crate) project: Option<PathBuf>,
}

/// Takes `contents` in: all of it, or nothing.
pub(crate) async fn take_in(
    context: &Context,
    store: &mut Opened,
    contents: &Contents,
    wish: &Wish,
) -> Result<Taken, CliError> {
    let state = prepared(context.state.root())?;
    let faults = FaultPoints::read();
    clear_broken_off(&state, store).await?;
    let git = gather::git(context)?;
    let rows = rows_file(&state, &contents.rows)?;
    let request = ArrivalRequest { file: rows.path().to_owned() };
    let arriving = store.act(async |operator| operator.arrive(&request).await).await?.tasks;
    faults.pass(Point::SetApart);
    let strangers =
        contents.tasks.iter().find(|luggage| !arriving.iter().any(|task| task.id == luggage.task));
    if let Some(stranger) = strangers {
        let message = format!("something comes along for the task {}, which does not", stranger.task);
        return Err(CliError::new(ErrorKind::Refused, message).hinted("have the archive made again"));
    }
    let projects = projects(&git, &arriving, wish)?;
    let checked = arriving.iter().map(|task| {
        let project = task.project.as_ref().and_then(|path| project_at(&projects, path));
        Checked::look(context, &git, task, luggage(contents, task.id), project)
    });
    let checked: Vec<Checked<'_>> = checked.collect::<Result<_, _>>()?;
    let mut marks = Vec::new();
    let placed = place_all(context, (&git, &state, &faults), &checked, &mut marks);
    let imported = match placed {
        Ok(()) => record(store, rows.path(), &checked, &mut marks, &state, &faults).await,
        Err(error) => {
            give_up(marks, &state);
            return Err(error);
        }
    }?;
    for mark in marks {
        // It says nothing any more once its task is here, and the next import removes it.
        let _ = mark.stays();
    }
    let tasks = imported.tasks.into_iter().zip(&checked).map(|(task, checked)| Moved {
        number: task.number,
        was: task.was,
        id: task.id,
        name: task.name,
        state: task.state,
        sandbox: checked.has_sandbox(),
        conversation: checked.has_conversation(luggage(contents, task.id)),
    });
    Ok(Taken { tasks: tasks.collect() })
}

fn luggage(contents: &Contents, task: UniqueId) -> Option<&Luggage> {
    contents.tasks.iter().find(|luggage| luggage.task == task)
}

/// The store reads the rows from a file of callbox's own, which goes with this.
fn rows_file(state: &StateDir, rows: &[u8]) -> Result<NamedTempFile, CliError> {
    let write = || -> std::io::Result<NamedTempFile> {
        let mut file = tempfile::Builder::new().prefix("rows-").tempfile_in(state.root().join("git"))?;
        file.write_all(rows)?;
        file.flush()?;
        Ok(file)
    };
    write().map_err(|error| CliError::lacking("the rows could not be handed to the store", error))
}

/// Each project there with what it is here.
fn projects(git: &Git, tasks: &[Arriving], wish: &Wish) -> Result<Vec<(PathBuf, Project)>, CliError> {
    let there: BTreeSet<&PathBuf> = tasks.iter().filter_map(|task| task.project.as_ref()).collect();
    if let Some(named) = &wish.project {
        if there.len() != 1 {
            let message = format!("`--project` names one project, and the tasks are of {}", there.len());
            return Err(CliError::usage(message).hinted(if there.is_empty() {
                "leave it out"
            } else {
                "export the tasks of each project into an archive of its own"
            }));
        }
        let project = gather::inspected(named, git)?;
        return Ok(there.into_iter().map(|path| (path.clone(), project.clone())).collect());
    }
    let here = there.into_iter().map(|path| {
        let project = inspect(git, path).map_err(|error| {
            let hint = "`--project DIR` says where the project stands here";
            CliError::unavailable(error).hinted(hint)
        })?;
        Ok((path.clone(), project))
    });
    here.collect()
}

fn project_at<'p>(projects: &'p [(PathBuf, Project)], there: &Path) -> Option<&'p Project> {
    projects.iter().find(|(path, _)| path == there).map(|(_, project)| project)
}

fn place_all(
    context: &Context,
    (git, state, faults): (&Git, &StateDir, &FaultPoints),
    checked: &[Checked<'_>],
    marks: &mut Vec<Mark>,
) -> Result<(), CliError> {
    for task in checked.iter().filter(|task| task.has_sandbox()) {
        let mark = Mark::begin(state, task.task.number, task.task.id, task.files_outside());
        marks.push(mark.map_err(|error| CliError::lacking("the sandbox could not be made", error))?);
        for note in task.place(context, git, state)? {
            output::say(sanitise::line(&format!("{}: {note}", task.task.number)));
        }
        faults.pass(Point::OnePlaced);
    }
    faults.pass(Point::Placed);
    Ok(())
}

/// Has the rows recorded. Where nobody says whether they are, the store is asked again.
async fn record(
    store: &mut Opened,
    rows: &Path,
    checked: &[Checked<'_>],
    marks: &mut Vec<Mark>,
    state: &StateDir,
    faults: &FaultPoints,
) -> Result<ImportReply, CliError> {
    let tasks = checked.iter().map(|task| Placed {
        id: task.task.id,
        number: task.task.number,
        project: task.project.map(|project| project.root.clone()),
        sandbox: task.has_sandbox(),
    });
    let request = ImportRequest { file: rows.to_owned(), tasks: tasks.collect() };
    let error = match store.act(async |operator| operator.import(&request).await).await {
        Ok(reply) => {
            faults.pass(Point::Recorded);
            return Ok(reply);
        }
        Err(error) => error,
    };
    let first = checked.first().map(|task| task.task);
    let is_known =
        store.look(async |operator| operator.tasks(&crate::protocol::query::TaskFilter::default()).await);
    match is_known.await {
        Ok(known) if first.is_some_and(|first| known.iter().any(|task| task.id == first.id)) => {
            Err(error.hinted("the tasks were taken all the same: `callbox ls` lists them"))
        }
        Ok(_) => {
            give_up(std::mem::take(marks), state);
            Err(error)
        }
        Err(_) => {
            Err(error.hinted("whether the tasks were taken `callbox ls` says; import them again if not"))
        }
    }
}

fn give_up(marks: Vec<Mark>, state: &StateDir) {
    for mark in marks {
        // What stays is removed by the next import.
        let _ = mark.goes(state);
    }
}
