//! How a run of Gemini CLI ended. Nothing here defaults to success.

use super::{
    reader::GeminiReader,
    refusal::{Meaning, Refusal},
    reset_time::reset_time,
    result_event::{ResultEvent, Verdict},
};
use crate::{
    agents::{
        Conclusion, last_words,
        shorten::{cut, shorten, with_tail},
    },
    ids::Timestamp,
    vocabulary::{AgentEnd, Exit, Fault},
};

/// How much of a program's own words goes into a fault, in characters.
const FAULT: usize = 1000;

/// Statuses of a program that gave its result and was then ended by SIGINT, SIGKILL or SIGTERM.
const ENDED: [i32; 4] = [0, 130, 137, 143];

/// What it exits with where there is no login to ask with.
const NO_LOGIN: i32 = 41;
/// What it exits with where it cannot use what it was given, such as a session that is not there.
const WRONG_INPUT: i32 = 42;

/// The conclusion of `run`.
pub(super) fn conclude(run: GeminiReader, exit: Exit, stderr_tail: &str) -> Conclusion {
    let session_unknown =
        run.result.is_none() && exit == Exit::Code(WRONG_INPUT) && resumed_in_vain(stderr_tail);
    Conclusion {
        end: end(&run, exit, stderr_tail),
        turn_taken: run.turn_taken,
        session: run.session,
        session_unknown,
        final_message: run.speech.into_words(),
        usage: run.usage,
        denials: run.denials.into_kinds(),
        wiring: run.wiring,
    }
}

fn resumed_in_vain(stderr_tail: &str) -> bool {
    stderr_tail.contains("Error resuming session:")
}

fn end(run: &GeminiReader, exit: Exit, stderr_tail: &str) -> AgentEnd {
    // Without its shim a run ends "well" all the same.
    if let Some(fault) = &run.wiring {
        return failed(fault.clone());
    }
    let Some(result) = &run.result else { return without_result(exit, stderr_tail) };
    match &result.verdict {
        Verdict::Well => match (&run.trouble, exit) {
            _ if !run.turn_taken => {
                failed(Fault::new("no_turn", "Gemini CLI ended without a turn: its model took no turn"))
            }
            (Some(trouble), _) => failed(badly("error", trouble)),
            (None, Exit::Signal(_)) => AgentEnd::Finished,
            (None, Exit::Code(code)) if ENDED.contains(&code) => AgentEnd::Finished,
            (None, Exit::Code(code)) => {
                let message = format!("Gemini CLI said that all went well and exited with status {code}");
                failed(Fault::new("agent_error", with_tail(message, stderr_tail, FAULT)))
            }
        },
        Verdict::Badly { kind, words } => match Refusal::read(words, exit) {
            Some(refusal) => refused(&refusal, result, stderr_tail),
            None => failed(badly(kind, run.trouble.as_ref().filter(|_| words.is_empty()).unwrap_or(words))),
        },
    }
}

fn refused(refusal: &Refusal, result: &ResultEvent, stderr_tail: &str) -> AgentEnd {
    let message = cut(&refusal.line(), FAULT);
    match refusal.meaning() {
        Meaning::Login => AgentEnd::Auth { message },
        Meaning::ForNow => {
            let at = result.at.unwrap_or_else(|| Timestamp::from_millis(0));
            let until = reset_time(&refusal.words, at).or_else(|| reset_time(report(stderr_tail), at));
            AgentEnd::RateLimited { until: until.filter(|_| result.at.is_some()), message }
        }
        Meaning::ForGood => failed(Fault::new("provider", message)),
    }
}

/// When a provider that refuses for now will serve again, as the program reports it on standard error.
pub(in crate::agents) fn reported_reset(stderr_tail: &str, at: Timestamp) -> Option<Timestamp> {
    reset_time(report(stderr_tail), at)
}

/// What the program reports of the provider's last refusal: all else on standard error may be the words of tools.
fn report(stderr_tail: &str) -> &str {
    stderr_tail.rfind("Error when talking to Gemini API").map_or("", |start| &stderr_tail[start..])
}

fn badly(kind: &str, words: &str) -> Fault {
    let kind = shorten(kind, 80);
    let message = if words.is_empty() {
        format!("Gemini CLI ended its run with `{kind}`")
    } else {
        format!("Gemini CLI ended its run with `{kind}`: {}", cut(words, FAULT))
    };
    let fault = Fault::new("agent_error", message);
    match kind.as_str() {
        "FatalTurnLimitedError" => {
            fault.hinted("`options: {max_turns: …}` sets the limit; `callbox resume` goes on")
        }
        _ => fault,
    }
}

/// Ended by a signal it exits with 0 and says nothing.
fn without_result(exit: Exit, stderr_tail: &str) -> AgentEnd {
    let told = |message: &str| with_tail(message.to_owned(), stderr_tail, FAULT);
    match exit {
        Exit::Code(NO_LOGIN) => AgentEnd::Auth { message: told("Gemini CLI has no login that works here") },
        Exit::Code(WRONG_INPUT) if resumed_in_vain(stderr_tail) => {
            failed(Fault::new("session_unknown", told("Gemini CLI does not find the session")))
        }
        exit => failed(last_words::without_result("Gemini CLI", exit, stderr_tail)),
    }
}

fn failed(fault: Fault) -> AgentEnd {
    AgentEnd::Failed { fault }
}
