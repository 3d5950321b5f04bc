//! What this process was started with, read once: everything else is told, so that it can be tested.

use std::{
    collections::BTreeMap,
    env,
    ffi::OsString,
    path::{Path, PathBuf},
};

use super::error::CliError;
use crate::layout::StateDir;

/// Where states are below a home.
const BELOW_HOME: &str = ".local/state";
/// Variables that speak of a person, besides those of the XDG base directory specification.
const OF_PERSON: [&str; 4] = ["HOME", "USER", "LOGNAME", "SHELL"];

/// Environment and working directory.
#[derive(Debug, Clone)]
pub(crate) struct Surroundings {
    variables: BTreeMap<OsString, OsString>,
    directory: PathBuf,
}

impl Surroundings {
    /// Those of this process.
    pub(crate) fn of_process() -> Result<Self, CliError> {
        let directory = env::current_dir().map_err(|error| {
            CliError::unavailable(error).hinted("the working directory is gone: `cd` somewhere that exists")
        })?;
        Ok(Self { variables: env::vars_os().collect(), directory })
    }

    /// What a hermetic run takes of these: nothing that speaks of a person, and `home` in the place of theirs.
    pub(crate) fn hermetic(mut self, home: &Path) -> Self {
        self.variables.retain(|name, _| !name.to_str().is_some_and(is_of_person));
        self.variables.insert("HOME".into(), home.into());
        self.variables.entry("LANG".into()).or_insert_with(|| "C.UTF-8".into());
        self
    }

    /// The working directory; absolute.
    pub(crate) fn directory(&self) -> &Path {
        &self.directory
    }

    /// A variable's value as it stands; `None` where it is unset.
    pub(crate) fn value(&self, name: &str) -> Option<&OsString> {
        self.variables.get(&OsString::from(name))
    }

    /// The names of all variables that are text.
    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        self.variables.keys().filter_map(|name| name.to_str())
    }

    /// The state directory: `flag`, else `$CALLBOX_STATE`, else `$XDG_STATE_HOME/callbox`, else
    /// `~/.local/state/callbox`; absolute.
    pub(crate) fn state_dir(&self, flag: Option<&Path>) -> Result<StateDir, CliError> {
        let named = flag.map(Path::to_owned).or_else(|| self.path("CALLBOX_STATE"));
        let root = named
            .or_else(|| Some(self.base_folder("XDG_STATE_HOME", BELOW_HOME)?.join("callbox")))
            .ok_or_else(|| {
                CliError::unavailable("no state directory is known, because HOME is not set")
                    .hinted("name one with `--state DIR` or in CALLBOX_STATE")
            })?;
        Ok(StateDir::at(self.directory.join(root)))
    }

    /// The configuration file, `$XDG_CONFIG_HOME/callbox/config.toml`, whether it exists or not.
    pub(crate) fn configuration(&self) -> Option<PathBuf> {
        Some(self.base_folder("XDG_CONFIG_HOME", ".config")?.join("callbox/config.toml"))
    }

    /// The folder of the person's own units, `$XDG_CONFIG_HOME/systemd/user`, whether it exists or not.
    pub(crate) fn user_units(&self) -> Option<PathBuf> {
        Some(self.base_folder("XDG_CONFIG_HOME", ".config")?.join("systemd/user"))
    }

    /// The state directory of a program that is told nothing but whose home it is.
    pub(crate) fn usual_state(&self) -> Option<PathBuf> {
        Some(self.path("HOME")?.join(BELOW_HOME).join("callbox"))
    }

    /// A folder of the XDG base directory specification: relative values are to be ignored.
    fn base_folder(&self, variable: &str, below_home: &str) -> Option<PathBuf> {
        let named = self.path(variable).filter(|path| path.is_absolute());
        named.or_else(|| Some(self.path("HOME")?.join(below_home)))
    }

    fn path(&self, variable: &str) -> Option<PathBuf> {
        self.value(variable).filter(|value| !value.is_empty()).map(PathBuf::from)
    }
}

/// Whether the variable `name` says who the person is, or where what is theirs stands.
fn is_of_person(name: &str) -> bool {
    OF_PERSON.contains(&name) || name.starts_with("XDG_")
}

#[cfg(test)]
impl Surroundings {
    /// Those a test wants, in the directory `/here`.
    pub(super) fn of(variables: &[(&str, &str)]) -> Self {
        let variables = variables.iter().map(|(name, value)| (name.into(), value.into())).collect();
        Self { variables, directory: "/here".into() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_state_directory_is_the_flags_else_the_variables_else_the_persons() {
        let home = ("HOME", "/home/ada");
        let cases = [
            (Some("s"), vec![home, ("CALLBOX_STATE", "/v")], "/here/s"),
            (None, vec![home, ("CALLBOX_STATE", "/v"), ("XDG_STATE_HOME", "/x")], "/v"),
            (None, vec![home, ("CALLBOX_STATE", ""), ("XDG_STATE_HOME", "/x")], "/x/callbox"),
            (None, vec![home, ("XDG_STATE_HOME", "not/absolute")], "/home/ada/.local/state/callbox"),
            (None, vec![home], "/home/ada/.local/state/callbox"),
        ];
        for (flag, variables, root) in cases {
            let state = Surroundings::of(&variables).state_dir(flag.map(Path::new)).unwrap();
            assert_eq!(state.root(), Path::new(root));
        }
    }

    #[test]
    fn without_a_home_the_state_directory_must_be_named() {
        let error = Surroundings::of(&[]).state_dir(None).unwrap_err();
        assert_eq!(error.status().code(), 69);
        assert!(error.to_string().contains("--state DIR"));
    }
}
