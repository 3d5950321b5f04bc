//! A sandbox that comes from another place: first looked at, in a repository of callbox's own, then made again.

use std::{
    fs::DirBuilder,
    io,
    os::unix::fs::DirBuilderExt as _,
    path::{Path, PathBuf},
};

use super::{
    base::BaseRequest,
    carrier::{Carrier, Hash},
    create::{CreateRequest, create},
    create_error::CreateError,
    git::Git,
    git_error::GitError,
    project::Project,
    snapshot::Snapshot,
    view::View,
    work_error::WorkError,
};

/// Bytes that what comes may have once it is unpacked.
const LARGEST: u64 = 2 << 30;

/// How a sandbox stood, as somebody says.
#[derive(Debug, Clone, Copy)]
pub struct Claim<'a> {
    /// The commit it was made from; absent where there is no project.
    pub base: Option<&'a str>,
    /// The commit it stood on; absent where there is no project.
    pub head: Option<&'a str>,
    /// A commit of what was not committed.
    pub work: Option<&'a str>,
    /// The bundle that came along.
    pub bundle: Option<&'a [u8]>,
}

/// Why it cannot be made again. Nothing was written beside callbox's own folder.
#[derive(Debug, thiserror::Error)]
pub enum ArrivalError {
    /// The project is not the one it was made of, or is behind.
    #[error("the project `{}` has no commit {}", project.display(), missing.get(..12).unwrap_or(missing))]
    Lacks {
        /// The project.
        project: PathBuf,
        /// The first commit that it lacks.
        missing: String,
    },
    /// What came is not what was said to come.
    #[error("the work that came along is not what the archive says: {0}")]
    Untrue(String),
    /// There is too much of it.
    #[error("the work that came along has more than {LARGEST} bytes once it is unpacked")]
    TooLarge,
    /// The sandbox could not be made.
    #[error(transparent)]
    Create(#[from] CreateError),
    /// The work in it could not be read again.
    #[error(transparent)]
    Work(#[from] WorkError),
    /// A folder could not be made.
    #[error("the folder `{}` cannot be made", directory.display())]
    Folder {
        /// The folder.
        directory: PathBuf,
        /// The system's reason.
        source: io::Error,
    },
    /// Git failed.
    #[error("the work that came along could not be read")]
    Git(#[from] GitError),
}

impl ArrivalError {
    /// What to do about it.
    pub fn hint(&self) -> Option<&'static str> {
        match self {
            Self::Lacks { .. } => Some(
                "fetch it there, or name another clone with `--project DIR`; a commit that was never pushed must be \
                 brought to it first",
            ),
            Self::Untrue(_) => Some("have the archive made again"),
            Self::TooLarge => Some("leave the largest files out of the sandbox"),
            Self::Create(error) => error.hint(),
            Self::Work(_) | Self::Folder { .. } | Self::Git(_) => None,
        }
    }
}

/// What came and was looked at.
#[derive(Debug)]
pub struct Arrival {
    carrier: Carrier,
    base: Option<String>,
    head: Option<String>,
    work: Option<String>,
}

/// Looks at what is claimed to come, for `project` where there is one: every object of it is whole, and leads to
/// nothing that is not there.
pub fn look(git: &Git, claim: &Claim<'_>, project: Option<&Project>) -> Result<Arrival, ArrivalError> {
    let untrue = |what: &str| ArrivalError::Untrue(what.to_owned());
    if claim.base.is_some() != claim.head.is_some() || claim.head.is_some() != project.is_some() {
        return Err(untrue("it has a project, or has none, where its task is otherwise"));
    }
    let hash = Hash::of(claim.head.or(claim.work).unwrap_or_default());
    let carrier = Carrier::new(git, hash, project.map(|project| &*project.common))?;
    let named = [("head", claim.head), ("base", claim.base), ("work", claim.work)];
    if let Some(bundle) = claim.bundle {
        for commit in prerequisites(bundle).ok_or_else(|| untrue("its bundle has no beginning"))? {
            if !carrier.has(git, &commit)? {
                let project = project.ok_or_else(|| untrue("its bundle builds on what is not there"))?;
                return Err(ArrivalError::Lacks { project: project.root.clone(), missing: commit });
            }
        }
        take(git, &carrier, bundle, &named)?;
    }
    for commit in named.iter().filter_map(|(_, commit)| *commit) {
        if !carrier.has(git, commit)? {
            return Err(match project {
                Some(project) => {
                    ArrivalError::Lacks { project: project.root.clone(), missing: commit.to_owned() }
                }
                None => untrue("a commit that it names did not come"),
            });
        }
    }
    if let Some(work) = claim.work {
        let parents = carrier.git(git, "rev-list").args(["--parents", "--max-count=1", work, "--"]).line()?;
        if parents.split(' ').skip(1).collect::<Vec<_>>() != claim.head.into_iter().collect::<Vec<_>>() {
            return Err(untrue("what was not committed stands on another commit"));
        }
    }
    let owned = |commit: Option<&str>| commit.map(str::to_owned);
    Ok(Arrival { carrier, base: owned(claim.base), head: owned(claim.head), work: owned(claim.work) })
}

/// Takes the objects out of the bundle, each checked, and no reference but those that are named.
fn take(
    git: &Git,
    carrier: &Carrier,
    bundle: &[u8],
    named: &[(&str, Option<&str>); 3],
) -> Result<(), ArrivalError> {
    let file = carrier.file("bundle", bundle).map_err(|source| GitError::Files { verb: "bundle", source })?;
    let heads = carrier.git(git, "bundle").arg("list-heads").arg(&file).succeed();
    let heads = heads.map_err(|error| ArrivalError::Untrue(error.to_string()))?;
    for line in String::from_utf8_lossy(&heads).lines() {
        let said = |(name, commit): &(&str, Option<&str>)| {
            commit.is_some_and(|commit| line == format!("{commit} refs/callbox/{name}"))
        };
        if !named.iter().any(said) {
            return Err(ArrivalError::Untrue(format!("its bundle holds `{line}`")));
        }
    }
    carrier
        .git(git, "fetch")
        .config("fetch.fsckObjects", "true")
        .config("transfer.fsckObjects", "true")
        .config("fetch.unpackLimit", "1")
        .args([
            "--quiet",
            "--no-write-fetch-head",
            "--no-auto-gc",
            "--no-tags",
            "--no-recurse-submodules",
            "--",
        ])
        .arg(&file)
        .arg("refs/callbox/*:refs/callbox/*")
        .succeed()
        .map_err(|error| ArrivalError::Untrue(error.to_string()))?;
    if unpacked(git, carrier)? > LARGEST { Err(ArrivalError::TooLarge) } else { Ok(()) }
}

/// The bytes of all objects that came.
fn unpacked(git: &Git, carrier: &Carrier) -> Result<u64, ArrivalError> {
    let mut sum: u64 = 0;
    let packs = std::fs::read_dir(carrier.packs());
    for entry in packs.map_err(|source| GitError::Files { verb: "show-index", source })?.flatten() {
        let path = entry.path();
        if path.extension().is_none_or(|kind| kind != "idx") {
            continue;
        }
        let index = std::fs::read(&path).map_err(|source| GitError::Files { verb: "show-index", source })?;
        let listed = carrier.git(git, "show-index").input(index).succeed()?;
        let listed = String::from_utf8_lossy(&listed).into_owned();
        let names: String =
            listed.lines().filter_map(|line| Some(format!("{}\n", line.split(' ').nth(1)?))).collect();
        let sizes = carrier.git(git, "cat-file").arg("--batch-check=%(objectsize)").input(names.into_bytes());
        let sizes = String::from_utf8_lossy(&sizes.succeed()?).into_owned();
        sum = sizes.lines().filter_map(|size| size.parse::<u64>().ok()).fold(sum, u64::saturating_add);
    }
    Ok(sum)
}

/// The commits that a bundle builds on, as its beginning says; `None` where it has none that git writes.
fn prerequisites(bundle: &[u8]) -> Option<Vec<String>> {
    let mut commits = Vec::new();
    let mut lines = bundle.split(|byte| *byte == b'\n');
    lines.next().filter(|line| line.starts_with(b"# v") && line.ends_with(b" git bundle"))?;
    for line in lines {
        match line.first() {
            None => return Some(commits),
            Some(b'-') => {
                let commit = line[1..].split(|byte| *byte == b' ').next().unwrap_or_default();
                let is_commit = matches!(commit.len(), 40 | 64) && commit.iter().all(u8::is_ascii_hexdigit);
                commits.push(String::from_utf8_lossy(commit).into_owned());
                if !is_commit {
                    return None;
                }
            }
            Some(_) => {}
        }
    }
    None
}

impl Arrival {
    /// Makes the sandbox again as `request` says, on the commit that it stood on whatever base is asked for, with what
    /// was not committed uncommitted; sentences for the person.
    pub fn settle(
        &self,
        git: &Git,
        request: &CreateRequest<'_>,
        delivered: Option<(&str, &str)>,
    ) -> Result<Vec<String>, ArrivalError> {
        let (Some(base), Some(head)) = (&self.base, &self.head) else {
            return Err(ArrivalError::Untrue("it has no project".to_owned()));
        };
        let packs = &*self.carrier.packs();
        let base = BaseRequest::Moved { base, head, delivered, packs };
        let created = create(git, &CreateRequest { base, ..*request })?;
        if let Some(work) = &self.work {
            let run = |verb| git.project(request.directory, verb);
            run("read-tree").args(["-m", "-u", head, work]).succeed()?;
            run("reset").args(["--quiet", "--mixed", head, "--"]).succeed()?;
            self.compare(git, request.directory, (&created.base_commit, head, work))?;
        }
        Ok(created.notes)
    }

    /// Whether everything that was not committed stands there again.
    fn compare(
        &self,
        git: &Git,
        directory: &Path,
        (base, head, work): (&str, &str, &str),
    ) -> Result<(), ArrivalError> {
        let view = View::open(directory, base)?;
        let snapshot = Snapshot::of(git, &view, head)?;
        let tree = snapshot.tree(&snapshot.changes()?)?;
        let wanted =
            self.carrier.git(git, "rev-parse").args(["--verify", &format!("{work}^{{tree}}")]).line()?;
        if tree == wanted {
            return Ok(());
        }
        Err(ArrivalError::Untrue(
            "what was not committed does not stand in the new sandbox as it stood".to_owned(),
        ))
    }

    /// Makes the folder of a task without a project again.
    pub fn settle_files(&self, git: &Git, directory: &Path) -> Result<(), ArrivalError> {
        let made = DirBuilder::new().recursive(true).mode(0o700).create(directory);
        made.map_err(|source| ArrivalError::Folder { directory: directory.to_owned(), source })?;
        let Some(work) = &self.work else { return Ok(()) };
        let run = self.carrier.git(git, "read-tree").env("GIT_WORK_TREE", directory).in_folder(directory);
        run.args(["-u", "--reset", work]).succeed()?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_bundle_builds_on_is_read_and_what_is_none_has_no_beginning() {
        let commit = "a".repeat(40);
        let bundle = format!("# v2 git bundle\n-{commit} the beginning\n{commit} refs/callbox/head\n\nPACK");
        assert_eq!(prerequisites(bundle.as_bytes()), Some(vec![commit.clone()]));
        for wrong in
            ["", "PACK", "# v2 git bundle", "# v2 git bundle\n--all x\n\n", &format!("-{commit}\n\n")]
        {
            assert_eq!(prerequisites(wrong.as_bytes()), None, "{wrong}");
        }
    }
}
