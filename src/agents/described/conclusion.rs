//! How a run of a described program ended. Nothing here defaults to success.

use super::reader::LineReader;
use crate::{
    agents::{Conclusion, last_words, shorten::with_tail},
    vocabulary::{AgentEnd, Exit, Fault, LineEnd},
};

/// How much of a program's own words goes into a fault, in characters.
const FAULT: usize = 1000;

/// Statuses of a program that gave its result and was then ended by SIGINT, SIGKILL or SIGTERM.
const ENDED: [i32; 4] = [0, 130, 137, 143];

/// The conclusion of `run`.
pub(super) fn conclude(run: LineReader, exit: Exit, stderr_tail: &str) -> Conclusion {
    let session_unknown = !run.turn_taken && is_gone(&run, stderr_tail);
    Conclusion {
        end: end(&run, exit, stderr_tail, session_unknown),
        turn_taken: run.turn_taken,
        session: run.session,
        session_unknown,
        final_message: run.said,
        usage: run.usage,
        denials: run.denials.into_kinds(),
        wiring: run.wiring,
    }
}

fn is_gone(run: &LineReader, stderr_tail: &str) -> bool {
    let said = run.trouble.as_ref().map_or("", |trouble| &trouble.words);
    run.unknown.iter().any(|words| stderr_tail.contains(words) || said.contains(words))
}

fn end(run: &LineReader, exit: Exit, stderr_tail: &str, session_unknown: bool) -> AgentEnd {
    let name = &run.name;
    let agent_error = |message: String| failed("agent_error", with_tail(message, stderr_tail, FAULT));
    // Without its shim a run ends "well" all the same.
    if let Some(fault) = &run.wiring {
        return AgentEnd::Failed { fault: fault.clone() };
    }
    match (run.end, &run.trouble) {
        _ if session_unknown => failed(
            "session_unknown",
            with_tail(format!("`{name}` does not find the session"), stderr_tail, FAULT),
        ),
        (_, Some(trouble)) => trouble.end(name),
        (Some(LineEnd::Badly), None) => {
            agent_error(format!("`{name}` ended its run badly and did not say why"))
        }
        (Some(LineEnd::Well), None) if !run.turn_taken => {
            failed("no_turn", format!("`{name}` ended without a turn: its model took no turn"))
        }
        (Some(LineEnd::Well), None) => match exit {
            Exit::Signal(_) => AgentEnd::Finished,
            Exit::Code(code) if ENDED.contains(&code) => AgentEnd::Finished,
            Exit::Code(code) => {
                agent_error(format!("`{name}` said that all went well and exited with status {code}"))
            }
        },
        (None, None) => {
            AgentEnd::Failed { fault: last_words::without_result(&format!("`{name}`"), exit, stderr_tail) }
        }
    }
}

fn failed(code: &'static str, message: String) -> AgentEnd {
    AgentEnd::Failed { fault: Fault::new(code, message) }
}
