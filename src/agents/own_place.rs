//! Where an agent program keeps what is its own.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
};

use crate::{ids::Secret, vocabulary::AgentDescription};

/// A place that an isolated agent program must be able to write to beside its sandbox, absolute.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum OwnPlace {
    /// A folder; it is made where it is missing.
    Folder(PathBuf),
    /// A file outside these folders; where it is missing, it cannot be made.
    File(PathBuf),
}

impl OwnPlace {
    /// Where it is.
    pub fn path(&self) -> &Path {
        let (Self::Folder(path) | Self::File(path)) = self;
        path
    }
}

/// The absolute path that the variable `name` of `environment` holds.
pub(super) fn path_in(environment: &BTreeMap<String, Secret>, name: &str) -> Option<PathBuf> {
    environment.get(name).map(|value| PathBuf::from(value.expose())).filter(|path| path.is_absolute())
}

/// The folders that `description` names, in a run with `environment`; without a home those below it are left out.
pub(super) fn described_folders(
    description: &AgentDescription,
    environment: &BTreeMap<String, Secret>,
) -> Vec<OwnPlace> {
    let home = path_in(environment, "HOME");
    let place = |folder: &String| match folder.strip_prefix("~/") {
        Some(below) => Some(home.as_ref()?.join(below)),
        None => Some(PathBuf::from(folder)),
    };
    description.folders.iter().filter_map(place).map(OwnPlace::Folder).collect()
}
