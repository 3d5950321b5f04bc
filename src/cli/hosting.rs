//! How a store that this program opens is set.

use super::context::Context;
use crate::host::{HostOptions, Residency, StoreSettings};

/// The state directory and what the configuration says of its store.
pub(crate) fn options(context: &Context, residency: Residency) -> HostOptions {
    let settings = &context.settings;
    HostOptions {
        state: context.state.root().to_owned(),
        settings: StoreSettings {
            quotas: settings.quotas.clone(),
            caps: settings.caps,
            subtask_agents: settings.subtask_agents.clone(),
            agents: settings.setups(),
            preamble: settings.preamble.clone(),
            caches: settings.caches.clone(),
            sandbox: settings.sandbox,
            env_file: settings.env_file.clone(),
            residency,
        },
    }
}
