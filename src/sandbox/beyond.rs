//! What a commit has and a sparse sandbox does not: entries of the index that no file has to stand for.

use std::{
    collections::{BTreeSet, HashMap},
    ffi::OsStr,
    fs::{self, OpenOptions},
    io::Write as _,
    ops::Bound,
    os::unix::{ffi::OsStrExt as _, fs::OpenOptionsExt as _},
    path::{Path, PathBuf},
};

use super::{
    cone::{Cone, parent},
    git::Git,
    git_error::GitError,
    scratch::Scratch,
    view::View,
    work_error::WorkError,
};

/// Paths of a clone's index that its work tree was spared.
#[derive(Debug, Default)]
pub(super) struct Beyond {
    files: BTreeSet<Vec<u8>>,
}

impl Beyond {
    /// Of the new clone `clone`, just checked out.
    pub(super) fn of(git: &Git, clone: &Path) -> Result<Self, GitError> {
        let listed = git.project(clone, "ls-files").args(["-t", "-z"]).succeed()?;
        let spared = entries(&listed).filter(|entry| entry.spared).map(|entry| entry.path.to_vec());
        Ok(Self { files: spared.collect() })
    }

    /// Of the sandbox of `view`, as its agent has marked them: what it told its own git to do without, as by narrowing a
    /// sparse checkout. The index is looked at as data, by callbox's own git; where that cannot read it, nothing is marked.
    pub(super) fn of_agent(git: &Git, view: &View) -> Result<Self, WorkError> {
        let Some(index) = view.agent().index_with_marks() else { return Ok(Self::default()) };
        let copy = Scratch::file(git, "agents-index");
        let written = OpenOptions::new().write(true).create_new(true).mode(0o600).open(copy.path());
        written
            .and_then(|mut file| file.write_all(&index))
            .map_err(|source| WorkError::Files { directory: copy.path().to_owned(), source })?;
        let listed =
            view.git(git, "ls-files").env("GIT_INDEX_FILE", copy.path()).args(["-t", "-z"]).succeed();
        let Ok(listed) = listed else { return Ok(Self::default()) };
        let spared = entries(&listed).filter(|entry| entry.spared).map(|entry| entry.path.to_vec());
        Ok(Self { files: spared.collect() })
    }

    /// Whether there is none.
    pub(super) fn is_empty(&self) -> bool {
        self.files.is_empty()
    }

    /// Whether `path` is one of them.
    pub(super) fn has(&self, path: &[u8]) -> bool {
        self.files.contains(path)
    }

    /// Whether one of them stands below the folder `path`.
    pub(super) fn has_below(&self, path: &[u8]) -> bool {
        let below = [path, b"/"].concat();
        let mut from = self.files.range::<[u8], _>((Bound::Included(&*below), Bound::Unbounded));
        from.next().is_some_and(|first| first.starts_with(&below))
    }
}

/// What is to be said anew of an index, so that it tells the truth of a work tree which is spared what stands
/// outside a cone.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Sparing {
    /// Absent, and to be no change.
    pub(super) spare: Vec<Vec<u8>>,
    /// There after all, and to be looked at.
    pub(super) look: Vec<Vec<u8>>,
    /// Outside the cone and there.
    pub(super) outside: Vec<Vec<u8>>,
}

impl Sparing {
    /// Of the index that `git ls-files -t -z` has `listed`, beside the work tree `root`. What is absent counts as deleted
    /// only within `cone`, which holds all where there is none, and where it was neither spared before nor `hidden` by
    /// the agent's own git: whoever deletes a file that is not there commits that.
    pub(super) fn of(listed: &[u8], cone: Option<&Cone>, hidden: &Beyond, root: &Path) -> Self {
        let mut sparing = Self::default();
        let mut standing = Standing { root, folders: HashMap::new() };
        for Entry { path, spared } in entries(listed) {
            let outside = cone.is_some_and(|cone| !cone.holds(path));
            if !outside && !spared && !hidden.has(path) {
                continue;
            }
            let there = standing.is_there(path);
            if there && outside {
                sparing.outside.push(path.to_vec());
            }
            match (spared, there) {
                (true, true) => sparing.look.push(path.to_vec()),
                (false, false) => sparing.spare.push(path.to_vec()),
                _ => {}
            }
        }
        sparing
    }
}

/// What stands in a work tree, links not followed. What cannot be looked at counts as absent: then it is no change.
struct Standing<'a> {
    root: &'a Path,
    folders: HashMap<Vec<u8>, bool>,
}

impl Standing<'_> {
    fn is_there(&mut self, path: &[u8]) -> bool {
        self.is_folder(parent(path)) && fs::symlink_metadata(self.place(path)).is_ok()
    }

    fn is_folder(&mut self, path: &[u8]) -> bool {
        if path.is_empty() {
            return true;
        }
        if let Some(known) = self.folders.get(path) {
            return *known;
        }
        let is = self.is_folder(parent(path))
            && fs::symlink_metadata(self.place(path)).is_ok_and(|found| found.is_dir());
        self.folders.insert(path.to_vec(), is);
        is
    }

    fn place(&self, path: &[u8]) -> PathBuf {
        self.root.join(OsStr::from_bytes(path))
    }
}

struct Entry<'a> {
    path: &'a [u8],
    spared: bool,
}

/// The entries that `git ls-files -t -z` lists: a letter, a space, a path.
fn entries(listed: &[u8]) -> impl Iterator<Item = Entry<'_>> {
    listed.split(|byte| *byte == 0).filter_map(|entry| match entry {
        [letter, b' ', path @ ..] => Some(Entry { path, spared: *letter == b'S' }),
        _ => None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_stands_outside_the_cone_is_spared_and_only_while_it_is_absent() {
        let root = tempfile::tempdir().unwrap();
        for folder in ["in", "out", "real"] {
            fs::create_dir(root.path().join(folder)).unwrap();
        }
        fs::write(root.path().join("out/there"), "x").unwrap();
        fs::write(root.path().join("real/x"), "x").unwrap();
        std::os::unix::fs::symlink("real", root.path().join("linked")).unwrap();
        let cone = Cone::of(&["in".into()]).unwrap();
        let listed = b"H in/gone\0H out/gone\0S out/there\0S out/still\0S linked/x\0H root\0";
        let hidden = Beyond { files: [b"in/hidden".to_vec(), b"in/back".to_vec()].into() };
        fs::write(root.path().join("in/back"), "x").unwrap();
        let listed = [&listed[..], b"H in/hidden\0H in/back\0"].concat();
        let sparing = Sparing::of(&listed, Some(&cone), &hidden, root.path());
        let owned = |paths: &[&str]| paths.iter().map(|path| path.as_bytes().to_vec()).collect::<Vec<_>>();
        let (spare, look, outside) =
            (owned(&["out/gone", "in/hidden"]), owned(&["out/there"]), owned(&["out/there"]));
        assert_eq!(sparing, Sparing { spare, look, outside });
        let everywhere = Sparing::of(b"H in/hidden\0H in/gone\0", None, &hidden, root.path());
        assert_eq!(everywhere, Sparing { spare: owned(&["in/hidden"]), ..Sparing::default() });
    }

    #[test]
    fn a_folder_is_known_by_what_stands_below_it() {
        let files = ["a/b/c", "ab"].map(|path| path.as_bytes().to_vec()).into();
        let beyond = Beyond { files };
        assert!(beyond.has(b"ab") && !beyond.has(b"a/b"));
        let below = ["a", "a/b", "ab", "a/b/c", "b"].map(|path| beyond.has_below(path.as_bytes()));
        assert_eq!(below, [true, true, false, false, false]);
    }
}
