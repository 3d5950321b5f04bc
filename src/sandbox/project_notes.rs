//! What a person should know about a project before an agent works on a clone of it.

use std::{
    fs::File,
    io::Read as _,
    path::{Path, PathBuf},
};

/// Files whose packages an agent will have to install first.
const LOCK_FILES: [&str; 11] = [
    "package-lock.json",
    "pnpm-lock.yaml",
    "yarn.lock",
    "bun.lock",
    "uv.lock",
    "poetry.lock",
    "Pipfile.lock",
    "Gemfile.lock",
    "composer.lock",
    "mix.lock",
    "pubspec.lock",
];

/// What a task does about what a clone lacks.
#[derive(Debug, Clone, Copy, Default)]
pub struct Prepared<'a> {
    /// The command that makes a sandbox ready.
    pub setup: Option<&'a str>,
    /// What is copied.
    pub copy: &'a [PathBuf],
    /// What becomes of submodules.
    pub submodules: Submodules,
}

/// What becomes of the submodules of a project in a sandbox.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Submodules {
    /// They are empty folders.
    #[default]
    Empty,
    /// They are filled from what the project has of them.
    Filled,
}

/// One thing that a clone of a project lacks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lack {
    /// Changes that are not committed, in so many files.
    Changes(usize),
    /// What stands in submodules.
    Submodules,
    /// Files that Git LFS keeps elsewhere.
    LargeFiles,
    /// The file `.env`.
    Environment,
    /// The packages that this lock file names.
    Packages(&'static str),
}

impl Lack {
    /// The sentence for the person of a task that is `prepared` like this; `None` where that cares for it.
    pub fn said(self, prepared: Prepared<'_>) -> Option<String> {
        let Prepared { setup, copy, submodules } = prepared;
        let unprepared = |text: &str| setup.is_none().then(|| text.to_owned());
        match self {
            Self::Changes(1) => Some("1 changed file is not included".to_owned()),
            Self::Changes(many) => Some(format!("{many} changed files are not included")),
            Self::Submodules if submodules == Submodules::Filled => None,
            Self::Submodules => unprepared("submodules are not filled in: `submodules: yes` does that"),
            Self::LargeFiles => unprepared("files kept by Git LFS are pointers"),
            Self::Environment if copy.iter().any(|path| path == Path::new(".env")) => None,
            Self::Environment => unprepared("`.env` is not copied: `copy: [.env]` does that"),
            Self::Packages(lock) => unprepared(&format!(
                "the packages in `{lock}` are not installed: `setup` names a command that does that"
            )),
        }
    }
}

/// What a clone of the work tree `root` lacks.
pub(super) fn lacks(root: &Path, uncommitted: usize) -> Vec<Lack> {
    let lock = LOCK_FILES.into_iter().find(|name| root.join(name).is_file());
    let found = [
        (uncommitted > 0).then_some(Lack::Changes(uncommitted)),
        root.join(".gitmodules").is_file().then_some(Lack::Submodules),
        mentions_lfs(&root.join(".gitattributes")).then_some(Lack::LargeFiles),
        root.join(".env").is_file().then_some(Lack::Environment),
        lock.map(Lack::Packages),
    ];
    found.into_iter().flatten().collect()
}

fn mentions_lfs(attributes: &Path) -> bool {
    let mut text = Vec::new();
    // An attributes file that cannot be read only costs the note.
    let read = File::open(attributes).and_then(|file| file.take(1 << 20).read_to_end(&mut text));
    read.is_ok() && String::from_utf8_lossy(&text).contains("filter=lfs")
}
