//! Callbox's own git directory for a sandbox, beside it: `sandboxes/12/1.git` for `sandboxes/12/1`.
//!
//! ```text
//! HEAD      the base commit          config    written here
//! index     of the base, with the times and sizes the files had when they were checked out
//! objects/  what callbox adds        objects/info/alternates → agent/
//! agent/    links to the folders in the sandbox's own object store, without its `info`
//! info/exclude   what the person ignores          shallow   where history is cut off
//! delivered      the branch and commit that were last handed over
//! base      the base commit, where the work was put on top of another one
//! cone      the folders that the sandbox has alone, one in each line, where it is sparse
//! ```
//!
//! Git that looks at a sandbox runs here and nowhere else. Of the sandbox's `.git` it reads objects
//! alone; configuration, hooks, references, the index, the commit graph and the alternates that an
//! agent may have set are not in the path of anything it does. The index is never changed, so any
//! number of processes may look at the same time, each with a copy.

use std::{
    ffi::OsString,
    fs::{self, DirBuilder, OpenOptions},
    io::{self, Write as _},
    os::unix::{
        ffi::OsStrExt as _,
        fs::{DirBuilderExt as _, OpenOptionsExt as _, symlink},
    },
    path::{Path, PathBuf},
};

use super::{
    agent_git::{AgentGit, Standing},
    cone::Cone,
    git::Git,
    invocation::Invocation,
    work_error::WorkError,
};

/// Callbox's own git directory for a sandbox.
#[derive(Debug)]
pub(super) struct View {
    directory: PathBuf,
    git_directory: PathBuf,
    agent: AgentGit,
    cone: Option<Cone>,
}

/// What a view of a new clone starts with.
#[derive(Debug)]
pub(super) struct FirstSight<'a> {
    /// Where the sandbox will stand.
    pub(super) directory: &'a Path,
    /// The index of the clone, just checked out.
    pub(super) index: &'a Path,
    /// What the person ignores.
    pub(super) exclude: &'a [u8],
    /// The commit that is checked out.
    pub(super) base: &'a str,
    /// The commit that the work starts from: the same, or one before it where earlier work goes on.
    pub(super) started: &'a str,
    /// What the clone has alone, where it is sparse.
    pub(super) cone: Option<&'a Cone>,
}

impl View {
    /// Where the view of the sandbox `directory` stands.
    pub(super) fn place(directory: &Path) -> PathBuf {
        let mut place = OsString::from(directory);
        place.push(".git");
        place.into()
    }

    /// Makes the view of a clone, in the place of one that was left over.
    pub(super) fn create(first: &FirstSight<'_>) -> io::Result<()> {
        let place = Self::place(first.directory);
        lay_out(first.directory, first.base, first.cone)?;
        fs::copy(first.index, place.join("index"))?;
        if first.started != first.base {
            write_private(&place.join("base"), &format!("{}\n", first.started))?;
        }
        fs::write(place.join("info/exclude"), first.exclude)
    }

    /// Opens the view of the sandbox that was made from `base`. Where it was lost (a state directory
    /// that travelled without it) it is made again, and only costs that every file is read once.
    pub(super) fn open(directory: &Path, base: &str) -> Result<Self, WorkError> {
        let files = |source| WorkError::Files { directory: directory.to_owned(), source };
        let agent = AgentGit::open(directory)?;
        let git_directory = Self::place(directory);
        if !git_directory.join("HEAD").exists() {
            // What is absent from a sparse clone must never be taken for deleted, so the agent's word counts here.
            let cone = agent.sparse_patterns()?.and_then(|patterns| Cone::of_patterns(&patterns));
            lay_out(directory, base, cone.as_ref()).map_err(files)?;
        }
        let cone = match fs::read(git_directory.join("cone")) {
            Ok(text) => Cone::read(&text),
            Err(error) if error.kind() == io::ErrorKind::NotFound => None,
            Err(error) => return Err(files(error)),
        };
        let view = Self { directory: directory.to_owned(), git_directory, agent, cone };
        let shallow = view.agent.shallow()?;
        if !shallow.is_empty() {
            write_private(&view.git_directory.join("shallow"), &(shallow.join("\n") + "\n"))
                .map_err(files)?;
        }
        link_objects(directory).map_err(files)?;
        Ok(view)
    }

    /// Records that the work starts from `base` now.
    pub(super) fn rebase(&self, base: &str) -> io::Result<()> {
        write_private(&self.git_directory.join("base"), &format!("{base}\n"))
    }

