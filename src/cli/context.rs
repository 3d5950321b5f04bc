//! What every command is given.

use serde::Serialize;

use super::{
    arguments::GlobalArguments, error::CliError, mode::Mode, output, render, surroundings::Surroundings,
};
use crate::{
    agents::Catalogue,
    layout::StateDir,
    settings::{self, KnownAgents, Settings, SettingsError},
};

/// How the answer of a command is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Format {
    /// Text for people.
    Text,
    /// The JSON of the contract.
    Json,
}

/// What the process was started with and what holds for every command.
#[derive(Debug)]
pub(crate) struct Context {
    /// Environment and working directory.
    pub(crate) surroundings: Surroundings,
    /// The state directory.
    pub(crate) state: StateDir,
    /// How to answer.
    pub(crate) format: Format,
    /// What may be taken from the machine.
    pub(crate) mode: Mode,
    /// The configuration; nothing but defaults where its file is wrong.
    pub(crate) settings: Settings,
    /// The agents that tasks can name.
    pub(crate) agents: Catalogue,
    /// What is wrong with the configuration file.
    pub(crate) configuration_fault: Option<SettingsError>,
}

impl Context {
    /// Puts the flags that hold for every command together with the surroundings.
    pub(crate) fn new(global: &GlobalArguments, surroundings: Surroundings) -> Result<Self, CliError> {
        let mode = Mode::of_flag(global.hermetic);
        mode.check_state(global.state.as_deref(), &surroundings)?;
        let state = surroundings.state_dir(global.state.as_deref())?;
        let surroundings = match mode {
            Mode::Ordinary => surroundings,
            Mode::Hermetic => surroundings.hermetic(&state.home()),
        };
        let format = if global.json { Format::Json } else { Format::Text };
        let (settings, configuration_fault) = match read_configuration(mode, &surroundings) {
            Ok(settings) => (settings, None),
            Err(fault) => (Settings::default(), Some(fault)),
        };
        let agents = Catalogue::built_in().describing(settings.descriptions());
        Ok(Self { surroundings, state, format, mode, settings, agents, configuration_fault })
    }

    /// The configuration as its file says it now.
    pub(crate) fn read_configuration(&self) -> Result<Settings, SettingsError> {
        read_configuration(self.mode, &self.surroundings)
    }

    /// Prints `value` as the format says: itself as JSON, or what `text` makes of it.
    pub(crate) fn answer<T: Serialize>(
        &self,
        value: &T,
        text: impl FnOnce(&T) -> String,
    ) -> Result<(), CliError> {
        match self.format {
            Format::Json => output::print(render::object(value)?),
            Format::Text => output::print(text(value)),
        }
    }
}

/// Agents write in the home of a hermetic run: what stands there says nothing.
fn read_configuration(mode: Mode, surroundings: &Surroundings) -> Result<Settings, SettingsError> {
    let path = match mode {
        Mode::Ordinary => surroundings.configuration(),
        Mode::Hermetic => None,
    };
    let agents = Catalogue::built_in();
    let known = KnownAgents { names: &agents.names(), refusal: &|agent, key| agents.refused_key(agent, key) };
    path.map_or_else(|| Ok(Settings::default()), |path| settings::load(&path, known))
}
