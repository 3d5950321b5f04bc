//! How a store that this program opens is set.

use super::context::Context;
use crate::{
    host::{HostOptions, Residency, StoreSettings},
    settings::Settings,
};

/// The state directory and what the configuration says of its store.
pub(crate) fn options(context: &Context, residency: Residency) -> HostOptions {
    let settings = settings(&context.settings, residency);
    HostOptions { state: context.state.root().to_owned(), settings }
}

/// What the configuration says of a store.
pub(crate) fn settings(settings: &Settings, residency: Residency) -> StoreSettings {
    StoreSettings {
        quotas: settings.quotas.clone(),
        caps: settings.caps,
        subtask_agents: settings.subtask_agents.clone(),
        agents: settings.setups(),
        preamble: settings.preamble.clone(),
        caches: settings.caches.clone(),
        sandbox: settings.sandbox,
        env_file: settings.env_file.clone(),
        notify: settings.notify.clone(),
        gc_every: settings.gc.every,
        residency,
    }
}
