//! What a command may take from the machine it runs on.

use std::time::Duration;

use super::{error::CliError, surroundings::Surroundings};
use crate::host::Residency;

/// How a command stands to the machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mode {
    /// It is a person's: their configuration, their home, their store where one stays.
    Ordinary,
    /// It is nobody's, as in CI: only what is named is taken, and nothing is left behind but the state directory.
    Hermetic,
}

impl Mode {
    /// What `--hermetic` makes of it.
    pub(crate) fn of_flag(hermetic: bool) -> Self {
        if hermetic { Self::Hermetic } else { Self::Ordinary }
    }

    /// Refuses to guess where a hermetic run keeps its state: all that a later job needs must be where it is looked for.
    pub(crate) fn check_state(
        self,
        flag: Option<&std::path::Path>,
        surroundings: &Surroundings,
    ) -> Result<(), CliError> {
        let named =
            flag.is_some() || surroundings.value("CALLBOX_STATE").is_some_and(|path| !path.is_empty());
        if self == Self::Ordinary || named {
            return Ok(());
        }
        Err(CliError::usage("`--hermetic` needs a state directory that is named")
            .hinted("add `--state DIR`, or set CALLBOX_STATE: that directory is all that a later job needs"))
    }

    /// How a store that this command opens for itself is held. Nobody comes back to a job that was killed, so its
    /// agents end with it.
    pub(crate) fn residency(self) -> Residency {
        let patience = Duration::from_secs(match self {
            Self::Ordinary => 60,
            Self::Hermetic => 5,
        });
        Residency::Hosted { patience }
    }

    /// How long providers that refuse for now are waited for where no flag says it: a job is paid for by the minute.
    pub(crate) fn max_wait(self) -> Duration {
        match self {
            Self::Ordinary => Duration::from_secs(600),
            Self::Hermetic => Duration::ZERO,
        }
    }
}
