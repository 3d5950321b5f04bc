//! How a run of Codex ended. Nothing here defaults to success.

use super::{
    reader::{CodexReader, Verdict},
    refusal::{Meaning, meaning, sentence},
};
use crate::{
    agents::{
        Conclusion,
        last_words::without_result,
        mcp_config::SERVER_NAME,
        shorten::{cut, shorten, with_tail},
    },
    vocabulary::{AgentEnd, Exit, Fault},
};

/// How much is kept of an agent's last words, in characters.
pub(super) const WORDS: usize = 20_000;

/// How much of a program's own words goes into a fault, in characters.
const FAULT: usize = 1000;

/// Statuses of a program that ended its turn and was then ended by SIGINT, SIGKILL or SIGTERM.
const ENDED: [i32; 4] = [0, 130, 137, 143];

/// What Codex says of a conversation it does not know.
const NO_SESSION: &str = "no rollout found for thread id";

/// What it says of servers that it needs and that do not start, before their names.
const NO_SERVER: &str = "required MCP servers failed to initialize: ";

/// The conclusion of `run`.
pub(super) fn conclude(mut run: CodexReader, exit: Exit, stderr_tail: &str) -> Conclusion {
    let session_unknown = run.session.is_none() && stderr_tail.contains(NO_SESSION);
    if run.wiring.is_none() && run.session.is_none() {
        run.wiring = unstarted_shim(stderr_tail);
    }
    for number in run.commands_denied..run.violations {
        run.denials.add(&format!("command {number}"), "exec_command", "");
    }
    Conclusion {
        end: end(&run, session_unknown, exit, stderr_tail),
        turn_taken: run.turn_taken,
        session: run.session,
        session_unknown,
        final_message: run.words,
        usage: run.usage,
        denials: run.denials.into_kinds(),
        wiring: run.wiring,
    }
}

/// The words for a login that was refused.
pub(super) fn login_refused(words: &str) -> String {
    format!("the provider refused the login: {}", cut(&sentence(words), FAULT))
}

/// The fault of a shim that does not work.
pub(super) fn wiring(why: &str) -> Fault {
    Fault::new("wiring", why).hinted("`callbox doctor --agent codex` shows what is wrong with it")
}

fn end(run: &CodexReader, session_unknown: bool, exit: Exit, stderr_tail: &str) -> AgentEnd {
    // Without its shim, or with commands that all fail, a run ends "well" all the same.
    if let Some(fault) = run.wiring.as_ref().or(run.unheld.as_ref()) {
        return failed(fault.clone());
    }
    if let Some(message) = &run.login_refused {
        return AgentEnd::Auth { message: message.clone() };
    }
    match &run.verdict {
        None if session_unknown => {
            failed(Fault::new("session_unknown", "Codex no longer knows the conversation"))
        }
        None => failed(
            unstarted_server(stderr_tail)
                .unwrap_or_else(|| without_result("Codex", exit, &tail(run, stderr_tail))),
        ),
        Some(Verdict::Badly(words)) => badly(run, words),
        Some(Verdict::Unclear) => failed(Fault::new(
            "agent_error",
            with_tail(
                "Codex ended its turn in a way that callbox does not understand".to_owned(),
                stderr_tail,
                FAULT,
            ),
        )),
        Some(Verdict::Well) if !run.turn_taken => {
            failed(Fault::new("no_turn", "Codex ended without a turn: its model said and did nothing"))
        }
        Some(Verdict::Well) => match exit {
            Exit::Signal(_) => AgentEnd::Finished,
            Exit::Code(code) if ENDED.contains(&code) => AgentEnd::Finished,
            Exit::Code(code) => {
                let message = format!("Codex said that all went well and exited with status {code}");
                failed(Fault::new("agent_error", with_tail(message, stderr_tail, FAULT)))
            }
        },
    }
}

fn badly(run: &CodexReader, words: &str) -> AgentEnd {
    let message = cut(&sentence(words), FAULT);
    match meaning(words) {
        Meaning::Login => AgentEnd::Auth { message: login_refused(words) },
        Meaning::ForNow => AgentEnd::RateLimited { until: run.resets_at, message },
        Meaning::Provider => failed(Fault::new("provider", message)),
        Meaning::Codex => {
            failed(Fault::new("agent_error", format!("Codex ended its turn with an error: {message}")))
        }
    }
}

/// What was said last: of a run that broke off, Codex's own words for what failed come first.
fn tail(run: &CodexReader, stderr_tail: &str) -> String {
    let words = run.error.iter().map(String::as_str);
    words.chain([stderr_tail.trim()]).filter(|words| !words.is_empty()).collect::<Vec<_>>().join("; ")
}

/// What Codex says of the servers that it could not start.
fn unstarted(stderr_tail: &str) -> Option<String> {
    let (_, rest) = stderr_tail.split_once(NO_SERVER)?;
    Some(shorten(rest.lines().next().unwrap_or_default(), 300))
}

/// The fault where the shim is among them.
fn unstarted_shim(stderr_tail: &str) -> Option<Fault> {
    let why = unstarted(stderr_tail).filter(|why| why.contains(&format!("{SERVER_NAME}: ")))?;
    Some(wiring(&format!("Codex could not start the shim: {why}")))
}

/// The fault where only servers of the person's own are.
fn unstarted_server(stderr_tail: &str) -> Option<Fault> {
    let message = format!("Codex could not start an MCP server of yours: {}", unstarted(stderr_tail)?);
    let hint = "correct it under `[agents.codex.mcp_servers]` of the configuration; Codex tells nobody when it goes on \
                without one";
    Some(Fault::new("agent_error", message).hinted(hint))
}

fn failed(fault: Fault) -> AgentEnd {
    AgentEnd::Failed { fault }
}
