//! A person's work tree with all that is not committed in it, as a commit that a sandbox can start from.
//!
//! The person's own git looks, with their filters and what they ignore, but with an index and an object
//! store of callbox's: nothing of the project's changes, and what is new goes into the sandbox alone.

use std::{
    os::unix::ffi::{OsStrExt as _, OsStringExt as _},
    path::{Path, PathBuf},
};

use super::{
    create_error::CreateError, git::Git, identity, invocation::Invocation, pack::Pack, project::Project,
    scratch::Scratch, snapshot::Snapshot,
};

/// What is said of the commit.
const MESSAGE: &str = "Changes of the work tree that were not committed\n\nTaken by callbox as what a task starts \
    from.\n";

/// The commit, on top of the project's HEAD, and the objects that the project lacks; HEAD itself where
/// everything is committed. A repository inside the work tree is not included.
pub(super) fn snapshot(git: &Git, project: &Project) -> Result<(String, Option<Pack>), CreateError> {
    let files = |source| CreateError::Files { directory: project.root.clone(), source };
    let objects = Scratch::folder(git, "objects").map_err(files)?;
    let known = quoted(&project.common.join("objects"));
    let run = |verb: &'static str| -> Invocation {
        git.person(&project.root, verb)
            .env("GIT_OBJECT_DIRECTORY", objects.path())
            .env("GIT_ALTERNATE_OBJECT_DIRECTORIES", std::ffi::OsStr::from_bytes(&known))
    };
    let index =
        git.person(&project.root, "rev-parse").args(["--path-format=absolute", "--git-path", "index"]);
    let index = PathBuf::from(index.line()?);
    let snapshot = Snapshot::beside(git, &index, run).map_err(files)?;
    let tree = snapshot.tree(&snapshot.changes()?)?;
    if tree == run("rev-parse").arg(format!("{}^{{tree}}", project.head)).line()? {
        return Ok((project.head.clone(), None));
    }
    let commit = identity::callbox(run("commit-tree"))
        .args([&*tree, "-p", &project.head, "-F", "-"])
        .input(MESSAGE.as_bytes().to_vec())
        .line()?;
    let pack = Pack::begin(git).map_err(files)?;
    pack.fill(run("pack-objects"), &commit, &project.head)?;
    Ok((commit, Some(pack)))
}

/// A path as git reads it in a list between colons.
fn quoted(path: &Path) -> Vec<u8> {
    let mut quoted = vec![b'"'];
    for byte in path.as_os_str().to_owned().into_vec() {
        match byte {
            b'"' | b'\\' => quoted.extend([b'\\', byte]),
            byte => quoted.push(byte),
        }
    }
    quoted.push(b'"');
    quoted
}
