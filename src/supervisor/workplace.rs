//! The directory the agent works in: found again for a resume, made for everything else.

use std::{
    ffi::OsString,
    path::{Path, PathBuf},
};

use rustix::{fs::Mode, process::umask};

use super::{
    ending::fault,
    execution::{Execution, make_private_folder},
};
use crate::{
    layout::StateDir,
    protocol::launch::{Base, Conversation, Handover, Workplace},
    sandbox::{
        BaseRequest, CreateError, CreateRequest, Git, Prepared, ProjectError, Submodules, create, head,
        inspect, recorded_base, state,
    },
    vocabulary::{Fault, SandboxRules, Shortage},
};

/// A directory that stands.
#[derive(Debug)]
pub(super) struct Place {
    /// Absolute.
    pub(super) directory: PathBuf,
    /// The commit it was made from; absent where there is no project.
    pub(super) base: Option<String>,
    /// Whether it stood already.
    pub(super) origin: Origin,
    /// What the person should be told.
    pub(super) notices: Vec<String>,
}

/// Where a directory comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Origin {
    /// An earlier run worked in it.
    Kept,
    /// It was made now.
    Made,
}

/// What has to stand, apart from everything else, so that it can be made on another thread.
#[derive(Debug)]
pub(super) struct Site {
    workplace: Workplace,
    directory: PathBuf,
    state: StateDir,
    wanted: Wanted,
    branch: String,
    copy: Vec<PathBuf>,
    setup: Option<String>,
    sparse: Vec<PathBuf>,
    submodules: Submodules,
    rules: SandboxRules,
    umask: u32,
    git: GitSetup,
}

#[derive(Debug, Clone, Copy)]
enum Wanted {
    /// A place nobody worked in.
    New,
    /// The place of the conversation that goes on, if it is there.
    Kept,
}

/// How git is to be run for an execution.
#[derive(Debug, Clone)]
pub(super) struct GitSetup {
    folder: PathBuf,
    path: Option<OsString>,
    home: Option<PathBuf>,
}

impl GitSetup {
    /// With the PATH and the HOME that were looked up for the run. In a home that agents write to, nobody lives.
    pub(super) fn of(execution: &Execution) -> Self {
        let given = |name| execution.given.get(name).map(|value| OsString::from(value.expose()));
        Self {
            folder: execution.folder().join("git"),
            path: given("PATH"),
            home: given("HOME").filter(|_| !execution.has_own_home()).map(PathBuf::from),
        }
    }

    /// The folder it keeps its configuration in; to be removed at the end.
    pub(super) fn folder(&self) -> &Path {
        &self.folder
    }

    /// Writes the configuration.
    pub(super) fn git(&self) -> std::io::Result<Git> {
        let mut git = Git::new(&self.folder)?;
        if let Some(path) = &self.path {
            git = git.searching(path);
        }
        Ok(match &self.home {
            // The rest of what this process knows of its user is then about somebody else.
            Some(home) if std::env::var_os("HOME").as_deref() != Some(home.as_os_str()) => {
                git.of_person(home)
            }
            Some(_) => git,
            None => git.of_nobody(),
        })
    }
}

impl Site {
    /// Of the run.
    pub(super) fn of(execution: &Execution) -> Self {
        let plan = &execution.plan;
        Self {
            workplace: plan.workplace.clone(),
            directory: execution.directory(),
            state: execution.state.clone(),
            wanted: match plan.conversation {
                Conversation::Resume { .. } => Wanted::Kept,
                Conversation::Fresh { .. } | Conversation::Finished => Wanted::New,
            },
            branch: match &plan.handover {
                Handover::Branch { branch } => branch.clone(),
                Handover::Merge { .. } | Handover::Patch | Handover::None => {
                    format!("callbox/{}", plan.task.value())
                }
            },
            copy: plan.copy.clone(),
            setup: plan.setup.as_ref().map(|setup| setup.command.clone()),
            sparse: plan.sparse.clone(),
            submodules: if plan.submodules { Submodules::Filled } else { Submodules::Empty },
            rules: plan.sandbox,
            umask: execution.umask,
            git: GitSetup::of(execution),
        }
    }

    /// Finds or makes it; blocks.
    pub(super) fn stand(self) -> Result<Place, Fault> {
        match &self.workplace {
            Workplace::Empty { .. } => self.empty(),
            Workplace::Own { .. } if self.directory.is_dir() => Ok(self.place(None, Origin::Kept)),
            Workplace::Own { .. } => {
                Err(Fault::new("sandbox", format!("the directory `{}` is gone", self.directory.display())))
            }
            Workplace::Clone { project, base, .. } => self.clone_of(project, base),
        }
    }

