//! Making a sandbox: a private clone that shares no file with its project.
//!
//! The clone is made under another name and moved to its own when it is complete. A sandbox that is
//! there is therefore whole, and what a killed process left behind is replaced.

use std::{
    ffi::OsString,
    fs::{self, DirBuilder, OpenOptions},
    io::{self, Write as _},
    os::unix::{ffi::OsStrExt as _, fs::DirBuilderExt as _},
    panic::resume_unwind,
    path::{Path, PathBuf},
    thread,
};

use super::{
    base::{self, BaseRequest},
    beyond::Beyond,
    branch_choice::Earlier,
    clone_config::clone_config,
    cone::Cone,
    copy::{Copied, copy_in},
    create_error::CreateError,
    deliver::Memory,
    exclude,
    git::Git,
    git_error::GitError,
    include::included,
    keep_out::set_up_mark,
    project::Project,
    project_config,
    project_notes::Submodules,
    removal::remove_folder,
    room, submodules,
    view::{FirstSight, View},
};
use crate::vocabulary::SandboxRules;

/// What a sandbox is to be.
#[derive(Debug, Clone, Copy)]
pub struct CreateRequest<'a> {
    /// The project, as it was looked at.
    pub project: &'a Project,
    /// Where the sandbox is to stand; absolute. Its parents are made.
    pub directory: &'a Path,
    /// What it starts from.
    pub base: BaseRequest<'a>,
    /// The branch the agent is to stand on, such as the one its work will be delivered on.
    pub branch: &'a str,
    /// Files and folders of the project's work tree that the clone lacks and gets, relative to its root; what
    /// `.worktreeinclude` names comes with them.
    pub copy: &'a [PathBuf],
    /// Folders, relative to the root, that it has alone of the commit's files, beside the files that stand right in the
    /// folders above them; empty where it has everything.
    pub sparse: &'a [PathBuf],
    /// What becomes of its submodules.
    pub submodules: Submodules,
    /// What the person chose for all sandboxes.
    pub rules: SandboxRules,
    /// The folder of all sandboxes.
    pub all: &'a Path,
}

/// A sandbox that was made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Created {
    /// The commit the agent starts from. It is not in the project where several works were merged.
    pub base_commit: String,
    /// Sentences for the person, such as that something to be copied is not there.
    pub notes: Vec<String>,
}

/// Makes a sandbox. A failed one leaves nothing behind, an interrupted one is replaced.
pub fn create(git: &Git, request: &CreateRequest<'_>) -> Result<Created, CreateError> {
    let directory = request.directory;
    let files = |source| CreateError::Files { directory: directory.to_owned(), source };
    if fs::symlink_metadata(directory).is_ok() {
        return Err(CreateError::Occupied { directory: directory.to_owned() });
    }
    let partial = Partial::begin(directory).map_err(files)?;
    let created = partial.fill(git, request)?;
    fs::rename(&partial.directory, directory).map_err(files)?;
    partial.finished();
    Ok(created)
}

/// A clone that is not complete. Dropped, it is removed.
struct Partial {
    directory: PathBuf,
    view: PathBuf,
    mark: PathBuf,
    complete: bool,
}

impl Partial {
    fn begin(target: &Path) -> io::Result<Self> {
        let mut directory = OsString::from(target);
        directory.push(".partial");
        let partial = Self {
            directory: directory.into(),
            view: View::place(target),
            mark: set_up_mark(target),
            complete: false,
        };
        partial.clear()?;
        DirBuilder::new().recursive(true).mode(0o700).create(&partial.directory)?;
        Ok(partial)
    }

    fn clear(&self) -> io::Result<()> {
        remove_folder(&self.directory)?;
        remove_folder(&self.mark)?;
        remove_folder(&self.view)
    }

    fn finished(mut self) {
        self.complete = true;
    }

    fn fill(&self, git: &Git, request: &CreateRequest<'_>) -> Result<Created, CreateError> {
        let files = |source| CreateError::Files { directory: request.directory.to_owned(), source };
        let project = request.project;
        let base = base::resolve(git, project, request.base)?;
        let own = self.directory.join(".git");
        let cone = Cone::of(request.sparse);
        // What a project says its work trees need is of no use where the folder is not.
        let wanted =
            |path: &PathBuf| cone.as_ref().is_none_or(|cone| cone.holds(path.as_os_str().as_bytes()));
        let included = included(git, &project.root)?.into_iter().filter(wanted);
        let copy: Vec<PathBuf> = request.copy.iter().cloned().chain(included).collect();
        room::check(git, request, (&base, cone.as_ref(), &copy), &self.directory)?;
        // Side by side: neither needs the other, and an agent waits for both.
        let (config, copied) = thread::scope(|scope| {
            let read = || project_config::read(git, &project.root);
            let config = thread::Builder::new().spawn_scoped(scope, read);
            let copied = copy_repository(
                git,
                &project.root,
                Depth::of_project(project),
                Objects::of(request.rules),
                &own,
            );
            // Where there is no thread for it, one behind the other does too.
            (config.map_or_else(|_| Ok(read()), thread::ScopedJoinHandle::join), copied)
        });
        copied?;
        let config = config.unwrap_or_else(|panic| resume_unwind(panic))?;
        let written = fs::read_to_string(own.join("config")).map_err(files)?;
        fs::write(own.join("config"), clone_config(&written, &project.root, &config)).map_err(files)?;
        let exclude = exclude::read(git, project, config.excludes.as_deref());
        fs::write(own.join("info/exclude"), &exclude.project).map_err(files)?;
        if let Some(cone) = &cone {
            cone.set(git, &self.directory)?;
        }
        let base_commit = base::check_out(git, &self.directory, &base, request.branch)?;
        self.check(git, project)?;
        let beyond = match &cone {
            Some(_) => Beyond::of(git, &self.directory)?,
            None => Beyond::default(),
        };
        let mut copied = self.copy(request, &copy, &beyond)?;
        if request.submodules == Submodules::Filled {
            let (root, common) = (&project.root, &project.common);
            copied.notes.extend(submodules::fill(git, root, common, (&self.directory, &beyond))?);
        }
        if let Some(cone) = &cone {
            copied.notes.extend(cone.notes(git, &self.directory, &base_commit)?);
        }
        let exclude = [exclude.project, exclude.person, copied.exclude].concat();
        let (directory, index) = (request.directory, &own.join("index"));
        let started = match request.base {
            BaseRequest::More { base, .. } | BaseRequest::Moved { base, .. } => base,
            _ => &base_commit,
        };
        let (exclude, base, cone) = (&*exclude, &*base_commit, cone.as_ref());
        View::create(&FirstSight { directory, index, exclude, base, started, cone }).map_err(files)?;
        if let BaseRequest::More { delivered: Some((branch, head)), .. }
        | BaseRequest::Moved { delivered: Some((branch, head)), .. } = request.base
        {
            let earlier = Earlier { branch: branch.to_owned(), head: head.to_owned() };
            Memory::of(directory).keep(&earlier).map_err(files)?;
        }
        Ok(Created { base_commit: started.to_owned(), notes: copied.notes })
    }