    /// The commit that the view of the sandbox `directory` says it was made from.
    pub(super) fn recorded_base(directory: &Path) -> Result<String, WorkError> {
        let place = Self::place(directory);
        // Behind a merge it is another one than the index here is of.
        let path =
            Some(place.join("base")).filter(|path| path.exists()).unwrap_or_else(|| place.join("HEAD"));
        let read = fs::read_to_string(&path).and_then(|text| {
            let commit = text.trim_end().to_owned();
            let whole =
                matches!(commit.len(), 40 | 64) && commit.bytes().all(|byte| byte.is_ascii_hexdigit());
            if whole {
                Ok(commit)
            } else {
                Err(io::Error::new(io::ErrorKind::InvalidData, "it is no commit"))
            }
        });
        read.map_err(|source| WorkError::Unread { path, source })
    }

    /// Where the agent stands. It may have committed since this was opened.
    pub(super) fn standing(&self) -> Result<Standing, WorkError> {
        let standing = self.agent.standing()?;
        link_objects(&self.directory).map_err(|source| self.files_error(source))?;
        Ok(standing)
    }

    pub(super) fn agent(&self) -> &AgentGit {
        &self.agent
    }

    /// The sandbox's work tree.
    pub(super) fn directory(&self) -> &Path {
        &self.directory
    }

    /// What the sandbox has alone, where it is sparse.
    pub(super) fn cone(&self) -> Option<&Cone> {
        self.cone.as_ref()
    }

    /// Where other repositories fetch the sandbox's work from.
    pub(super) fn git_directory(&self) -> &Path {
        &self.git_directory
    }

    /// Runs git on the sandbox's objects.
    pub(super) fn git(&self, git: &Git, verb: &'static str) -> Invocation {
        git.alone(verb).env("GIT_DIR", &self.git_directory)
    }

    pub(super) fn files_error(&self, source: io::Error) -> WorkError {
        WorkError::Files { directory: self.directory.clone(), source }
    }
}

fn lay_out(directory: &Path, base: &str, cone: Option<&Cone>) -> io::Result<()> {
    let place = View::place(directory);
    for folder in ["agent", "info", "objects/info", "objects/pack", "refs/heads"] {
        DirBuilder::new().recursive(true).mode(0o700).create(place.join(folder))?;
    }
    fs::write(place.join("objects/info/alternates"), "../agent\n")?;
    write_private(&place.join("config"), &config(base))?;
    if let Some(cone) = cone {
        fs::write(place.join("cone"), cone.text())?;
    }
    // Last: with HEAD it counts as made.
    write_private(&place.join("HEAD"), &format!("{base}\n"))
}

/// Links the folders that the agent's object store has by now, and none of its other files. Relative,
/// because state directories travel. Not all 257 at once: on some disks that takes longer than a clone.
fn link_objects(directory: &Path) -> io::Result<()> {
    let name = directory.file_name().ok_or_else(|| io::Error::other("a sandbox must have a name"))?;
    let store = Path::new("../..").join(name).join(".git/objects");
    let links = View::place(directory).join("agent");
    for entry in fs::read_dir(directory.join(".git/objects"))? {
        let folder = entry?.file_name();
        if !is_object_folder(folder.as_bytes()) || fs::symlink_metadata(links.join(&folder)).is_ok() {
            continue;
        }
        match symlink(store.join(&folder), links.join(&folder)) {
            // Another process looks at the same sandbox.
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            result => result?,
        }
    }
    Ok(())
}

fn is_object_folder(name: &[u8]) -> bool {
    name == b"pack" || (name.len() == 2 && name.iter().all(u8::is_ascii_hexdigit))
}

/// Files that only help git to find objects faster are an agent's word for what the objects say, so
/// none of them is used. `allowAnySHA1InWant`: commits are fetched by their name, there is no branch.
fn config(base: &str) -> String {
    let format = if base.len() == 64 {
        "[core]\n\trepositoryformatversion = 1\n[extensions]\n\tobjectFormat = sha256\n"
    } else {
        "[core]\n\trepositoryformatversion = 0\n"
    };
    format!(
        "{format}[core]\n\tbare = false\n\tmultiPackIndex = false\n\tcommitGraph = false\n[pack]\n\tuseBitmaps = \
        false\n\treadReverseIndex = false\n[uploadpack]\n\tallowAnySHA1InWant = true\n"
    )
}

/// Replaces a file all at once: another process may be reading it.
pub(super) fn write_private(path: &Path, text: &str) -> io::Result<()> {
    let mut scratch = OsString::from(path);
    scratch.push(format!("-{}", crate::ids::UniqueId::mint()));
    let mut file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&scratch)?;
    file.write_all(text.as_bytes())?;
    fs::rename(&scratch, path)
}
