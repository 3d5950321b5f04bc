//! How a run of Claude Code ended. Nothing here defaults to success.

use super::{
    reader::ClaudeReader,
    refusal::{Meaning, Refusal},
    result_event::Verdict,
};
use crate::{
    agents::{
        Conclusion,
        last_words::without_result,
        shorten::{cut, shorten, with_tail},
    },
    vocabulary::{AgentEnd, Exit, Fault},
};

/// How much is kept of an agent's last words, in characters.
pub(super) const WORDS: usize = 20_000;

/// How much of a program's own words goes into a fault, in characters.
const FAULT: usize = 1000;

/// Statuses of a program that gave its result and was then ended by SIGINT, SIGKILL or SIGTERM.
const ENDED: [i32; 4] = [0, 130, 137, 143];

/// The conclusion of `run`.
pub(super) fn conclude(run: ClaudeReader, exit: Exit, stderr_tail: &str) -> Conclusion {
    let end = end(&run, exit, stderr_tail);
    let last = match &run.verdict {
        Some(Verdict::Well(words)) if !words.is_empty() => Some(cut(words, WORDS)),
        _ => run.words,
    };
    Conclusion {
        end,
        turn_taken: run.turn_taken,
        session: run.session,
        session_unknown: matches!(run.verdict, Some(Verdict::SessionUnknown(_))),
        final_message: last,
        usage: run.meter.usage(),
        denials: run.denials.into_kinds(),
        wiring: run.wiring,
    }
}

/// The words for a login that was refused more than once.
pub(super) fn login_refused(refusal: &Refusal) -> String {
    format!("the provider refused the login: {}", refusal.words())
}

fn end(run: &ClaudeReader, exit: Exit, stderr_tail: &str) -> AgentEnd {
    // Without its shim a run ends "well" all the same.
    if let Some(fault) = &run.wiring {
        return failed(fault.clone());
    }
    // What was ended for this writes a result of its own, about the interruption.
    if let Some(refusal) = &run.login_refused {
        return AgentEnd::Auth { message: login_refused(refusal) };
    }
    let Some(verdict) = &run.verdict else {
        return failed(without_result("Claude Code", exit, stderr_tail));
    };
    match verdict {
        Verdict::Well(_) if !run.turn_taken => failed(no_turn("its model took no turn")),
        Verdict::Well(_) => match exit {
            Exit::Signal(_) => AgentEnd::Finished,
            Exit::Code(code) if ENDED.contains(&code) => AgentEnd::Finished,
            Exit::Code(code) => {
                let message = format!("Claude Code said that all went well and exited with status {code}");
                failed(Fault::new("agent_error", with_tail(message, stderr_tail, FAULT)))
            }
        },
        Verdict::Command(command) => {
            failed(no_turn(&format!("it took the message for its command `/{}`", shorten(command, 40))))
        }
        Verdict::SessionUnknown(words) => failed(Fault::new("session_unknown", shorten(words, FAULT))),
        Verdict::Refused(refusal, words) => refused(run, refusal, words),
        Verdict::Badly { reason, words } if reason == "budget_exhausted" => {
            AgentEnd::Spent { message: cut(words, FAULT) }
        }
        Verdict::Badly { reason, words } => failed(badly(reason, words)),
    }
}

fn refused(run: &ClaudeReader, refusal: &Refusal, words: &str) -> AgentEnd {
    let message = if words.is_empty() { refusal.words() } else { cut(words, FAULT) };
    match refusal.meaning() {
        Meaning::Login => AgentEnd::Auth { message },
        Meaning::ForNow => AgentEnd::RateLimited { until: run.resets_at, message },
        Meaning::ForGood => failed(Fault::new("provider", message)),
    }
}

fn badly(reason: &str, words: &str) -> Fault {
    let reason = shorten(reason, 80);
    let message = if words.is_empty() {
        format!("Claude Code ended its run with `{reason}`")
    } else {
        format!("Claude Code ended its run with `{reason}`: {}", cut(words, FAULT))
    };
    let fault = Fault::new("agent_error", message);
    match reason.as_str() {
        "max_turns" => fault.hinted("`options: {max_turns: …}` sets the limit; `callbox resume` goes on"),
        _ => fault,
    }
}

fn no_turn(why: &str) -> Fault {
    Fault::new("no_turn", format!("Claude Code ended without a turn: {why}"))
}

fn failed(fault: Fault) -> AgentEnd {
    AgentEnd::Failed { fault }
}
