//! The configuration from the disk.

use std::{
    io,
    path::{Path, PathBuf},
};

use super::{
    Settings,
    agents::agents,
    gc::gc,
    limits::limits,
    notify::notify,
    preamble::preamble,
    projects::projects,
    quotas::{budget, max_concurrent},
    sandbox::sandbox,
};
use crate::{
    document::{Faults, FileError, Node, entries, list, read_text, read_toml, text},
    taskfile::{COMPARES, PartialSpec, Reading, compares, read_field},
};

/// A configuration that was refused whole.
pub type SettingsError = FileError;

/// Told the name of an agent and a key: why that key of `[agents.NAME]` is of no use to that agent, as the end of a sentence that begins with the key;
/// `None` where it is of use.
pub type KeyRefusal<'a> = &'a dyn Fn(&str, &str) -> Option<&'static str>;

/// What the file may say of agents.
#[derive(Clone, Copy)]
pub struct KnownAgents<'a> {
    /// The names of those there are.
    pub names: &'a [&'a str],
    /// Which keys are of no use to one.
    pub refusal: KeyRefusal<'a>,
}

/// Fields of a task that are each task's own, so that a default for them is a slip.
const OWN: [&str; 3] = ["name", "instructions", "after"];
/// What else the file may hold, for the suggestion to a slip.
pub(super) const ALSO: [&str; 11] = [
    "max_concurrent",
    "preamble",
    "agents",
    "limits",
    "env_file",
    "caches",
    "projects",
    "sandbox",
    "gc",
    "budget",
    "notify",
];

/// Reads the configuration at `path`, or refuses it whole with everything that is wrong with it.
/// Where no such file is, the configuration is the default one.
pub fn load(path: &Path, known: KnownAgents<'_>) -> Result<Settings, SettingsError> {
    let text = match read_text(path) {
        // A link that leads nowhere is a slip of whoever made it, and no wish for the defaults.
        Err(FileError::Unreadable { source, .. })
            if source.kind() == io::ErrorKind::NotFound && !path.is_symlink() =>
        {
            return Ok(Settings::default());
        }
        text => text?,
    };
    let wrong = |faults| FileError::Wrong { path: path.to_owned(), faults };
    let tree = read_toml(&text).map_err(wrong)?;
    let absolute = std::path::absolute(path)
        .map_err(|source| FileError::Unreadable { path: path.to_owned(), source })?;
    let mut faults = Faults::default();
    let settings = settings(&tree, absolute.parent().unwrap_or(Path::new("/")), known, &mut faults);
    faults.into_result(settings).map_err(wrong)
}

fn settings(tree: &Node, directory: &Path, known: KnownAgents<'_>, faults: &mut Faults) -> Settings {
    let mut settings = Settings::default();
    let mut reading = Reading { spec: PartialSpec::default(), directory, faults };
    for entry in entries(tree, "config", reading.faults).unwrap_or_default() {
        let faults = &mut *reading.faults;
        match entry.key.as_str() {
            "max_concurrent" => {
                let number = max_concurrent(entry, "max_concurrent", faults);
                settings.quotas.max_concurrent = number.unwrap_or(settings.quotas.max_concurrent);
            }
            "budget" => budget(&entry.value, &mut settings, faults),
            "preamble" => settings.preamble = preamble(&entry.value, "preamble", faults),
            "env_file" => {
                let path = text(&entry.value, "env_file", faults);
                settings.env_file = path.map(|path| directory.join(path));
            }
            "caches" => settings.caches = caches(&entry.value, faults),
            "sandbox" => settings.sandbox = sandbox(&entry.value, faults),
            "notify" => settings.notify = notify(&entry.value, faults),
            "gc" => settings.gc = gc(&entry.value, faults),
            "projects" => projects(&entry.value, directory, &mut settings, faults),
            "agents" => agents(&entry.value, directory, known, &mut settings, faults),
            "limits" => limits(&entry.value, &mut settings, faults),
            key if compares(entry) => faults.field(entry.line, key, COMPARES),
            key if OWN.contains(&key) => {
                faults.field(entry.line, key, "belongs to one task and can't have a default");
            }
            _ => read_field(entry, &ALSO, &mut reading),
        }
    }
    settings.defaults = reading.spec;
    settings
}

/// Relative to nothing: a cache of a repository would be one that its agents make themselves.
fn caches(node: &Node, faults: &mut Faults) -> Vec<PathBuf> {
    let items = list(node, "caches", faults).unwrap_or_default();
    let paths = items.iter().filter_map(|item| {
        let path = PathBuf::from(text(item, "caches", faults)?);
        let fine = path.is_absolute() && path != Path::new("/");
        if !fine {
            faults.field(item.line, "caches", "must hold absolute paths of folders or files, without `~`");
        }
        fine.then_some(path)
    });
    paths.collect()
}

#[cfg(test)]
mod tests;
