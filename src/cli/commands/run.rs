//! `callbox run`.

use clap::Args;

use crate::{
    cli::{
        context::Context,
        detach,
        error::CliError,
        exit::ExitStatus,
        follow::{self, FollowFlags, Following, Signals},
        gather,
        mode::Mode,
        opened::Opened,
        output,
        source_flags::SourceFlags,
    },
    ids::{TaskNumber, Timestamp},
    protocol::{operator::Hold, query::TaskFilter, report::TaskLine},
    vocabulary::{ATTACHED, STORE_WAIT, UNBOUND_WAIT},
};

/// Flags of `callbox run`.
#[derive(Debug, Args)]
pub(crate) struct Run {
    /// Run what was submitted and waits, and what still runs although its command was killed
    #[arg(long, conflicts_with_all = ["files", "prompt"])]
    queued: bool,
    /// Leave the tasks running in the background and return at once
    #[arg(long)]
    detach: bool,
    #[command(flatten)]
    follow: FollowFlags,
    /// Follow these without a terminal: what `--detach` starts.
    #[arg(long, hide = true, value_delimiter = ',', conflicts_with_all = ["files", "prompt", "queued"])]
    trees: Vec<TaskNumber>,
    /// What to run.
    #[command(flatten)]
    source: SourceFlags,
}

impl Run {
    /// Submits the tasks and follows them until nothing of them can run any more.
    pub(crate) async fn run(self, context: &Context) -> Result<ExitStatus, CliError> {
        if self.detach && context.mode == Mode::Hermetic {
            return Err(CliError::usage("`--detach` leaves processes behind, and `--hermetic` leaves none"));
        }
        if self.detach {
            self.follow.refuse_unfollowed("with `--detach` nobody follows it")?;
        }
        let (since, manner) = (Timestamp::now(), self.follow.manner(context)?);
        let mut signals = Signals::listen()?;
        let (store, roots) = self.begin(context).await?;
        if roots.is_empty() {
            store.close().await;
            output::say("nothing waits to be run");
            return Ok(ExitStatus::Success);
        }
        if self.detach {
            return detach::leave(store, &roots, manner.max_wait, context).await;
        }
        let following = Following { roots, since, manner };
        follow::to_the_end(store, following, &mut signals, context).await
    }

    /// The store, and the roots of what is to run.
    async fn begin(&self, context: &Context) -> Result<(Opened, Vec<TaskNumber>), CliError> {
        if !self.trees.is_empty() {
            detach::leave_the_terminal();
            return Ok((Opened::open(context).await?, self.trees.clone()));
        }
        if self.queued {
            let mut store = Opened::open(context).await?;
            let lines = store.look(async |operator| operator.tasks(&TaskFilter::default()).await).await;
            // What runs under a store that stays is that store's; otherwise nobody is there for it.
            let nobody_stays = store.is_hosted();
            let is_due = |line: &TaskLine| match line.state.as_str() {
                "queued" => true,
                "running" => nobody_stays || line.wait.as_deref() == Some(STORE_WAIT),
                _ => false,
            };
            return store.or_close(lines.map(|lines| trees(&lines, is_due))).await;
        }
        let order = gather::order(&self.source, Hold::No, context)?;
        for note in &order.notes {
            output::say(note);
        }
        let mut store = Opened::open(context).await?;
        let reply = store.act(async |operator| operator.submit(&order.request).await).await;
        if let Ok(reply) = &reply {
            order.told(&reply.tasks).into_iter().for_each(output::say);
        }
        store.or_close(reply.map(|reply| reply.tasks)).await
    }
}

/// The roots of the tasks that are due, but for those whose agent only a person starts or ends.
fn trees(lines: &[TaskLine], is_due: impl Fn(&TaskLine) -> bool) -> Vec<TaskNumber> {
    let by_hand = |line: &TaskLine| line.agent == ATTACHED || line.wait.as_deref() == Some(UNBOUND_WAIT);
    let fits = |line: &&TaskLine| is_due(line) && !by_hand(line);
    follow::roots(lines, &lines.iter().filter(fits).map(|line| line.number).collect::<Vec<_>>())
}
