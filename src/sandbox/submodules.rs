//! Submodules of a sandbox, filled from what the project has of them: no address is asked, and nothing of a
//! submodule's own configuration comes along but its remotes.

use std::{
    collections::BTreeMap,
    ffi::OsStr,
    fs, io,
    os::unix::{ffi::OsStrExt as _, fs::DirBuilderExt as _},
    path::{Component, Path, PathBuf},
};

use super::{
    beyond::Beyond,
    clone_config::{clone_config, without_password},
    create::{Depth, Objects, copy_repository},
    create_error::CreateError,
    git::Git,
    project_config,
};

/// How deep submodules of submodules are filled.
const DEPTH: usize = 5;

/// A work tree whose submodules are to be filled, and where what it has of them stands.
struct Level<'a> {
    /// The work tree of the project, or of one of its submodules.
    root: &'a Path,
    /// Its git directory.
    git: &'a Path,
    /// The work tree of the clone.
    clone: &'a Path,
    /// The clone's git directory.
    clone_git: &'a Path,
    /// Where the clone's files will stand in the sandbox, for people.
    shown: &'a Path,
    /// What its work tree was spared.
    beyond: &'a Beyond,
}

/// A submodule that a commit names.
#[derive(Debug, PartialEq, Eq)]
struct Submodule {
    name: String,
    path: PathBuf,
    commit: String,
}

/// Fills the submodules of the new clone `clone` of the project at `root` with the git directory `common`, each at the
/// commit that the clone names, and those within them; sentences about those that the project does not have. Those
/// that are `beyond` stay away.
pub(super) fn fill(
    git: &Git,
    root: &Path,
    common: &Path,
    (clone, beyond): (&Path, &Beyond),
) -> Result<Vec<String>, CreateError> {
    let mut notes = Vec::new();
    let (clone_git, shown) = (&clone.join(".git"), Path::new(""));
    let level = Level { root, git: common, clone, clone_git, shown, beyond };
    level.fill(git, 0, &mut notes)?;
    Ok(notes)
}

impl Level<'_> {
    fn fill(&self, git: &Git, depth: usize, notes: &mut Vec<String>) -> Result<(), CreateError> {
        let named = self.clone.join(".gitmodules");
        if depth == DEPTH || !fs::symlink_metadata(&named).is_ok_and(|found| found.is_file()) {
            return Ok(());
        }
        let listed = git.alone("config").args(["--list", "-z", "--file"]).arg(&named).succeed()?;
        let entries = git.project(self.clone, "ls-files").args(["--stage", "-z"]).succeed()?;
        let is_wanted = |submodule: &Submodule| !self.beyond.has(submodule.path.as_os_str().as_bytes());
        for submodule in submodules(&listed, &entries).into_iter().filter(is_wanted) {
            let shown = self.shown.join(&submodule.path);
            if !self.one(git, &submodule, &shown, depth, notes)? {
                notes.push(format!(
                    "the project has not filled in the submodule `{}`, or not its commit, so it is empty here",
                    shown.display()
                ));
            }
        }
        Ok(())
    }

    /// `false` where the project lacks it.
    fn one(
        &self,
        git: &Git,
        submodule: &Submodule,
        shown: &Path,
        depth: usize,
        notes: &mut Vec<String>,
    ) -> Result<bool, CreateError> {
        let Some(source) = self.source(submodule) else { return Ok(false) };
        let target = self.clone_git.join("modules").join(&submodule.name);
        let work = self.clone.join(&submodule.path);
        let files = |source| CreateError::Files { directory: work.clone(), source };
        if let Some(parent) = target.parent() {
            fs::DirBuilder::new().recursive(true).mode(0o700).create(parent).map_err(files)?;
        }
        copy_repository(git, &source, Depth::of(&source), Objects::Copied, &target)?;
        let has = git
            .project(&target, "cat-file")
            .args(["-e", &format!("{}^{{commit}}", submodule.commit)])
            .run()?;
        if !has.status.success() {
            super::removal::remove_folder(&target).map_err(files)?;
            return Ok(false);
        }
        let root = self.root.join(&submodule.path);
        let config = project_config::read(git, &source)?;
        let written = fs::read_to_string(target.join("config")).map_err(files)?;
        let text = clone_config(&written, &root, &config);
        fs::write(target.join("config"), with_work_tree(&text, &between(&target, &work))).map_err(files)?;
        fs::create_dir_all(&work).map_err(files)?;
        let back = between(&work, &target);
        fs::write(work.join(".git"), format!("gitdir: {}\n", back.display())).map_err(files)?;
        git.project(&work, "checkout")
            .args(["--quiet", "--force", "--detach", &submodule.commit, "--"])
            .succeed()?;
        let url = config
            .remotes
            .get("origin")
            .and_then(|remote| remote.urls.first())
            .map(|url| without_password(url));
        self.register(submodule, url.as_deref()).map_err(files)?;
        let beyond = &Beyond::default();
        let below = Level { root: &root, git: &source, clone: &work, clone_git: &target, shown, beyond };
        below.fill(git, depth + 1, notes)?;
        Ok(true)
    }

    /// Where the project keeps the submodule's objects: below its own git directory, or, made by an old git or by
    /// hand, in the submodule's own. No link is followed on the way there.
    fn source(&self, submodule: &Submodule) -> Option<PathBuf> {
        let own = (self.git, Path::new("modules").join(&submodule.name));
        let inner = (self.root, submodule.path.join(".git"));
        let found = [own, inner].into_iter().find(|(root, below)| {
            let place = root.join(below);
            leads_through_folders(root, below) && is_kind(&place.join("HEAD"), fs::FileType::is_file)
        });
        found.map(|(root, below)| root.join(below))
    }

    /// Has the agent's git know it as one that is filled in, with its true address.
    fn register(&self, submodule: &Submodule, url: Option<&str>) -> io::Result<()> {
        let path = self.clone_git.join("config");
        let mut text = fs::read_to_string(&path)?;
        super::clone_config::put_submodule(&mut text, &submodule.name, url);
        fs::write(path, text)
    }
}

