//! What callbox reads out of, and puts into, the `.git` of a sandbox: as files, never with git.
//!
//! A `.git` that an agent had in its hands can name programs in its configuration, point to another
//! repository, or hold links and fifos in the place of files. Here it is a folder of bytes: HEAD and
//! the references are parsed, and what is written replaces files one by one.

use std::{
    ffi::OsStr,
    fs::File,
    io,
    os::unix::ffi::OsStrExt as _,
    path::{Path, PathBuf},
};

use rustix::fs::FileType;

use super::{folder::Folder, work_error::WorkError};

/// A reference is one line.
const REFERENCE_LIMIT: usize = 4096;
/// Patterns of what git ignores.
const EXCLUDE_LIMIT: usize = 8 << 20;
/// Folders of references within each other; git's own names are shorter than a path may be.
const DEEPEST: usize = 64;
/// An index of two million files fits.
const INDEX_LIMIT: usize = 256 << 20;
/// A list of a million references fits.
const PACKED_LIMIT: usize = 128 << 20;

/// The opened `.git` of a sandbox.
#[derive(Debug)]
pub(super) struct AgentGit {
    folder: Folder,
    path: PathBuf,
}

/// Where an agent stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Standing {
    /// The commit, in hex.
    pub(super) commit: String,
    /// The reference to move for a new commit, such as `refs/heads/x`; `HEAD` itself when detached.
    reference: Vec<u8>,
}

/// Files that name a commit beside all references: what a work tree stands on where that is no branch, and what is
/// being merged or picked.
const MIDWAY: [&str; 4] = ["HEAD", "MERGE_HEAD", "CHERRY_PICK_HEAD", "REVERT_HEAD"];

impl AgentGit {
    /// Opens the `.git` in `directory`; neither may be a symbolic link.
    pub(super) fn open(directory: &Path) -> Result<Self, WorkError> {
        let gone = |source| WorkError::Gone { directory: directory.to_owned(), source };
        let outer = Folder::open(directory).map_err(gone)?;
        let no_git = |source| WorkError::NoGit { directory: directory.to_owned(), source };
        let folder = outer.enter(OsStr::new(".git")).map_err(no_git)?;
        folder.enter(OsStr::new("objects")).map_err(no_git)?;
        Ok(Self { folder, path: directory.join(".git") })
    }

    /// The commit and the branch that HEAD stands on.
    pub(super) fn standing(&self) -> Result<Standing, WorkError> {
        let mut reference = b"HEAD".to_vec();
        // Git itself follows five symbolic references.
        for _ in 0..6 {
            match self.value(&reference)? {
                Value::Commit(commit) => return Ok(Standing { commit, reference }),
                Value::Reference(next) => reference = next,
                Value::Absent => {
                    let reference = String::from_utf8_lossy(&reference).into_owned();
                    return Err(WorkError::NoCommit { reference });
                }
            }
        }
        Err(self.unread("HEAD", io::Error::other("too many symbolic references")))
    }

