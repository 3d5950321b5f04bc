//! What a transcript says of an end that was not the agent's own. Pure.

use crate::vocabulary::{AgentEnd, StopReason};

/// The last line of the transcript of a run that ended so; `None` where the agent's own words say it all.
pub(super) fn last_words(end: &AgentEnd) -> Option<String> {
    let why = match end {
        AgentEnd::Finished => return None,
        AgentEnd::Failed { fault } | AgentEnd::Unavailable { fault } => {
            format!("the run failed: {}", fault.message)
        }
        AgentEnd::RateLimited { message, .. } => format!("the provider refuses for now: {message}"),
        AgentEnd::Auth { message } | AgentEnd::Spent { message } => message.clone(),
        AgentEnd::TimedOut { seconds } => format!("the run reached its limit of {seconds} s"),
        AgentEnd::Idle { seconds } => format!("the run was idle for {seconds} s"),
        AgentEnd::Stopped { reason: StopReason::Cancelled } => "the run was cancelled".to_owned(),
        AgentEnd::Stopped { reason: StopReason::Budget } => "the run was ended for its budget".to_owned(),
        AgentEnd::Stopped { reason: StopReason::Asked } => {
            "the turn was ended behind its question".to_owned()
        }
        AgentEnd::Stopped { reason: StopReason::Told } => "the turn was ended for a message".to_owned(),
        AgentEnd::Interrupted => "the run was interrupted".to_owned(),
        AgentEnd::Closed { .. } => "the run was closed".to_owned(),
    };
    Some(format!("[callbox: {why}]"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::vocabulary::Fault;

    #[test]
    fn only_an_end_of_the_agents_own_says_nothing() {
        assert_eq!(last_words(&AgentEnd::Finished), None);
        let fault = Fault::new("wiring", "the shim is gone");
        let failed = last_words(&AgentEnd::Failed { fault }).unwrap();
        assert_eq!(failed, "[callbox: the run failed: the shim is gone]");
    }
}
