//! The words for a run that was ended because it took too long.

use crate::vocabulary::{AgentEnd, Fault};

/// The fault, where `end` is such an end.
pub fn limit_reached(end: &AgentEnd) -> Option<Fault> {
    let message = match end {
        AgentEnd::TimedOut { seconds } => format!("the run reached its limit of {seconds} s (`timeout`)"),
        AgentEnd::Idle { seconds } => format!(
            "the run was idle: its agent said nothing and its processes did nothing for {seconds} s (`idle_timeout`)"
        ),
        _ => return None,
    };
    let hint = "`callbox resume` goes on in the same conversation, with the same limit";
    Some(Fault::new("timed_out", message).hinted(hint))
}
