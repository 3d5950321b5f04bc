//! How a run ended. Nothing here defaults to success.

use super::{
    reader::AcpReader,
    refusal::{Meaning, Refusal, is_unknown_session},
};
use crate::{
    acp::{End, Stage},
    agents::{
        Conclusion, Reader as _, gemini, last_words,
        shorten::{cut, shorten, with_tail},
    },
    vocabulary::{AgentEnd, Exit, Fault},
};

/// How much of a program's own words goes into a fault, in characters.
const FAULT: usize = 1000;

/// Statuses of a client that said its end and was then ended by SIGINT, SIGKILL or SIGTERM.
const ENDED: [i32; 4] = [0, 130, 137, 143];

/// The conclusion of `run`.
pub(super) fn conclude(run: AcpReader, exit: Exit, stderr_tail: &str) -> Conclusion {
    let session_unknown = matches!(
        &run.end,
        Some(End::Refused { stage: Stage::Resume, code, message, data }) if is_unknown_session(*code, message, data)
    );
    let end = if session_unknown {
        let message = format!("`{}` does not find the session", run.agent);
        failed(Fault::new("session_unknown", message))
    } else {
        end(&run, exit, stderr_tail)
    };
    Conclusion {
        end,
        turn_taken: run.turn_taken,
        session: run.session,
        session_unknown,
        final_message: run.speech.into_words(),
        usage: run.usage,
        denials: run.denials.into_kinds(),
        wiring: run.wiring,
    }
}

fn end(run: &AcpReader, exit: Exit, stderr_tail: &str) -> AgentEnd {
    let agent = &run.agent;
    let with_words =
        |message: String| failed(Fault::new("agent_error", with_tail(message, stderr_tail, FAULT)));
    // Without its shim a run ends "well" all the same.
    if let Some(fault) = &run.wiring {
        return failed(fault.clone());
    }
    // What was ended for this ends as something else.
    if let Some(end) = run.hopeless().filter(|_| !matches!(run.end, Some(End::Turn { .. }))) {
        return end;
    }
    match &run.end {
        None => failed(last_words::without_result(agent, exit, stderr_tail)),
        Some(End::Turn { stop, .. }) if stop == "end_turn" => well(run, exit, stderr_tail),
        Some(End::Turn { stop, .. }) => failed(stopped(agent, stop)),
        Some(End::Refused { stage, code, message, data }) => {
            let refusal = Refusal::read(*code, message, data, run.ended_at);
            refused(run, *stage, &refusal, stderr_tail)
        }
        Some(End::Gone { stage }) => with_words(format!(
            "`{agent}` ended in the middle of the run, when it was asked {}",
            asked(*stage)
        )),
        Some(End::Unfit { lacks }) => {
            failed(Fault::new("agent_error", format!("`{agent}` {}", shorten(lacks, 300))))
        }
        Some(End::NotStarted { reason }) => failed(Fault::new(
            "agent_error",
            format!("`{agent}` could not be started: {}", cut(reason, FAULT)),
        )),
        Some(End::Stopped) => {
            failed(Fault::new("agent_error", format!("`{agent}` was stopped before its turn was over")))
        }
        Some(End::Broken { reason }) => {
            let message =
                format!("callbox's client of the Agent Client Protocol failed: {}", cut(reason, FAULT));
            failed(Fault::new("internal", message))
        }
    }
}

fn well(run: &AcpReader, exit: Exit, stderr_tail: &str) -> AgentEnd {
    let agent = &run.agent;
    match exit {
        _ if !run.turn_taken => {
            let message = format!("`{agent}` ended without a turn: its model took no turn");
            failed(Fault::new("no_turn", message))
        }
        Exit::Signal(_) => AgentEnd::Finished,
        Exit::Code(code) if ENDED.contains(&code) => AgentEnd::Finished,
        Exit::Code(code) => {
            let message =
                format!("`{agent}` said that all went well and its client exited with status {code}");
            failed(Fault::new("agent_error", with_tail(message, stderr_tail, FAULT)))
        }
    }
}

/// The words for a turn that ended, and not because the agent was done.
fn stopped(agent: &str, stop: &str) -> Fault {
    let why = match stop {
        "max_tokens" => "its model reached its limit of tokens".to_owned(),
        "max_turn_requests" => "it reached its limit of requests to the model".to_owned(),
        "refusal" => "the model refused to go on".to_owned(),
        "cancelled" => "it says that it was cancelled, and nobody did that".to_owned(),
        other => format!("it gives `{}` for the reason", shorten(other, 80)),
    };
    let fault = Fault::new("agent_error", format!("`{agent}` ended its turn before it was done: {why}"));
    if stop == "max_turn_requests" { fault.hinted("`callbox resume` goes on") } else { fault }
}

fn refused(run: &AcpReader, stage: Stage, refusal: &Refusal, stderr_tail: &str) -> AgentEnd {
    let message = cut(&refusal.words, FAULT);
    match refusal.meaning {
        Meaning::Login => AgentEnd::Auth { message },
        Meaning::ForNow => {
            // Gemini CLI tells it there alone.
            let until = refusal.until.or(run.resets_at);
            let until = until.or_else(|| gemini::reported_reset(stderr_tail, run.ended_at));
            AgentEnd::RateLimited { until, message }
        }
        Meaning::Provider => failed(Fault::new("provider", message)),
        Meaning::Program => {
            let message = format!(
                "`{}` answered with an error when it was asked {}: {message}",
                run.agent,
                asked(stage)
            );
            failed(Fault::new("agent_error", message))
        }
    }
}

fn asked(stage: Stage) -> &'static str {
    match stage {
        Stage::Initialize => "who it is",
        Stage::New => "to open a session",
        Stage::Resume => "to go on with the session",
        Stage::Settings => "to use the mode or the model of the task",
        Stage::Prompt => "to do the task",
    }
}

fn failed(fault: Fault) -> AgentEnd {
    AgentEnd::Failed { fault }
}
