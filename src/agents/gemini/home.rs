//! Where Gemini CLI finds what is its own.
//!
//! It takes settings that win over a person's only from files of root's, and everything else from one home. A run is
//! given a home of its own, so that no settings, servers or extensions of the person's count and what they keep
//! there is left alone; its sessions lie there and live as long as the sandbox they speak of.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
};

use super::folder_in;
use crate::{agents::own_place::path_in, ids::Secret};

/// The home beside the sandbox `directory`; `None` where nothing can stand beside it.
pub(super) fn beside(directory: &Path) -> Option<PathBuf> {
    let mut name = directory.file_name()?.to_owned();
    name.push(".gemini");
    Some(directory.with_file_name(name))
}

/// Where the person's own login by hand lies, in a run with `environment`.
pub(super) fn login_file(environment: &BTreeMap<String, Secret>) -> Option<PathBuf> {
    let home = path_in(environment, "GEMINI_CLI_HOME").or_else(|| path_in(environment, "HOME"))?;
    Some(folder_in(&home).join("oauth_creds.json"))
}
