//! How callbox runs git: with its own configuration, a cleared environment, limits, and a choice of
//! whose eyes it looks through.

use std::{
    ffi::{OsStr, OsString},
    io,
    path::{Path, PathBuf},
    process::Command,
    time::Duration,
};

use super::{
    configuration::{Configuration, OVERRIDES},
    invocation::Invocation,
};

/// Callbox's own git: the program, the folder with its configuration, and its limits.
#[derive(Debug, Clone)]
pub struct Git {
    configuration: Configuration,
    search_path: OsString,
    person: Option<Person>,
    time_limit: Duration,
}

/// The variables by which a person's git is told where its configuration stands and who commits.
const PERSONS: [&str; 8] = [
    "XDG_CONFIG_HOME",
    "GIT_CONFIG_GLOBAL",
    "GIT_CONFIG_SYSTEM",
    "GIT_CONFIG_NOSYSTEM",
    "GIT_AUTHOR_NAME",
    "GIT_AUTHOR_EMAIL",
    "GIT_COMMITTER_NAME",
    "GIT_COMMITTER_EMAIL",
];

/// Where a person's own git configuration stands.
#[derive(Debug, Clone)]
struct Person {
    home: PathBuf,
    others: Vec<(&'static str, OsString)>,
}

impl Git {
    /// Git from this process's PATH, looking at projects through the configuration of this process's
    /// user. Its own configuration is written into `config_folder`, which is created; any number of
    /// processes may share one.
    pub fn new(config_folder: &Path) -> io::Result<Self> {
        let others = PERSONS.into_iter().filter_map(|name| Some((name, std::env::var_os(name)?))).collect();
        let home = std::env::var_os("HOME").filter(|home| !home.is_empty());
        Ok(Self {
            configuration: Configuration::write(config_folder)?,
            search_path: std::env::var_os("PATH").unwrap_or_else(|| "/usr/local/bin:/usr/bin:/bin".into()),
            person: home.map(|home| Person { home: home.into(), others }),
            // A clone of a large project from a slow disk must fit; a fifo among an agent's files,
            // on which git waits for ever, must end some day.
            time_limit: Duration::from_secs(1800),
        })
    }

    /// The same, looking for programs in `path`, a list as in PATH.
    pub fn searching(mut self, path: impl Into<OsString>) -> Self {
        self.search_path = path.into();
        self
    }

    /// The same, with the configuration of whoever lives in `home`.
    pub fn of_person(mut self, home: impl Into<PathBuf>) -> Self {
        self.person = Some(Person { home: home.into(), others: Vec::new() });
        self
    }

    /// The same, with no person's configuration at all: hermetic runs take nothing from the machine.
    pub fn of_nobody(mut self) -> Self {
        self.person = None;
        self
    }

    /// The same, with another time limit for each run of git (30 minutes by default).
    pub fn limited_to(mut self, time_limit: Duration) -> Self {
        self.time_limit = time_limit;
        self
    }

    /// Runs `verb` with callbox's configuration alone, in no repository.
    pub(super) fn alone(&self, verb: &'static str) -> Invocation {
        let mut command = self.command(&self.configuration.home());
        command.env("GIT_CONFIG_GLOBAL", self.configuration.file());
        command.env("GIT_CONFIG_SYSTEM", "/dev/null");
        command.env("GIT_CONFIG_NOSYSTEM", "1");
        command.env("GIT_ATTR_NOSYSTEM", "1");
        command.current_dir(self.configuration.home());
        Invocation::new(command, verb, self.time_limit)
    }

    /// Runs `verb` in the work tree `root` with callbox's configuration over the project's own.
    pub(super) fn project(&self, root: &Path, verb: &'static str) -> Invocation {
        self.alone(verb).within(root)
    }

    /// Runs `verb` in the work tree `root` as the person would, but for hooks, signatures and file system
    /// monitors: for looking, and for what the person wants done in their own work tree.
    pub(super) fn person(&self, root: &Path, verb: &'static str) -> Invocation {
        let Some(person) = &self.person else { return self.project(root, verb) };
        let mut command = self.command(&person.home);
        command.envs(person.others.iter().map(|(name, value)| (name, value)));
        Invocation::new(command, verb, self.time_limit).within(root)
    }

    pub(super) fn configuration(&self) -> &Configuration {
        &self.configuration
    }

    /// The person's HOME and, where it is set, XDG_CONFIG_HOME.
    pub(super) fn person_folders(&self) -> Option<(&Path, Option<&OsStr>)> {
        let person = self.person.as_ref()?;
        let xdg = person.others.iter().find(|(name, _)| *name == "XDG_CONFIG_HOME");
        Some((&person.home, xdg.map(|(_, value)| value.as_os_str())))
    }

    fn command(&self, home: &Path) -> Command {
        let mut command = Command::new(self.program());
        command.env_clear();
        command.env("PATH", &self.search_path).env("HOME", home).env("LC_ALL", "C");
        command.env("GIT_TERMINAL_PROMPT", "0").env("GIT_ASKPASS", "").env("GIT_ADVICE", "0");
        command.env("GIT_OPTIONAL_LOCKS", "0").env("GIT_LITERAL_PATHSPECS", "1");
        command.env("GIT_NO_REPLACE_OBJECTS", "1").env("GIT_NO_LAZY_FETCH", "1");
        command.env("GIT_CONFIG_COUNT", OVERRIDES.len().to_string());
        for (index, (key, value)) in OVERRIDES.iter().enumerate() {
            command.env(format!("GIT_CONFIG_KEY_{index}"), key);
            command.env(format!("GIT_CONFIG_VALUE_{index}"), value);
        }
        command
    }

    /// Looked up here, because the system would search this process's PATH and not the given one.
    fn program(&self) -> PathBuf {
        std::env::split_paths(&self.search_path)
            .map(|folder| folder.join("git"))
            .find(|candidate| candidate.is_file())
            .unwrap_or_else(|| "/nonexistent/git".into())
    }
}
