//! Whether a run outgrows the room it was given, looked at while anything of it works and once its agent has ended.

use std::{path::PathBuf, time::Duration};

use tokio::time::{Instant, sleep};

use super::{apart::apart, execution::Execution};
use crate::{
    sandbox::{readable, taken},
    vocabulary::Fault,
};

/// The shortest time between two looks.
const EVERY: Duration = Duration::from_secs(2);
/// How many times as long as a look took nobody looks again: many files take long to be counted.
const PAUSE: u32 = 50;

/// What works in the sandbox.
#[derive(Debug, Clone, Copy)]
pub(super) enum AtWork<'a> {
    /// The agent.
    Agent,
    /// A command of the task's.
    Command {
        /// The field it stands in, such as `setup`.
        field: &'static str,
        /// The command.
        command: &'a str,
    },
}

/// Ends once the sandbox and the temporary files of `execution` take more than they may; with what the run is to end
/// with. Never, where there is no limit.
pub(super) async fn outgrown(execution: &Execution, at_work: AtWork<'_>) -> Fault {
    if execution.plan.sandbox.max_each.is_none() {
        return std::future::pending().await;
    }
    let mut pause = EVERY;
    loop {
        sleep(pause).await;
        let begun = Instant::now();
        if let Some(fault) = look(execution, at_work).await {
            return fault;
        }
        pause = EVERY.max(begun.elapsed() * PAUSE);
    }
}

/// What the run is to end with, where they take more than they may now.
pub(super) async fn look(execution: &Execution, at_work: AtWork<'_>) -> Option<Fault> {
    let limit = execution.plan.sandbox.max_each?;
    let places = vec![execution.directory(), execution.tmp()];
    let looked = places.clone();
    match apart(move || taken(&looked)).await {
        Ok(size) => (size > limit).then(|| full(&places, at_work, size, limit)),
        Err(error) => {
            tracing::warn!(%error, "what the run takes could not be looked at");
            None
        }
    }
}

fn full(places: &[PathBuf], at_work: AtWork<'_>, size: u64, limit: u64) -> Fault {
    let who = match at_work {
        AtWork::Agent => "the run".to_owned(),
        AtWork::Command { field, command } => format!("`{field}` was ended (`{command}`): with it the run"),
    };
    let message = format!(
        "{who} took {} in `{}` with its temporary files, and `sandbox.max_each` of the configuration is {}",
        readable(size),
        places.first().map(|place| place.display().to_string()).unwrap_or_default(),
        readable(limit)
    );
    let hint = "remove there what nobody needs, or raise the limit; then `callbox resume` goes on";
    Fault::new("sandbox_full", message).hinted(hint)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_words_name_the_place_the_size_the_limit_and_the_command() {
        let setup = AtWork::Command { field: "setup", command: "npm ci" };
        for at_work in [AtWork::Agent, setup] {
            let message = full(&["/s/1/1".into()], at_work, 3 << 20, 2 << 20).message;
            for words in ["the run took 3 MiB", "`/s/1/1`", "`sandbox.max_each`", "2 MiB"] {
                assert!(message.contains(words), "{message}");
            }
            assert_eq!(
                message.contains("`setup` was ended (`npm ci`)"),
                matches!(at_work, AtWork::Command { .. })
            );
        }
    }
}
