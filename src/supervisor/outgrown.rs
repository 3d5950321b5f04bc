//! Whether a run outgrows the room it was given, looked at while its agent works.

use std::{path::PathBuf, time::Duration};

use tokio::time::{Instant, sleep};

use super::{apart::apart, execution::Execution};
use crate::{
    sandbox::{readable, taken},
    vocabulary::{AgentEnd, Fault},
};

/// The shortest time between two looks.
const EVERY: Duration = Duration::from_secs(2);
/// How many times as long as a look took nobody looks again: many files take long to be counted.
const PAUSE: u32 = 50;

/// Ends once the sandbox and the temporary files of `execution` take more than they may; with the end of the run.
/// Never, where there is no limit.
pub(super) async fn outgrown(execution: &Execution) -> AgentEnd {
    let Some(limit) = execution.plan.sandbox.max_each else { return std::future::pending().await };
    let places = vec![execution.directory(), execution.tmp()];
    let mut pause = EVERY;
    loop {
        sleep(pause).await;
        let begun = Instant::now();
        let looked = places.clone();
        match apart(move || taken(&looked)).await {
            Ok(size) if size > limit => return full(&places, size, limit),
            Ok(_) => {}
            Err(error) => tracing::warn!(%error, "what the run takes could not be looked at"),
        }
        pause = EVERY.max(begun.elapsed() * PAUSE);
    }
}

fn full(places: &[PathBuf], size: u64, limit: u64) -> AgentEnd {
    let message = format!(
        "the run took {} in `{}` with its temporary files, and `sandbox.max_each` of the configuration is {}",
        readable(size),
        places.first().map(|place| place.display().to_string()).unwrap_or_default(),
        readable(limit)
    );
    let hint = "remove there what nobody needs, or raise the limit; then `callbox resume` goes on";
    AgentEnd::Unavailable { fault: Fault::new("sandbox_full", message).hinted(hint) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_words_name_the_place_the_size_and_the_limit() {
        let AgentEnd::Unavailable { fault } = full(&["/s/1/1".into()], 3 << 20, 2 << 20) else { panic!() };
        for words in ["`/s/1/1`", "3 MiB", "`sandbox.max_each`", "2 MiB"] {
            assert!(fault.message.contains(words), "{}", fault.message);
        }
    }
}
