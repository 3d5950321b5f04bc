//! Handing work over as a file that `git am` takes, for projects that callbox is to write nothing into.

use std::{fs, path::Path};

use super::{
    deliver_error::DeliverError,
    git::Git,
    identity,
    numbers::{self, Numbers},
    state::count_commits,
    view::View,
};
use crate::vocabulary::Delivery;

/// What is to be written.
#[derive(Debug, Clone, Copy)]
pub struct PatchRequest<'a> {
    /// The sandbox; absolute.
    pub sandbox: &'a Path,
    /// The commit the work started from.
    pub base: &'a str,
    /// The commit to hand over.
    pub head: &'a str,
    /// The file; absolute.
    pub file: &'a Path,
    /// What the delivery calls that file.
    pub name: &'a Path,
}

/// The message of work whose own messages cannot stand in a patch.
const MESSAGE: &str = "All of the work as one patch\n";

/// Writes the file, whole or not at all: one patch for each commit, or one for all where merges are among
/// them, which patches cannot say, or messages that `git am` would not read to their end. `None` where there
/// is nothing to write. Can be repeated.
pub fn write_patch(git: &Git, request: &PatchRequest<'_>) -> Result<Option<Delivery>, DeliverError> {
    let PatchRequest { sandbox, base, head, file, name } = *request;
    let view = View::open(sandbox, base)?;
    let commits = count_commits(git, &view, base, head)?;
    let Numbers { files, insertions, deletions } = numbers::count(git, &view, base, head)?;
    if commits == 0 || files == 0 {
        return Ok(None);
    }
    let merges = view.git(git, "rev-list").args(["--count", "--min-parents=2", head]).arg(format!("^{base}"));
    let messages = view.git(git, "log").arg("--format=%B").arg(format!("{base}..{head}")).succeed()?;
    let last = if ends_early(&messages) {
        in_one(git, &view, base, head, MESSAGE.into())?
    } else if merges.line()? == "0" {
        head.to_owned()
    } else {
        let message = view.git(git, "log").args(["-1", "--format=%B", head]).succeed()?;
        in_one(git, &view, base, head, message)?
    };
    let draft = file.with_extension("new");
    view.git(git, "format-patch")
        .args(["--binary", "--full-index", "--no-signature", "--no-renames", "--quiet"])
        .arg(format!("--output={}", draft.display()))
        .arg(format!("{base}..{last}"))
        .succeed()?;
    fs::rename(&draft, file).map_err(|source| view.files_error(source))?;
    Ok(Some(Delivery {
        base: base.to_owned(),
        branch: None,
        patch: Some(name.to_owned()),
        head: head.to_owned(),
        commits,
        files,
        insertions,
        deletions,
    }))
}

/// Whether `git am` takes a line of these messages for the end of one, and what follows for a change to
/// apply: an agent could hand over there what no commit of its holds.
fn ends_early(messages: &[u8]) -> bool {
    let ends: [&[u8]; 5] = [b"diff -", b"Index: ", b"---", b"From ", b">From "];
    messages.split(|byte| *byte == b'\n').any(|line| ends.iter().any(|end| line.starts_with(end)))
}

/// All of the work as one commit on `base`, as old as the last of it: whoever writes it again writes the same.
fn in_one(git: &Git, view: &View, base: &str, head: &str, message: Vec<u8>) -> Result<String, DeliverError> {
    let made = view.git(git, "log").args(["-1", "--date=raw", "--format=%cd", head]).line()?;
    let commit = identity::callbox(view.git(git, "commit-tree"));
    let commit = commit.env("GIT_AUTHOR_DATE", &made).env("GIT_COMMITTER_DATE", &made);
    Ok(commit.arg(format!("{head}^{{tree}}")).args(["-p", base, "-F", "-"]).input(message).line()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_ends_early_at_the_start_of_a_line_and_nowhere_else() {
        for end in ["diff --git a/x b/x", "Index: x", "---", "--- a/x", "From a", ">From a"] {
            assert!(ends_early(format!("subject\n\n{end}\nmore\n").as_bytes()), "{end}");
            assert!(!ends_early(format!("subject\n\n {end}\nmore {end}\n").as_bytes()), "{end}");
        }
        assert!(!ends_early(b"subject\n\n- a list\n-- more\nFrom: a\n"));
    }
}
