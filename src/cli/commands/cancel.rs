//! `callbox cancel`.

use clap::Args;

use crate::{
    cli::{
        acted, cancelling,
        context::Context,
        error::{CliError, ErrorKind},
        exit::ExitStatus,
        opened::Opened,
    },
    ids::TaskNumber,
    protocol::query::TaskFilter,
};

/// Flags of `callbox cancel`.
#[derive(Debug, Args)]
pub(crate) struct Cancel {
    /// The tasks
    #[arg(value_name = "ID", required_unless_present = "tag")]
    tasks: Vec<TaskNumber>,
    /// All tasks with this tag that have not ended
    #[arg(long, value_name = "TAG", conflicts_with = "tasks")]
    tag: Option<String>,
}

impl Cancel {
    /// Cancels each and says what came of it; goes on behind one that is refused.
    pub(crate) async fn run(self, context: &Context) -> Result<ExitStatus, CliError> {
        let store = Opened::open(context).await?;
        let (mut store, tasks) = match self.tag {
            Some(tag) => tagged(store, tag).await?,
            None => (store, self.tasks),
        };
        let replies = cancelling::cancel(&mut store, &tasks).await;
        store.close_settled().await;
        acted::answer(context, replies)
    }
}

/// The tasks with `tag` that have not ended.
async fn tagged(mut store: Opened, tag: String) -> Result<(Opened, Vec<TaskNumber>), CliError> {
    let filter = TaskFilter { tag: Some(tag.clone()), ..TaskFilter::default() };
    let lines = store.look(async |operator| operator.tasks(&filter).await).await;
    let (store, lines) = store.or_close(lines).await?;
    let is_open = |state: &str| matches!(state, "pending" | "queued" | "running" | "blocked" | "ready");
    let open: Vec<TaskNumber> =
        lines.iter().filter(|line| is_open(&line.state)).map(|line| line.number).collect();
    if open.is_empty() {
        store.close().await;
        let message = format!("no task with the tag `{tag}` is open");
        return Err(
            CliError::new(ErrorKind::Refused, message).hinted("`callbox ls --tag TAG` lists those there are")
        );
    }
    Ok((store, open))
}
