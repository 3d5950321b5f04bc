//! What the commands share that let a task go on: their flags, and going on at once or saying who will.

use std::collections::BTreeMap;

use clap::Args;

use super::{
    acted,
    context::Context,
    error::CliError,
    exit::ExitStatus,
    follow::{self, FollowFlags, Following, Manner, Signals},
    gather,
    opened::Opened,
    output,
};
use crate::ids::{Secret, TaskNumber, Timestamp};

/// Flags of every command behind which a task goes on.
#[derive(Debug, Args)]
pub(crate) struct GoingOn {
    /// Go on at once, in the foreground
    #[arg(long)]
    run: bool,
    /// A variable of this environment for the agent, never stored; may be repeated
    #[arg(long, value_name = "NAME")]
    env: Vec<String>,
    #[command(flatten)]
    follow: FollowFlags,
}

/// The moment before the act: what happens from then on is told, and Ctrl-C is heard.
pub(crate) struct Begun {
    since: Timestamp,
    signals: Signals,
    manner: Manner,
}

impl GoingOn {
    /// Now. What the flags lack is refused before anything is done.
    pub(crate) fn begin(&self, context: &Context) -> Result<Begun, CliError> {
        if !self.run {
            self.follow.refuse_unfollowed("without `--run` nobody follows it")?;
        }
        let manner = self.follow.manner(context)?;
        Ok(Begun { since: Timestamp::now(), signals: Signals::listen()?, manner })
    }

    /// Whether the task is to go on here.
    pub(crate) fn at_once(&self) -> bool {
        self.run
    }

    /// The values that go along for the launch.
    pub(crate) fn environment(&self, context: &Context) -> Result<BTreeMap<String, Secret>, CliError> {
        gather::environment(context, &self.env)
    }

    /// With `--run` the tree of `task` goes on here to its end; else `say` tells what came of the act, and what the
    /// task waits for is said behind it.
    pub(crate) async fn go_on(
        &self,
        mut store: Opened,
        task: TaskNumber,
        mut begun: Begun,
        context: &Context,
        say: impl FnOnce() -> Result<(), CliError>,
    ) -> Result<ExitStatus, CliError> {
        if self.run {
            let root = follow::root_of(&mut store, task).await;
            let (store, root) = store.or_close(root).await?;
            let following = Following { roots: vec![root], since: begun.since, manner: begun.manner };
            return follow::to_the_end(store, following, &mut begun.signals, context).await;
        }
        let waits = acted::waits(&mut store, &[task]).await;
        let (store, waits) = store.or_close(waits).await?;
        store.close().await;
        say()?;
        waits.iter().for_each(output::say);
        Ok(ExitStatus::Success)
    }
}
