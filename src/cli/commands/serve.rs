//! `callbox serve`.

use std::path::Path;

use clap::Args;

use crate::{
    cli::{
        context::Context,
        error::CliError,
        exit::ExitStatus,
        follow::{Signals, Told},
        gather::SearchPath,
        hosting, output, sanitise,
    },
    host::{self, Asked, Keeper, Residency, Sleep, Stopped, StoreSettings},
};

/// Flags of `callbox serve`.
#[derive(Debug, Args)]
pub(crate) struct Serve {
    /// Wait for another store to end instead of refusing
    #[arg(long)]
    wait: bool,
    /// Keep the machine awake while anything runs, with `systemd-inhibit`
    #[arg(long)]
    keep_awake: bool,
}

impl Serve {
    /// Keeps the store until SIGINT or SIGTERM; runs go on behind it.
    pub(crate) async fn run(self, context: &Context) -> Result<ExitStatus, CliError> {
        let mut person = Person { signals: Signals::listen()?, context };
        let options = hosting::options(context, Residency::Resident);
        let wait = if self.wait { host::Wait::Yes } else { host::Wait::No };
        let sleep = if self.keep_awake { held_off(context) } else { Sleep::Allowed };
        match host::serve(&options, wait, sleep, &mut person).await? {
            Stopped::Asked => {
                output::say("the store has stopped as it was told; runs go on");
                Ok(ExitStatus::Success)
            }
            Stopped::Displaced { why } => {
                output::say(format!("this store has stopped because {}", sanitise::line(&why)));
                Ok(ExitStatus::Unavailable)
            }
        }
    }
}

/// Sleep is held off as well as it goes.
fn held_off(context: &Context) -> Sleep {
    if SearchPath::new(context.surroundings.value("PATH")).find("systemd-inhibit").is_some() {
        return Sleep::HeldOff;
    }
    output::say("`systemd-inhibit` is not installed: the machine may sleep while agents work");
    Sleep::Allowed
}

/// The person who keeps the store, with signals and stderr between them.
struct Person<'a> {
    signals: Signals,
    context: &'a Context,
}

impl Keeper for Person<'_> {
    fn ready(&mut self, state: &Path) {
        output::say(format!("the store of `{}` is ready; Ctrl-C stops it, runs go on", state.display()));
    }

    async fn asked(&mut self) -> Asked {
        match self.signals.next().await {
            Told::Interrupt | Told::Terminate => Asked::Stop,
            // A lost terminal, which is no reason for a store to end, or somebody who wants just this: it does no harm.
            Told::Hangup => Asked::Reload,
        }
    }

    fn configuration(&mut self) -> Option<StoreSettings> {
        match self.context.read_configuration() {
            Ok(settings) => {
                output::say(match self.context.surroundings.configuration() {
                    Some(path) if !path.exists() => format!(
                        "there is no configuration at `{}` now; what callbox does without one holds for all that begins \
                         from now on",
                        path.display()
                    ),
                    _ => "the configuration was read again; it holds for all that begins from now on"
                        .to_owned(),
                });
                Some(hosting::settings(&settings, Residency::Resident))
            }
            Err(fault) => {
                let fault = sanitise::text(&fault.to_string());
                output::say(format!(
                    "the configuration was read again and is wrong; what held before holds on:\n{fault}"
                ));
                None
            }
        }
    }
}
