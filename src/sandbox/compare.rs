//! The work of two tasks beside each other.

use std::{ffi::OsString, path::Path};

use super::{
    diff::{Patch, Work, between, standing_tree},
    git::Git,
    invocation::Invocation,
    view::View,
    work_error::WorkError,
};

/// The unified diff from the work `from` to the work `to`, both of `project`. No program that a configuration or an
/// attribute names is run.
pub fn compare(git: &Git, project: &Path, from: Work<'_>, to: Work<'_>) -> Result<Patch, WorkError> {
    show(git, project, (from, to), &["--patch"])
}

/// The files in which they differ with the number of lines, 100 columns wide.
pub fn compare_stat(git: &Git, project: &Path, from: Work<'_>, to: Work<'_>) -> Result<Patch, WorkError> {
    show(git, project, (from, to), &["--stat=100", "--summary"])
}

/// What one side holds, and where its objects are besides the project.
struct Side {
    tree: String,
    view: Option<View>,
}

fn show(
    git: &Git,
    project: &Path,
    (from, to): (Work<'_>, Work<'_>),
    form: &[&str],
) -> Result<Patch, WorkError> {
    let (from, to) = (side(git, from)?, side(git, to)?);
    let run = seeing(
        git.project(project, "diff-tree"),
        [&from, &to].into_iter().filter_map(|side| side.view.as_ref()),
    );
    Ok(between(run, form, &from.tree, &to.tree)?)
}

fn side(git: &Git, work: Work<'_>) -> Result<Side, WorkError> {
    match work {
        Work::Delivered { head, .. } => Ok(Side { tree: head.to_owned(), view: None }),
        Work::Sandbox { directory, base } => {
            let view = View::open(directory, base)?;
            Ok(Side { tree: standing_tree(git, &view)?, view: Some(view) })
        }
    }
}

/// Lets git find the objects of `views` too. Of a sandbox it sees what callbox's own git directory beside it does, and
/// nothing else of its `.git`.
fn seeing<'a>(run: Invocation, views: impl Iterator<Item = &'a View>) -> Invocation {
    let mut places = OsString::new();
    // Each by itself: what a store borrows from another is not looked up from here by every git.
    for place in views.flat_map(|view| ["objects", "agent"].map(|name| view.git_directory().join(name))) {
        if !places.is_empty() {
            places.push(":");
        }
        places.push(quoted(&place));
    }
    if places.is_empty() { run } else { run.env("GIT_ALTERNATE_OBJECT_DIRECTORIES", places) }
}

/// As git reads a path in a list that is separated by colons, which a path may hold itself.
fn quoted(path: &Path) -> OsString {
    use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
    let mut quoted = vec![b'"'];
    for byte in path.as_os_str().as_bytes() {
        if matches!(byte, b'"' | b'\\') {
            quoted.push(b'\\');
        }
        quoted.push(*byte);
    }
    quoted.push(b'"');
    OsString::from_vec(quoted)
}
