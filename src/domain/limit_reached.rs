//! The words for a run that was ended because it took too long.

use std::time::Duration;

use crate::vocabulary::{AgentEnd, ClosedBy, Fault};

/// How long a run stays open that no process of callbox's is with. By the clock on the wall: nobody is there to count
/// the time awake, and what it limits is how long a token that stands in a file is worth anything.
pub const LONGEST_UNBOUND: Duration = Duration::from_secs(24 * 3600);

/// The fault, where `end` is such an end.
pub fn limit_reached(end: &AgentEnd) -> Option<Fault> {
    let message = match end {
        AgentEnd::TimedOut { seconds } => format!("the run reached its limit of {seconds} s (`timeout`)"),
        AgentEnd::Idle { seconds } => format!(
            "the run was idle: its agent said nothing and its processes did nothing for {seconds} s (`idle_timeout`)"
        ),
        AgentEnd::Closed { by: ClosedBy::Time } => {
            let message = format!(
                "its run was open for {} hours, the longest, and nobody ended it",
                LONGEST_UNBOUND.as_secs() / 3600
            );
            return Some(Fault::new("timed_out", message).hinted("`callbox mcp-config` opens another run"));
        }
        _ => return None,
    };
    let hint = "`callbox resume` goes on in the same conversation, with the same limit";
    Some(Fault::new("timed_out", message).hinted(hint))
}
