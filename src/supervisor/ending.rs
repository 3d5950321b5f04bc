//! What a run came to: the adapter's conclusion, the reason it was ended for, what is left of its
//! processes, and the state of its work, put together. Pure.

use super::{conversation::Held, watch::Cause};
use crate::{
    agents::{Adapter, Conclusion},
    sandbox::{WorkError, WorkState},
    vocabulary::{AgentEnd, Ending, Fault, Shortage, with_sources},
};

/// What is reported of a run of `adapter`'s program. `work` is absent where the agent had no project.
/// The run must not be disowned.
pub(super) fn ending(run: Held, work: Option<Result<WorkState, WorkError>>, adapter: &dyn Adapter) -> Ending {
    let Held { conclusion, exit, cause, survivors } = run;
    let Conclusion { turn_taken, session, final_message, usage, denials, .. } = conclusion;
    let mut end = match cause.and_then(ended_for) {
        Some(end) => end,
        None => conclusion.wiring.map_or(conclusion.end, |fault| AgentEnd::Failed { fault }),
    };
    if let (AgentEnd::Finished, Some(survivors)) = (&end, &survivors) {
        end = AgentEnd::Failed { fault: fault("processes", survivors, None) };
    }
    let (changed, head) = match work {
        None => (false, None),
        Some(Ok(work)) => (work.changed, Some(work.head)),
        Some(Err(error)) => {
            if end == AgentEnd::Finished {
                end = AgentEnd::Failed { fault: fault("sandbox", &error, None) };
            }
            (false, None)
        }
    };
    let allowing = denials.first().map(|denial| adapter.allowing(denial));
    let exit = Some(exit);
    Ending { end, exit, turn_taken, session, final_message, usage, denials, allowing, changed, head }
}

/// The end that follows from the reason a run was ended for; `None` where the agent's own word counts.
pub(super) fn ended_for(cause: Cause) -> Option<AgentEnd> {
    match cause {
        Cause::Done | Cause::Disowned => None,
        Cause::Stopped(reason) => Some(AgentEnd::Stopped { reason }),
        Cause::Interrupted => Some(AgentEnd::Interrupted),
        Cause::Fault(fault) => Some(AgentEnd::Failed { fault }),
        Cause::Hopeless(end) => Some(end),
        Cause::TimedOut { seconds } => Some(AgentEnd::TimedOut { seconds }),
        Cause::Idle { seconds } => Some(AgentEnd::Idle { seconds }),
    }
}

/// What people read of `error`: its whole chain, and what to do: `hint`, unless the machine has run out of
/// something, which is then all that is to be done about.
pub(super) fn fault(code: &str, error: &(dyn std::error::Error + 'static), hint: Option<&str>) -> Fault {
    let fault = Fault::new(code, with_sources(error));
    match (Shortage::behind(error).or_else(|| Shortage::told_by(&fault.message)), hint) {
        (Some(shortage), _) => fault.hinted(shortage.hint()),
        (None, Some(hint)) => fault.hinted(hint),
        (None, None) => fault,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        agents::Claude,
        process::{Process, Survivors},
        vocabulary::{Denial, Exit, StopReason, Usage},
    };

    fn held(end: AgentEnd, cause: Option<Cause>) -> Held {
        Held {
            conclusion: Conclusion {
                end,
                turn_taken: true,
                session: Some("s".to_owned()),
                session_unknown: false,
                final_message: None,
                usage: Usage::default(),
                denials: Vec::new(),
                wiring: None,
            },
            exit: Exit::Code(0),
            cause,
            survivors: None,
        }
    }

    fn end(held: Held) -> AgentEnd {
        let work = WorkState { head: "c0ffee".to_owned(), changed: true, uncommitted: 0, commits: 1 };
        ending(held, Some(Ok(work)), &Claude).end
    }

    #[test]
    fn an_agent_that_gave_its_result_and_had_to_be_ended_keeps_it() {
        assert_eq!(end(held(AgentEnd::Finished, Some(Cause::Done))), AgentEnd::Finished);
    }

    #[test]
    fn the_reason_it_was_ended_for_counts_before_what_it_said_of_that() {
        let killed = AgentEnd::Failed { fault: Fault::new("agent_error", "ended by signal 15") };
        for (cause, expected) in [
            (Cause::TimedOut { seconds: 5 }, AgentEnd::TimedOut { seconds: 5 }),
            (Cause::Interrupted, AgentEnd::Interrupted),
            (Cause::Stopped(StopReason::Budget), AgentEnd::Stopped { reason: StopReason::Budget }),
        ] {
            assert_eq!(end(held(killed.clone(), Some(cause))), expected);
        }
    }

    #[test]
    fn a_denial_comes_with_the_line_that_would_allow_it() {
        let mut denied = held(AgentEnd::Finished, None);
        denied.conclusion.denials = vec![Denial { tool: "Bash".to_owned(), input: String::new(), count: 1 }];
        let ending = ending(denied, None, &Claude);
        assert_eq!(ending.allowing.as_deref(), Some("permissions: edit"));
    }

    #[test]
    fn nothing_ends_well_while_a_process_is_left_or_the_work_is_unreadable() {
        let process = Process::current().unwrap();
        let survivors = Some(Survivors::Alive { processes: vec![process] });
        let left = Held { survivors, ..held(AgentEnd::Finished, None) };
        let AgentEnd::Failed { fault } = end(left) else { panic!("a process is left") };
        assert!(fault.message.contains(&process.pid.to_string()), "{}", fault.message);

        let error = WorkError::NoCommit { reference: "refs/heads/x".to_owned() };
        let unread = ending(held(AgentEnd::Finished, None), Some(Err(error)), &Claude);
        assert!(matches!(unread.end, AgentEnd::Failed { fault } if fault.code == "sandbox"));
    }

    #[test]
    fn a_shim_the_program_itself_said_has_failed_is_a_failure() {
        let mut unwired = held(AgentEnd::Finished, None);
        unwired.conclusion.wiring = Some(Fault::new("wiring", "it failed"));
        assert!(matches!(end(unwired), AgentEnd::Failed { fault } if fault.code == "wiring"));
    }
}
