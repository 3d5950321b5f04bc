//! The configuration callbox's own git runs with, so that no one else's decides what it does.
//!
//! It stands in a file that `GIT_CONFIG_GLOBAL` names, because what `-c` says does not reach the
//! `upload-pack` that a clone or fetch starts. What a project's own configuration must not override
//! is said again through `GIT_CONFIG_COUNT`, which wins over every file.

use std::{
    fs::{self, DirBuilder, OpenOptions},
    io::{self, Write as _},
    os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _},
    path::{Path, PathBuf},
};

use crate::ids::UniqueId;

/// Values that win over every file. They stop git from running or writing anything on the side.
pub(super) const OVERRIDES: [(&str, &str); 11] = [
    ("safe.directory", "*"),
    ("core.hooksPath", "/dev/null"),
    ("core.fsmonitor", "false"),
    ("core.askPass", ""),
    ("commit.gpgSign", "false"),
    ("tag.gpgSign", "false"),
    ("gc.auto", "0"),
    ("maintenance.auto", "false"),
    ("fetch.prune", "false"),
    ("fetch.writeCommitGraph", "false"),
    ("submodule.recurse", "false"),
];

/// `safe.directory`: projects and sandboxes may belong to another user (containers, CI).
/// `protocol`: nothing but local paths, so that no URL out of a project is ever contacted.
const TEXT: &str = "\
# Written by callbox for its own git. Changes are lost.
[safe]
\tdirectory = *
[core]
\thooksPath = /dev/null
\tfsmonitor = false
\tattributesFile = /dev/null
\texcludesFile = /dev/null
[protocol]
\tallow = never
[protocol \"file\"]
\tallow = always
[commit]
\tgpgSign = false
[gc]
\tauto = 0
[maintenance]
\tauto = false
[init]
\tdefaultBranch = main
";

/// The folder with the file, an empty HOME and an empty template for new clones.
#[derive(Debug, Clone)]
pub(super) struct Configuration {
    folder: PathBuf,
}

impl Configuration {
    /// Writes the folder; safe to repeat and to race with another callbox process.
    pub(super) fn write(folder: &Path) -> io::Result<Self> {
        let configuration = Self { folder: std::path::absolute(folder)? };
        for below in ["", "home", "template/hooks", "template/info"] {
            DirBuilder::new().recursive(true).mode(0o700).create(configuration.folder.join(below))?;
        }
        let new = configuration.scratch("gitconfig");
        OpenOptions::new().write(true).create_new(true).mode(0o600).open(&new)?.write_all(TEXT.as_bytes())?;
        fs::rename(&new, configuration.file())?;
        Ok(configuration)
    }

    pub(super) fn file(&self) -> PathBuf {
        self.folder.join("gitconfig")
    }

    pub(super) fn home(&self) -> PathBuf {
        self.folder.join("home")
    }

    pub(super) fn template(&self) -> PathBuf {
        self.folder.join("template")
    }

    /// A path in the folder that nothing else uses; whoever makes something there removes it.
    pub(super) fn scratch(&self, kind: &str) -> PathBuf {
        self.folder.join(format!("{kind}-{}", UniqueId::mint()))
    }
}
