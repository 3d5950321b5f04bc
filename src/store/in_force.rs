//! What of the configuration holds now. It is replaced as a whole, and whoever acts by it takes it once: a request, a
//! look at the queue.

use std::{
    path::PathBuf,
    sync::{Arc, PoisonError, RwLock},
    time::Duration,
};

use tokio::sync::watch;

use super::{plan::Planning, record_signal::Rules, settings::StoreSettings};
use crate::vocabulary::NotifyCommand;

/// The parts, each for whom it concerns.
#[derive(Debug, Clone)]
struct Parts {
    planning: Arc<Planning>,
    rules: Arc<Rules>,
    env_file: Option<PathBuf>,
    notify: Option<NotifyCommand>,
    gc_every: Option<Duration>,
}

/// What holds now.
#[derive(Debug)]
pub(super) struct InForce {
    parts: RwLock<Parts>,
    /// Counts replacements.
    replaced: watch::Sender<u64>,
}

impl InForce {
    /// As `settings` say.
    pub(super) fn new(settings: StoreSettings) -> Self {
        Self { parts: RwLock::new(Parts::of(settings)), replaced: watch::Sender::default() }
    }

    /// From now on as `settings` say.
    pub(super) fn replace(&self, settings: StoreSettings) {
        *self.parts.write().unwrap_or_else(PoisonError::into_inner) = Parts::of(settings);
        self.replaced.send_modify(|count| *count += 1);
    }

    /// Tells of each replacement from now on.
    pub(super) fn replacements(&self) -> watch::Receiver<u64> {
        self.replaced.subscribe()
    }

    /// How launches are planned.
    pub(super) fn planning(&self) -> Arc<Planning> {
        self.now().planning
    }

    /// What agents may do with their tools.
    pub(super) fn rules(&self) -> Arc<Rules> {
        self.now().rules
    }

    /// Where variables are looked up last.
    pub(super) fn env_file(&self) -> Option<PathBuf> {
        self.now().env_file
    }

    /// What is told what happens.
    pub(super) fn notify_command(&self) -> Option<NotifyCommand> {
        self.now().notify
    }

    /// The pause between two removals of what ended tasks left.
    pub(super) fn gc_every(&self) -> Option<Duration> {
        self.now().gc_every
    }

    fn now(&self) -> Parts {
        // A panic cannot leave half of the parts behind: they are put together before.
        self.parts.read().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl Parts {
    fn of(settings: StoreSettings) -> Self {
        let patience = settings.residency.patience();
        let planning = Planning {
            quotas: settings.quotas,
            agents: settings.agents,
            preamble: settings.preamble,
            caches: settings.caches,
            sandbox: settings.sandbox,
            patience_seconds: patience.map(|patience| patience.as_secs()),
        };
        Self {
            planning: Arc::new(planning),
            rules: Arc::new(Rules { caps: settings.caps, agents: settings.subtask_agents }),
            env_file: settings.env_file,
            notify: settings.notify,
            gc_every: settings.gc_every,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::fixture;

    #[test]
    fn whoever_took_what_held_keeps_it_and_the_next_is_given_what_replaced_it() {
        let (before, mut after) = (fixture::settings(), fixture::settings());
        after.quotas.max_concurrent = before.quotas.max_concurrent + 1;
        after.subtask_agents = vec!["claude".to_owned()];
        after.env_file = Some("/etc/keys".into());
        after.preamble = Some("Be brief.".to_owned());
        let in_force = InForce::new(before);
        let taken = (in_force.planning(), in_force.rules());
        in_force.replace(after);
        let planning = in_force.planning();
        assert_eq!(planning.quotas.max_concurrent, taken.0.quotas.max_concurrent + 1);
        assert_eq!((taken.0.preamble.as_deref(), planning.preamble.as_deref()), (None, Some("Be brief.")));
        assert_eq!((taken.1.agents.len(), in_force.rules().agents.len()), (0, 1));
        assert_eq!(in_force.env_file(), Some("/etc/keys".into()));
    }
}
