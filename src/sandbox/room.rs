//! Whether a sandbox will fit on its disk, before anything is copied.

use std::{
    fs,
    path::{Path, PathBuf},
};

use super::{
    base::Base, cone::Cone, create::CreateRequest, create_error::CreateError, git::Git,
    project_notes::Submodules, space,
};
use crate::vocabulary::SandboxRules;

/// How many times as large as its objects a project is taken to be at most before its size is looked up.
const LARGEST_GROWTH: u64 = 20;

/// Refuses where the sandbox of `request`, which starts from `base`, of which it has what `cone` holds, and into which
/// `copied` files of the project's work tree come, would not leave room for others in `folder`. How large the files of the commit are is asked for
/// only where that could matter.
pub(super) fn check(
    git: &Git,
    request: &CreateRequest<'_>,
    (base, cone, copied): (&Base, Option<&Cone>, &[PathBuf]),
    folder: &Path,
) -> Result<(), CreateError> {
    let files = |source| CreateError::Files { directory: request.directory.to_owned(), source };
    let SandboxRules { keep_free, max_size, .. } = request.rules;
    // To sum up what stands there takes a while, so nobody does it without a reason.
    if let Some((limit, taken)) =
        max_size.map(|limit| (limit, space::size(request.all))).filter(|(limit, taken)| taken >= limit)
    {
        return Err(CreateError::TooMuch { all: request.all.to_owned(), taken, limit });
    }
    let free = space::free(folder).map_err(files)?;
    let objects = space::size(&request.project.common.join("objects"));
    let besides = [base.size(), submodules(request), outside_git(&request.project.root, copied)];
    let besides = besides.into_iter().fold(0, u64::saturating_add);
    let most = objects.saturating_mul(LARGEST_GROWTH).saturating_add(besides);
    if space::missing(most, free, keep_free).is_none() {
        return Ok(());
    }
    let listed = git
        .project(&request.project.root, "ls-tree")
        .args(["-r", "-l", "-z", base.known_to(request.project)])
        .run()?;
    let needed = objects.saturating_add(listed_size(&listed.stdout, cone)).saturating_add(besides);
    match space::missing(needed, free, keep_free) {
        Some(_) => {
            Err(CreateError::NoSpace { directory: request.directory.to_owned(), needed, keep_free, free })
        }
        None => Ok(()),
    }
}

/// The repositories of the submodules, and as much again for their files, which nobody has listed yet.
fn submodules(request: &CreateRequest<'_>) -> u64 {
    match request.submodules {
        Submodules::Filled => space::size(&request.project.common.join("modules")).saturating_mul(2),
        Submodules::Empty => 0,
    }
}

/// What is copied beside git, each path relative to `root`. A link is copied as one, and takes nothing.
fn outside_git(root: &Path, copied: &[PathBuf]) -> u64 {
    let size = |path: &PathBuf| match fs::symlink_metadata(root.join(path)) {
        Ok(found) if found.is_dir() => space::size(&root.join(path)),
        Ok(found) if found.is_file() => found.len(),
        _ => 0,
    };
    copied.iter().map(size).fold(0, u64::saturating_add)
}

/// The sizes in what `git ls-tree -r -l -z` says: mode, type, object, size, a tab, the path. What has no size, such
/// as a submodule, takes no room, nor does what stands outside `cone`.
fn listed_size(listed: &[u8], cone: Option<&Cone>) -> u64 {
    let size = |entry: &[u8]| -> Option<u64> {
        let (head, path) = entry.split_at_checked(entry.iter().position(|byte| *byte == b'\t')?)?;
        if cone.is_some_and(|cone| !cone.holds(&path[1..])) {
            return None;
        }
        std::str::from_utf8(head).ok()?.split_ascii_whitespace().nth(3)?.parse().ok()
    };
    listed.split(|byte| *byte == 0).filter_map(size).fold(0, u64::saturating_add)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_summed_and_a_submodule_has_none() {
        let listed = b"100644 blob 0a1b     120\ta b\x00160000 commit 0a1b       -\tsub\x00100755 blob 0a1b      7\tx\ty\0";
        assert_eq!(listed_size(listed, None), 127);
        assert_eq!(listed_size(b"", None), 0);
        let cone = Cone::of(&["y".into()]);
        assert_eq!(listed_size(b"100644 blob 0a1b 120\ta/b\x00100644 blob 0a1b 7\ty/z\0", cone.as_ref()), 7);
    }

    #[test]
    fn what_is_copied_beside_git_is_counted_and_no_link_is_followed() {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir_all(folder.path().join("deep/er")).unwrap();
        fs::write(folder.path().join("deep/er/x"), [0; 1000]).unwrap();
        fs::write(folder.path().join("y"), [0; 100]).unwrap();
        std::os::unix::fs::symlink("/usr", folder.path().join("link")).unwrap();
        let paths = ["deep", "y", "link", "missing"].map(PathBuf::from);
        assert_eq!(outside_git(folder.path(), &paths), 1100);
    }
}
