//! What holds the agent of this run: decided before anything is made, and put into the command line of
//! `callbox enter` when the agent is started.

use std::{collections::BTreeMap, ffi::OsString, path::PathBuf};

use super::{
    environment::DEFAULT_PATH,
    execution::{Execution, make_private_folder},
    lookup::{find_on_path, is_executable},
    program::{OWN_PROGRAM, own_path},
};
use crate::{
    agents::{AgentCommand, OwnPlace, Reach},
    ids::Secret,
    isolation::{Fence, Kernel, decide, notice},
    vocabulary::{Fault, Isolation, IsolationChoice, Launcher, Place},
};

/// How the agent will be held.
#[derive(Debug)]
pub(super) struct Holding {
    /// In one word, as it is recorded.
    pub(super) isolation: Isolation,
    /// What the person should be told of it.
    pub(super) notice: Option<String>,
    launcher: Option<PathBuf>,
}

/// What is to be executed, and under which rules.
#[derive(Debug)]
pub(super) struct Held {
    /// The rules for Landlock.
    pub(super) fence: Option<Fence>,
    /// The program.
    pub(super) program: OsString,
    /// Its arguments.
    pub(super) arguments: Vec<OsString>,
}

impl Holding {
    /// Decides on `choice`; fails where it cannot be had, since a run that was to be isolated must not go
    /// on without.
    pub(super) fn choose(
        choice: &IsolationChoice,
        environment: &BTreeMap<String, Secret>,
    ) -> Result<Self, Fault> {
        let kernel = Kernel::running();
        let isolation = decide(choice, kernel)?;
        let launcher = match &isolation {
            Isolation::Command { command } => Some(find(command, environment)?),
            Isolation::None | Isolation::Landlock { .. } => None,
        };
        Ok(Self { notice: notice(choice, &isolation, kernel), isolation, launcher })
    }

    /// Puts `command` under it. `own` is what the agent program must be able to write to.
    pub(super) fn hold(
        &self,
        execution: &Execution,
        command: &AgentCommand,
        own: &[OwnPlace],
    ) -> Result<Held, Fault> {
        let unknown = |error| Fault::new("internal", format!("this program's own path is unknown: {error}"));
        if execution.has_own_home() {
            let home = execution.state.home();
            make_private_folder(&home).map_err(|error| {
                let message = format!("the home `{}` of this run could not be made: {error}", home.display());
                Fault::new("isolation", message)
            })?;
        }
        let (program, arguments) = (command.program.clone().into(), command.arguments.clone());
        match (&self.isolation, &self.launcher) {
            (Isolation::Landlock { .. }, _) => {
                Ok(Held { fence: Some(fence(execution, command.reach, own)?), program, arguments })
            }
            (Isolation::Command { command: launcher }, Some(found)) => {
                let mut line = filled(launcher, execution);
                line.push(if command.program == *OWN_PROGRAM {
                    own_path().map_err(unknown)?.into()
                } else {
                    program
                });
                line.extend(arguments);
                Ok(Held { fence: None, program: found.into(), arguments: line })
            }
            (Isolation::None | Isolation::Command { .. }, _) => Ok(Held { fence: None, program, arguments }),
        }
    }
}

/// The folders that must be there are made: the kernel takes no rule for what is not.
fn fence(execution: &Execution, reach: Reach, own: &[OwnPlace]) -> Result<Fence, Fault> {
    let mut readable = vec![execution.folder(), execution.state.agent_folder()];
    let mut writable = vec![execution.tmp()];
    match reach {
        Reach::Write => writable.push(execution.directory()),
        Reach::Read => readable.push(execution.directory()),
    }
    for place in own {
        match place {
            OwnPlace::Folder(path) => make_private_folder(path).map_err(|error| {
                let message =
                    format!("the agent program's own folder `{}` could not be made: {error}", path.display());
                Fault::new("isolation", message)
            })?,
            OwnPlace::File(path) if path.exists() => {}
            OwnPlace::File(_) => continue,
        }
        writable.push(place.path().to_owned());
    }
    // The home of a hermetic run is the run's own, and stands in the hidden folder.
    writable.extend(execution.has_own_home().then(|| execution.state.home()));
    // A cache that no tool has made yet is no reason to refuse the run.
    writable.extend(execution.plan.caches.iter().filter(|path| path.exists()).cloned());
    Ok(Fence { hidden: execution.state.root().to_owned(), readable, writable })
}

fn filled(launcher: &Launcher, execution: &Execution) -> Vec<OsString> {
    let place = |place| {
        let path = match place {
            Place::State => execution.state.root().to_owned(),
            Place::Sandbox => execution.directory(),
            Place::Execution => execution.folder(),
            Place::Tmp => execution.tmp(),
            Place::Agent => execution.state.agent_folder(),
        };
        path.to_string_lossy().into_owned()
    };
    launcher.arguments(place).into_iter().map(OsString::from).collect()
}

fn find(launcher: &Launcher, environment: &BTreeMap<String, Secret>) -> Result<PathBuf, Fault> {
    let name = launcher.program();
    let path = environment.get("PATH").map_or(DEFAULT_PATH, Secret::expose);
    let found = if name.contains('/') {
        Some(PathBuf::from(name)).filter(|path| path.is_absolute() && is_executable(path))
    } else {
        find_on_path(name, path)
    };
    found.ok_or_else(|| {
        Fault::new("isolation", format!("the launcher `{name}` of `isolation` is no program on the PATH of this run"))
            .hinted("`isolation` is `auto`, `none`, `landlock`, or the command line of a launcher: a name on the PATH or an absolute path, and its arguments")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chosen(text: &str) -> Result<Holding, Fault> {
        Holding::choose(&IsolationChoice::parse(text).unwrap(), &BTreeMap::new())
    }

    #[test]
    fn a_launcher_that_is_not_there_is_named_and_nothing_runs_without_it() {
        for name in ["landlok", "/nonexistent/launcher", "bin/sh"] {
            let fault = chosen(&format!("{name} --x")).unwrap_err();
            assert_eq!(fault.code, "isolation");
            assert!(fault.message.contains(&format!("`{name}`")), "{fault:?}");
            assert!(fault.hint.unwrap().contains("`landlock`"));
        }
        assert_eq!(chosen("/bin/sh -c x").unwrap().launcher, Some("/bin/sh".into()));
        assert_eq!(chosen("none").unwrap().launcher, None);
    }
}
