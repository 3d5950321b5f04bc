//! Handing work over: a branch in the project.

use std::{
    fs,
    path::{Path, PathBuf},
};

use super::{
    branch_choice::Earlier,
    deliver_error::DeliverError,
    git::Git,
    numbers::{self, Numbers},
    project_ref::{Kind, Wanted, write_reference},
    state::count_commits,
    view::{View, write_private},
};
use crate::vocabulary::Delivery;

/// What is to be handed over.
#[derive(Debug, Clone, Copy)]
pub struct DeliverRequest<'a> {
    /// The root of the project's work tree; absolute.
    pub project: &'a Path,
    /// The sandbox; absolute.
    pub sandbox: &'a Path,
    /// The commit the sandbox was made from.
    pub base: &'a str,
    /// The commit to hand over.
    pub head: &'a str,
    /// The wanted branch, `callbox/<task number>-<slug>`.
    pub branch: &'a str,
}

/// Work that was handed over.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Delivered {
    /// What stands in the project now; `None` when there is no commit to hand over.
    pub delivery: Option<Delivery>,
    /// What the person should be told, such as another branch name.
    pub notice: Option<String>,
}

/// Writes the branch. Repeated after a kill it finds the branch and makes no other one; after a
/// resume of the same sandbox the same branch goes on. A branch that the person moved or checked out
/// is left alone, and `-2` and so on is added to the name.
///
/// Nothing of the project changes but its objects and that one branch.
pub fn deliver(git: &Git, request: &DeliverRequest<'_>) -> Result<Delivered, DeliverError> {
    let view = View::open(request.sandbox, request.base)?;
    let commits = count_commits(git, &view, request.base, request.head)?;
    if commits == 0 {
        return Ok(Delivered { delivery: None, notice: None });
    }
    let Numbers { files, insertions, deletions } = numbers::count(git, &view, request.base, request.head)?;
    let memory = Memory::of(request.sandbox);
    let wanted =
        Wanted { project: request.project, kind: Kind::Branch, name: request.branch, head: request.head };
    let branch = write_reference(git, &wanted, &view, memory.recall())?;
    memory
        .keep(&Earlier { branch: branch.clone(), head: request.head.to_owned() })
        .map_err(|source| view.files_error(source))?;
    let notice = (branch != request.branch).then(|| {
        format!(
            "the branch `{}` has other commits than this work goes on from; the work is on `{branch}`",
            request.branch
        )
    });
    let delivery = Delivery {
        base: request.base.to_owned(),
        branch: Some(branch),
        patch: None,
        head: request.head.to_owned(),
        commits,
        files,
        insertions,
        deletions,
    };
    Ok(Delivered { delivery: Some(delivery), notice })
}

/// Where the work of a sandbox went the last time: a file in the view, which lives as long as the
/// sandbox and is out of the agent's way. A new sandbox remembers what it was made to go on from, else nothing, and
/// then takes a new branch.
pub(super) struct Memory {
    file: PathBuf,
}

impl Memory {
    /// That of the sandbox `directory`.
    pub(super) fn of(directory: &Path) -> Self {
        Self { file: View::place(directory).join("delivered") }
    }

    fn recall(&self) -> Option<Earlier> {
        // What cannot be read is not remembered: the work then goes to a branch of another name.
        let text = fs::read_to_string(&self.file).ok()?;
        let (head, branch) = text.trim_end().split_once(' ')?;
        Some(Earlier { branch: branch.to_owned(), head: head.to_owned() })
    }

    /// Remembers it.
    pub(super) fn keep(&self, earlier: &Earlier) -> std::io::Result<()> {
        write_private(&self.file, &format!("{} {}\n", earlier.head, earlier.branch))
    }
}