    /// What the person wants copied, and what the project says its work trees need.
    fn copy(
        &self,
        request: &CreateRequest<'_>,
        paths: &[PathBuf],
        beyond: &Beyond,
    ) -> Result<Copied, CreateError> {
        let files = |source| CreateError::Files { directory: request.directory.to_owned(), source };
        let each = paths.iter().map(PathBuf::as_path);
        let mut copied = copy_in((&request.project.root, &self.directory), beyond, each).map_err(files)?;
        match paths.len() - request.copy.len() {
            0 => {}
            named => {
                copied.notes.push(format!("{named} files are copied that `.worktreeinclude` names"));
            }
        }
        let path = self.directory.join(".git/info/exclude");
        OpenOptions::new()
            .append(true)
            .open(path)
            .and_then(|mut file| file.write_all(&copied.exclude))
            .map_err(files)?;
        Ok(copied)
    }

    /// A clone that could not write all its files can end well, so this looks whether they are there.
    /// Files that differ are no fault: some attributes make git want other line ends than are committed.
    fn check(&self, git: &Git, project: &Project) -> Result<(), CreateError> {
        let status = git
            .project(&self.directory, "status")
            .args(["--porcelain", "-z", "--untracked-files=no", "--no-renames", "--ignore-submodules=all"])
            .succeed()?;
        let entries = status.split(|byte| *byte == 0).filter_map(|entry| entry.first_chunk());
        match entries.filter(|letters: &&[u8; 2]| letters.contains(&b'D')).count() {
            0 => Ok(()),
            missing => Err(CreateError::Incomplete { project: project.root.clone(), missing }),
        }
    }
}

impl Drop for Partial {
    fn drop(&mut self) {
        if !self.complete {
            // The error that led here counts; what stays is replaced by the next attempt.
            let _ = self.clear();
        }
    }
}

/// Branches, tags and remote branches as the project has them. Local copying takes every object as a
/// file, many times faster than sending them; it is not possible for a shallow project, nor where git
/// refuses because its object store holds links.
pub(super) fn copy_repository(
    git: &Git,
    source: &Path,
    depth: Depth,
    objects: Objects,
    target: &Path,
) -> Result<(), GitError> {
    if depth == Depth::CutOff {
        return clone(git, source, target, "--no-local").map(drop);
    }
    let how = match objects {
        Objects::Copied => "--no-hardlinks",
        Objects::Shared => "--local",
    };
    match clone(git, source, target, how) {
        Err(GitError::Failed { words, .. }) if words.contains("--local") => {
            clone(git, source, target, "--no-local").map(drop)
        }
        other => other.map(drop),
    }
}

/// What becomes of the files of objects.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Objects {
    /// Each repository has its own.
    Copied,
    /// Both have the same, where they stand on one file system.
    Shared,
}

impl Objects {
    fn of(rules: SandboxRules) -> Self {
        if rules.hardlinks { Self::Shared } else { Self::Copied }
    }
}

/// Whether a repository has all of its history.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Depth {
    /// It has.
    Whole,
    /// It is shallow.
    CutOff,
}

impl Depth {
    fn of_project(project: &Project) -> Self {
        if project.shallow { Self::CutOff } else { Self::Whole }
    }

    /// Of the git directory `git`.
    pub(super) fn of(git: &Path) -> Self {
        if git.join("shallow").exists() { Self::CutOff } else { Self::Whole }
    }
}

fn clone(git: &Git, source: &Path, target: &Path, how: &str) -> Result<Vec<u8>, GitError> {
    git.alone("clone")
        .args([
            "--quiet",
            "--bare",
            "--dissociate",
            "-c",
            "remote.origin.fetch=+refs/remotes/*:refs/remotes/*",
        ])
        .arg(how)
        .arg("--template")
        .arg(git.configuration().template())
        .arg("--")
        .arg(source)
        .arg(target)
        .succeed()
}