    /// Every reference with the commit or other object that it names, the stash among them.
    pub(super) fn references(&self) -> Result<Vec<(String, String)>, WorkError> {
        let mut found = Vec::new();
        match self.folder.enter(OsStr::new("refs")) {
            Ok(refs) => self.below("refs", &refs, 0, &mut found)?,
            Err(error) if is_absence(&error) => {}
            Err(error) => return Err(self.unread("refs", error)),
        }
        match self.folder.read(OsStr::new("packed-refs"), PACKED_LIMIT) {
            Ok(text) => found.extend(text.split(|byte| *byte == b'\n').filter_map(packed_reference)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(self.unread("packed-refs", error)),
        }
        self.heads_beside(&mut found)?;
        Ok(found)
    }

    /// What work trees of the agent's own stand on that it linked to this git, and what it is in the middle of merging:
    /// a commit may stand there alone.
    fn heads_beside(&self, found: &mut Vec<(String, String)>) -> Result<(), WorkError> {
        let mut places = vec![(String::new(), &self.folder, &MIDWAY[1..])];
        let linked = match self.folder.enter(OsStr::new("worktrees")) {
            Ok(folder) => self.entered("worktrees", &folder)?,
            Err(error) if is_absence(&error) => Vec::new(),
            Err(error) => return Err(self.unread("worktrees", error)),
        };
        places
            .extend(linked.iter().map(|(name, folder)| (format!("worktrees/{name}/"), folder, &MIDWAY[..])));
        for (place, folder, files) in places {
            for file in files {
                let full = format!("{place}{file}");
                match folder.read(OsStr::new(file), REFERENCE_LIMIT) {
                    Ok(text) => {
                        let commits = text.split(|byte| *byte == b'\n').filter_map(commit);
                        found.extend(commits.map(|commit| (full.clone(), commit)));
                    }
                    Err(error) if is_absence(&error) => {}
                    Err(error) => return Err(self.unread(&full, error)),
                }
            }
        }
        Ok(())
    }

    /// The folders in `folder`, each with its name.
    fn entered(&self, name: &str, folder: &Folder) -> Result<Vec<(String, Folder)>, WorkError> {
        let unread = |error| self.unread(name, error);
        let mut found = Vec::new();
        for entry in folder.names().map_err(unread)? {
            if folder.kind(&entry).map_err(unread)? == Some(FileType::Directory) {
                let inner = folder.enter(&entry).map_err(unread)?;
                found.push((entry.to_string_lossy().into_owned(), inner));
            }
        }
        Ok(found)
    }

    /// Those in the folder `place`, called `name`. What is no reference that git writes is none.
    fn below(
        &self,
        name: &str,
        place: &Folder,
        depth: usize,
        found: &mut Vec<(String, String)>,
    ) -> Result<(), WorkError> {
        let unread = |error| self.unread(name, error);
        if depth == DEEPEST {
            return Err(unread(io::Error::other("the folders of its references are too deep")));
        }
        for entry in place.names().map_err(unread)? {
            let full = format!("{name}/{}", entry.to_string_lossy());
            match place.kind(&entry).map_err(unread)? {
                Some(FileType::Directory) => {
                    self.below(&full, &place.enter(&entry).map_err(unread)?, depth + 1, found)?;
                }
                Some(FileType::RegularFile) => {
                    let text = place.read(&entry, REFERENCE_LIMIT).map_err(unread)?;
                    found.extend(commit(text.trim_ascii()).map(|commit| (full, commit)));
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// The commits at which the agent's history is cut off.
    pub(super) fn shallow(&self) -> Result<Vec<String>, WorkError> {
        match self.folder.read(OsStr::new("shallow"), PACKED_LIMIT) {
            Ok(text) => Ok(text.split(|byte| *byte == b'\n').filter_map(commit).collect()),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Vec::new()),
            Err(error) => Err(self.unread("shallow", error)),
        }
    }

    /// The index of the agent's git, where it can hold entries that the work tree is spared: only from the third version
    /// on there is a place for such a mark (gitformat-index(5)), and git writes that version only where it needs one. What
    /// is no file of a size that git's own may have marks nothing.
    pub(super) fn index_with_marks(&self) -> Option<Vec<u8>> {
        let index = self.folder.read(OsStr::new("index"), INDEX_LIMIT).ok()?;
        Some(index).filter(|index| !index.starts_with(b"DIRC\0\0\0\x02"))
    }

    /// What the agent's git was told to check out alone, in git's own words; `None` where it was told nothing.
    pub(super) fn sparse_patterns(&self) -> Result<Option<Vec<u8>>, WorkError> {
        let info = match self.folder.enter(OsStr::new("info")) {
            Ok(info) => info,
            Err(error) if is_absence(&error) => return Ok(None),
            Err(error) => return Err(self.unread("info", error)),
        };
        match info.read(OsStr::new("sparse-checkout"), EXCLUDE_LIMIT) {
            Ok(text) => Ok(Some(text)),
            Err(error) if is_absence(&error) => Ok(None),
            Err(error) => Err(self.unread("info/sparse-checkout", error)),
        }
    }

    /// Adds the objects of a pack, whose index comes last among its files.
    pub(super) fn add(&self, files: &[PathBuf]) -> io::Result<()> {
        let packs = self.folder.enter(OsStr::new("objects"))?.enter_or_make(OsStr::new("pack"))?;
        for file in files {
            let name = file.file_name().ok_or_else(|| io::Error::other("a pack file must have a name"))?;
            packs.put(name, File::open(file)?)?;
        }
        Ok(())
    }

    /// Lets the agent find itself on `commit`, with `pack` holding the new objects and `index` saying
    /// that the work tree is what was committed. In this order: a kill in between leaves a sandbox
    /// whose left-over changes are committed once more, and no half reference.
    pub(super) fn advance(&self, standing: &Standing, commit: &str, files: &NewFiles) -> io::Result<()> {
        self.add(&files.packs)?;
        self.folder.put(OsStr::new("index"), File::open(&files.index)?)?;
        let line = format!("{commit}\n");
        let (folders, name) = split(&standing.reference);
        let mut place = None;
        for part in folders {
            place = Some(place.as_ref().unwrap_or(&self.folder).enter_or_make(OsStr::from_bytes(part))?);
        }
        place.as_ref().unwrap_or(&self.folder).put(OsStr::from_bytes(name), line.as_bytes())
    }

    /// Adds `lines` to what git ignores here.
    pub(super) fn ignore(&self, lines: &[u8]) -> io::Result<()> {
        let (info, name) = (self.folder.enter_or_make(OsStr::new("info"))?, OsStr::new("exclude"));
        let before = match info.read(name, EXCLUDE_LIMIT) {
            Ok(before) => before,
            Err(error) if error.kind() == io::ErrorKind::NotFound => Vec::new(),
            Err(error) => return Err(error),
        };
        info.put(name, &*[&before, lines].concat())
    }

    fn value(&self, reference: &[u8]) -> Result<Value, WorkError> {
        let named = || String::from_utf8_lossy(reference).into_owned();
        let text = match self.read_loose(reference) {
            Ok(text) => text,
            Err(error) if is_absence(&error) => return self.packed(reference),
            Err(error) => return Err(self.unread(&named(), error)),
        };
        let text = text.trim_ascii();
        if let Some(target) = text.strip_prefix(b"ref:") {
            let target = target.trim_ascii();
            if is_reference(target) {
                return Ok(Value::Reference(target.to_vec()));
            }
        } else if let Some(commit) = commit(text) {
            return Ok(Value::Commit(commit));
        }
        Err(self.unread(&named(), io::Error::other("it is no reference that git writes")))
    }

    fn read_loose(&self, reference: &[u8]) -> io::Result<Vec<u8>> {
        let (folders, name) = split(reference);
        let mut place = None;
        for part in folders {
            place = Some(place.as_ref().unwrap_or(&self.folder).enter(OsStr::from_bytes(part))?);
        }
        place.as_ref().unwrap_or(&self.folder).read(OsStr::from_bytes(name), REFERENCE_LIMIT)
    }

    fn packed(&self, reference: &[u8]) -> Result<Value, WorkError> {
        let text = match self.folder.read(OsStr::new("packed-refs"), PACKED_LIMIT) {
            Ok(text) => text,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Value::Absent),
            Err(error) => return Err(self.unread("packed-refs", error)),
        };
        let found = text.split(|byte| *byte == b'\n').find_map(|line| {
            let (id, name) = line.split_at_checked(line.iter().position(|byte| *byte == b' ')?)?;
            (name[1..] == *reference).then(|| commit(id)).flatten()
        });
        Ok(found.map_or(Value::Absent, Value::Commit))
    }

    fn unread(&self, name: &str, source: io::Error) -> WorkError {
        WorkError::Unread { path: self.path.join(name), source }
    }
}

/// What [`AgentGit::advance`] puts into the sandbox.
#[derive(Debug)]
pub(super) struct NewFiles {
    /// Pack files; the index of a pack, which makes it count, comes last.
    pub(super) packs: Vec<PathBuf>,
    /// The index to be.
    pub(super) index: PathBuf,
}

enum Value {
    Commit(String),
    Reference(Vec<u8>),
    Absent,
}

/// A line of `packed-refs`; those of peeled tags begin with `^`, and comments with `#`.
fn packed_reference(line: &[u8]) -> Option<(String, String)> {
    let (id, name) = line.split_at_checked(line.iter().position(|byte| *byte == b' ')?)?;
    Some((String::from_utf8_lossy(&name[1..]).into_owned(), commit(id)?))
}

fn split(reference: &[u8]) -> (impl Iterator<Item = &[u8]>, &[u8]) {
    let end = reference.iter().rposition(|byte| *byte == b'/');
    let (folders, name) = end.map_or((&b""[..], reference), |end| (&reference[..end], &reference[end + 1..]));
    (folders.split(|byte| *byte == b'/').filter(|part| !part.is_empty()), name)
}

/// A folder on the way that is a file or missing means that the reference is not a loose one; a name
/// too long for the file system cannot be one either.
fn is_absence(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::InvalidFilename)
}

fn commit(text: &[u8]) -> Option<String> {
    let hex = matches!(text.len(), 40 | 64) && text.iter().all(u8::is_ascii_hexdigit);
    hex.then(|| String::from_utf8_lossy(text).to_ascii_lowercase())
}

/// Git's own rules in short: parts that are names of files, nothing below 0x20.
fn is_reference(name: &[u8]) -> bool {
    let parts = || name.split(|byte| *byte == b'/');
    name.starts_with(b"refs/")
        && name.len() < 2048
        && name.iter().all(|byte| !byte.is_ascii_control())
        && parts().all(|part| !part.is_empty() && !part.starts_with(b"."))
}

#[cfg(test)]
mod tests;
