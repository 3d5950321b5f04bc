//! The part of a project's files that a sparse sandbox has, as git's own cones have it: the folders that were named
//! with all below them, and the files that stand right in the folders above them.

use std::{
    collections::BTreeSet,
    ffi::OsStr,
    os::unix::ffi::OsStrExt as _,
    path::{Path, PathBuf},
};

use super::{copy::pattern, git::Git, git_error::GitError};

/// Folders relative to the root of the work tree, none within another; at least one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Cone {
    folders: Vec<Vec<u8>>,
}

impl Cone {
    /// Of `folders`; `None` where none is named: then everything is there.
    pub(super) fn of(folders: &[PathBuf]) -> Option<Self> {
        Self::reduced(folders.iter().map(|folder| folder.as_os_str().as_bytes().to_vec()).collect())
    }

    /// The cone that `text` names, one folder in each line.
    pub(super) fn read(text: &[u8]) -> Option<Self> {
        let lines = text.split(|byte| *byte == b'\n').filter(|line| !line.is_empty());
        Self::reduced(lines.map(<[u8]>::to_vec).collect())
    }

    /// The cone that git wrote down as `patterns`. Whatever else stands there names no folder.
    pub(super) fn of_patterns(patterns: &[u8]) -> Option<Self> {
        let lines: BTreeSet<&[u8]> = patterns.split(|byte| *byte == b'\n').collect();
        let folder = |line: &&[u8]| {
            let within = line.strip_prefix(b"/")?.strip_suffix(b"/")?;
            let only_its_files = lines.contains(&*[b"!/", within, b"/*/"].concat());
            (!only_its_files).then(|| plain(within))
        };
        Self::reduced(lines.iter().filter_map(folder).collect())
    }

    /// Each folder in a line.
    pub(super) fn text(&self) -> Vec<u8> {
        let mut text = self.folders.join(&b'\n');
        text.push(b'\n');
        text
    }

    /// Whether the file at `path` belongs to it.
    pub(super) fn holds(&self, path: &[u8]) -> bool {
        let parent = parent(path);
        self.folders.iter().any(|folder| is_within(parent, folder) || is_within(folder, parent))
    }

    /// Patterns by which git knows the cone and the files `besides`, whose names may hold anything.
    pub(super) fn patterns(&self, besides: &[Vec<u8>]) -> Vec<u8> {
        let mut above = BTreeSet::new();
        for folder in &self.folders {
            let ends = folder.iter().enumerate().filter(|(_, byte)| **byte == b'/').map(|(end, _)| end);
            above.extend(ends.map(|end| &folder[..end]));
        }
        let mut text = b"/*\n!/*/\n".to_vec();
        for folder in above {
            let folder = pattern(folder);
            text.extend([&*folder, b"/\n!", &*folder, b"/*/\n"].concat());
        }
        for folder in &self.folders {
            text.extend([&*pattern(folder), b"/\n"].concat());
        }
        for file in besides {
            text.extend([&*pattern(file), b"\n"].concat());
        }
        text
    }

    /// Has the new clone `clone`, in which nothing is checked out, hold nothing else from now on.
    pub(super) fn set(&self, git: &Git, clone: &Path) -> Result<(), GitError> {
        // The two steps that every git since 2.25 knows; newer ones would do with the second.
        git.project(clone, "sparse-checkout").args(["init", "--cone"]).succeed()?;
        let run = git.project(clone, "sparse-checkout").args(["set", "--stdin"]);
        run.input(self.text()).succeed().map(drop)
    }

    /// Sentences about folders that `commit` in the repository `clone` does not have.
    pub(super) fn notes(&self, git: &Git, clone: &Path, commit: &str) -> Result<Vec<String>, GitError> {
        let listed = git
            .project(clone, "ls-tree")
            .args(["-d", "-z", "--full-tree", "--name-only", commit, "--"])
            .args(self.folders.iter().map(|folder| OsStr::from_bytes(folder)))
            .succeed()?;
        let there: BTreeSet<&[u8]> = listed.split(|byte| *byte == 0).collect();
        let missing = self.folders.iter().filter(|folder| !there.contains(&***folder));
        Ok(missing
            .map(|folder| {
                let shown = String::from_utf8_lossy(folder);
                format!(
                    "`sparse` names `{shown}`, which is no folder of the commit that the work starts from"
                )
            })
            .collect())
    }

    fn reduced(mut folders: Vec<Vec<u8>>) -> Option<Self> {
        folders.sort();
        let mut kept: Vec<Vec<u8>> = Vec::new();
        for folder in folders {
            if !kept.iter().any(|kept| is_within(&folder, kept)) {
                kept.push(folder);
            }
        }
        (!kept.is_empty()).then_some(Self { folders: kept })
    }
}

/// The folder that `path` stands in; the root has no name.
pub(super) fn parent(path: &[u8]) -> &[u8] {
    &path[..path.iter().rposition(|byte| *byte == b'/').unwrap_or(0)]
}

/// Whether `path` is `folder` or stands below it; everything stands below the root, which has no name.
fn is_within(path: &[u8], folder: &[u8]) -> bool {
    folder.is_empty()
        || path.strip_prefix(folder).is_some_and(|rest| rest.is_empty() || rest.starts_with(b"/"))
}

/// A path without the marks that a pattern needs.
fn plain(pattern: &[u8]) -> Vec<u8> {
    let mut bytes = pattern.iter();
    let mut path = Vec::new();
    while let Some(byte) = bytes.next() {
        path.extend(if *byte == b'\\' { bytes.next() } else { Some(byte) });
    }
    path
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cone(folders: &[&str]) -> Cone {
        Cone::of(&folders.iter().map(PathBuf::from).collect::<Vec<_>>()).unwrap()
    }

    #[test]
    fn a_cone_holds_its_folders_and_the_files_on_the_way_to_them() {
        let cone = cone(&["a/b", "c", "a/b/below"]);
        for (path, held) in [
            ("root.txt", true),
            ("a/x", true),
            ("a/b/y", true),
            ("a/b/below/z/z", true),
            ("c/d/e", true),
            ("a/bc/y", false),
            ("a/c/y", false),
            ("ab/x", false),
            ("d/x", false),
        ] {
            assert_eq!(cone.holds(path.as_bytes()), held, "{path}");
        }
        assert_eq!(Cone::of(&[]), None);
    }

    #[test]
    fn what_is_written_down_is_read_again_and_so_is_what_git_writes() {
        let cone = cone(&["a/b", "c d", "x*y"]);
        assert_eq!(Cone::read(&cone.text()), Some(cone.clone()));
        let patterns = "/*\n!/*/\n/a/\n!/a/*/\n/a/b/\n/c\\ d/\n/x\\*y/\n";
        assert_eq!(cone.patterns(&[]), patterns.as_bytes());
        assert_eq!(Cone::of_patterns(patterns.as_bytes()), Some(cone));
        assert_eq!(Cone::of_patterns(b"/*\n!/*/\n"), None);
        assert_eq!(Cone::of_patterns(b"*.c\n\xff\n"), None);
    }
}