/// The submodules that `names` (`git config --list -z` of `.gitmodules`) and `entries` (`git ls-files --stage -z`) agree on.
/// A name or a path that leads out of its place is none.
fn submodules(names: &[u8], entries: &[u8]) -> Vec<Submodule> {
    let mut paths = BTreeMap::new();
    for entry in names.split(|byte| *byte == 0) {
        let Some((key, value)) = std::str::from_utf8(entry).ok().and_then(|entry| entry.split_once('\n'))
        else {
            continue;
        };
        if let Some(name) = key.strip_prefix("submodule.").and_then(|key| key.strip_suffix(".path")) {
            paths.insert(value.to_owned(), name.to_owned());
        }
    }
    let submodule = |entry: &[u8]| {
        let tab = entry.iter().position(|byte| *byte == b'\t')?;
        let commit = std::str::from_utf8(entry[..tab].strip_prefix(b"160000 ")?).ok()?.split(' ').next()?;
        let path = std::str::from_utf8(&entry[tab + 1..]).ok()?;
        let name = paths.get(path)?;
        let (is_plain, commit) = (is_plain(name) && is_plain(path), commit.to_owned());
        is_plain.then(|| Submodule { name: name.clone(), path: PathBuf::from(path), commit })
    };
    entries.split(|byte| *byte == 0).filter_map(submodule).collect()
}

/// Whether every part of `below` is a folder in the one before it, the first in `root`, and none is a link.
fn leads_through_folders(root: &Path, below: &Path) -> bool {
    let mut place = root.to_owned();
    below.components().all(|part| {
        place.push(part);
        is_kind(&place, fs::FileType::is_dir)
    })
}

fn is_kind(path: &Path, kind: fn(&fs::FileType) -> bool) -> bool {
    fs::symlink_metadata(path).is_ok_and(|found| kind(&found.file_type()))
}

fn is_plain(path: &str) -> bool {
    let fine =
        |part: Component<'_>| matches!(part, Component::Normal(name) if name != OsStr::from_bytes(b".git"));
    !path.is_empty() && !path.starts_with('-') && Path::new(path).components().all(fine)
}

/// The way from the folder `from` to `to`, which keeps when both are moved together.
fn between(from: &Path, to: &Path) -> PathBuf {
    let shared = from.components().zip(to.components()).take_while(|(one, other)| one == other).count();
    let up = from.components().skip(shared).map(|_| Component::ParentDir);
    up.chain(to.components().skip(shared)).collect()
}

fn with_work_tree(text: &str, work: &Path) -> String {
    let mut text = text.to_owned();
    super::clone_config::put_work_tree(&mut text, &work.to_string_lossy());
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_submodule_has_a_name_a_path_and_a_commit_that_stay_in_their_places() {
        let names =
            b"submodule.lib/one.path\nlib/one\0submodule.lib/one.url\n../one\0submodule.../../x.path\nevil\0\
            submodule.up.path\n../up\0submodule.git.path\na/.git/b\0submodule.unused.path\nunused\0";
        let entries =
            b"100644 aa 0\t.gitmodules\x00160000 c0ffee 0\tlib/one\x00160000 bb 0\tevil\x00160000 cc 0\tnameless\0\
            160000 dd 0\ta/.git/b\0";
        let found = submodules(names, entries);
        let (name, path, commit) = ("lib/one".to_owned(), "lib/one".into(), "c0ffee".to_owned());
        assert_eq!(found, [Submodule { name, path, commit }]);
    }

    #[test]
    fn the_way_between_two_folders_leads_from_one_to_the_other() {
        let way = |from: &str, to: &str| between(Path::new(from), Path::new(to)).display().to_string();
        assert_eq!(way("/s/1/.git/modules/a", "/s/1/lib/a"), "../../../lib/a");
        assert_eq!(way("/s/1/lib/a", "/s/1/.git/modules/a"), "../../.git/modules/a");
        assert_eq!(way("/s/1/.git/modules/a/modules/b", "/s/1/lib/a/b"), "../../../../../lib/a/b");
    }
}