    fn empty(&self) -> Result<Place, Fault> {
        let origin = if self.directory.is_dir() { Origin::Kept } else { Origin::Made };
        make_private_folder(&self.directory).map_err(|error| {
            Fault::new("sandbox", format!("`{}` could not be made: {error}", self.directory.display()))
                .lacking(Shortage::of(&error))
        })?;
        Ok(self.place(None, origin))
    }

    fn clone_of(&self, project: &Path, base: &Base) -> Result<Place, Fault> {
        let git = self.git.git().map_err(|error| {
            Fault::new("sandbox", format!("callbox's own git configuration could not be written: {error}"))
                .lacking(Shortage::of(&error))
        })?;
        if matches!(self.wanted, Wanted::Kept) && self.directory.is_dir() {
            let base = recorded_base(&self.directory).and_then(|base| {
                // A sandbox that can't be read can't be handed over either.
                state(&git, &self.directory, &base)?;
                Ok(base)
            });
            let base = base.map_err(|error| {
                fault("sandbox", &error, Some("the task run anew starts in a new sandbox"))
            })?;
            return Ok(self.place(Some(base), Origin::Kept));
        }
        let project = inspect(&git, project).map_err(|error| unusable_project(&error))?;
        let project = if *base == Base::Worktree { project.with_changes() } else { project };
        let parent = match base {
            Base::Sandbox { sandbox, commit } => {
                Some(Parent::of(self.state.resolve(sandbox), commit.as_deref())?)
            }
            _ => None,
        };
        let base = match (base, &parent) {
            (Base::Revision { name }, _) => BaseRequest::Revision(name),
            (Base::After { heads }, _) => BaseRequest::After(heads),
            (Base::Sandbox { .. }, Some(Parent { directory, commit })) => {
                BaseRequest::Sandbox { directory, commit }
            }
            (Base::More { base, head, delivered }, _) => {
                let delivered = delivered.as_ref().map(|standing| (&*standing.branch, &*standing.head));
                BaseRequest::More { base, head, delivered }
            }
            (Base::Worktree, _) => BaseRequest::Worktree,
            (Base::Head | Base::Sandbox { .. }, _) => BaseRequest::Head,
        };
        self.make(&git, &project, base)
    }

    fn make(
        &self,
        git: &Git,
        project: &crate::sandbox::Project,
        base: BaseRequest<'_>,
    ) -> Result<Place, Fault> {
        let (directory, branch, copy) = (&*self.directory, &*self.branch, &*self.copy);
        let (submodules, rules, all) = (self.submodules, self.rules, &self.state.sandboxes());
        let sparse = &*self.sparse;
        let request =
            CreateRequest { project, directory, base, branch, copy, sparse, submodules, rules, all };
        // Files of a checkout are as open as the person has them; the folder around them is private.
        let private = umask(Mode::from_raw_mode(self.umask));
        let created = create(git, &request);
        umask(private);
        let created = created.map_err(|error| not_made(&error))?;
        let mut place = self.place(Some(created.base_commit), Origin::Made);
        let setup = self.setup.as_deref();
        place.notices = project.notes(Prepared { setup, copy, submodules });
        place.notices.extend(created.notes);
        Ok(place)
    }

    fn place(&self, base: Option<String>, origin: Origin) -> Place {
        Place { directory: self.directory.clone(), base, origin, notices: Vec::new() }
    }
}

/// The sandbox a subtask starts from.
struct Parent {
    directory: PathBuf,
    commit: String,
}

impl Parent {
    /// At `commit` where one was pinned, else where it stands now.
    fn of(directory: PathBuf, commit: Option<&str>) -> Result<Self, Fault> {
        let commit = match commit {
            Some(commit) => Ok(commit.to_owned()),
            None => head(&directory),
        };
        let commit = commit.map_err(|error| fault("base", &error, None))?;
        Ok(Self { directory, commit })
    }
}

fn unusable_project(error: &ProjectError) -> Fault {
    fault("project", error, error.hint())
}

fn not_made(error: &CreateError) -> Fault {
    let code = match error {
        CreateError::NoSuchBase { .. } | CreateError::Conflict { .. } => "base",
        _ => "sandbox",
    };
    fault(code, error, error.hint())
}
