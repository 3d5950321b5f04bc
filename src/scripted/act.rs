//! The steps that are not calls of callbox's tools: what an agent does, and how agents misbehave.

use std::{
    io::Write as _,
    process::{Command, Stdio},
};

use super::{
    commit::commit,
    play::Ended,
    say::{Line, say},
    session::Session,
    step::Step,
    write::write,
};
use crate::ids::Timestamp;

/// Does `step`; a value ends the turn.
pub(super) async fn act(step: &Step, session: &mut Session) -> Option<Ended> {
    match step {
        Step::Write { path, text } => failed("write", write(&session.fill(path), &session.fill(text))),
        Step::Commit(message) => failed("commit", commit(&session.fill(message))),
        Step::Sleep(time) => {
            tokio::time::sleep(*time).await;
            None
        }
        Step::Cost(dollars) => {
            say(&Line::Usage { cost_usd: Some(*dollars), tokens_in: Some(100), tokens_out: Some(10) });
            None
        }
        Step::RateLimit(reset) => {
            say(&Line::RateLimit { reset: reset.map(|time| Timestamp::now().plus(time)) });
            Some(Ended::Badly { code: "rate_limit", message: "the provider refuses for now".to_owned() })
        }
        Step::Deny(tool) => {
            say(&Line::Denied { tool, input: "as the script says" });
            None
        }
        Step::Auth => {
            say(&Line::Auth { message: "the provider refused the login" });
            Some(Ended::Badly { code: "auth", message: "the provider refused the login".to_owned() })
        }
        Step::Exit(status) => Some(Ended::Silently(*status)),
        Step::Crash => {
            // The step is behind before the end, so that a resume goes on after it.
            let _ = session.advance();
            std::process::abort()
        }
        Step::Hang => {
            hang().await;
            None
        }
        Step::Orphan(time) => failed("orphan", orphan(*time)),
        Step::Flood(bytes) => {
            flood(*bytes);
            None
        }
        Step::ProseQuestion(words) => Some(Ended::Well(session.fill(words))),
        Step::Call { .. } | Step::Print(_) => None,
    }
}

fn failed(code: &'static str, outcome: Result<(), String>) -> Option<Ended> {
    outcome.err().map(|message| Ended::Badly { code, message })
}

/// Takes SIGTERM and does nothing about it, for ever.
async fn hang() {
    let terminate = tokio::signal::unix::signal(tokio::signal::unix::SignalKind::terminate());
    if let Ok(mut terminate) = terminate {
        while terminate.recv().await.is_some() {}
    }
    std::future::pending::<()>().await;
}

fn orphan(time: std::time::Duration) -> Result<(), String> {
    let script = format!("setsid sleep {} >/dev/null 2>&1 </dev/null &", time.as_secs_f64());
    let status = Command::new("sh").arg("-c").arg(script).stdin(Stdio::null()).status();
    status.map(|_| ()).map_err(|error| error.to_string())
}

fn flood(bytes: u64) {
    let line = [b"{\"event\":\"noise\",\"text\":\"".as_slice(), &[b'x'; 4000], b"\"}\n"].concat();
    let mut output = std::io::stdout().lock();
    let mut left = bytes;
    while left > 0 {
        if output.write_all(&line).is_err() {
            return;
        }
        left = left.saturating_sub(line.len() as u64);
    }
    let _ = output.flush();
}
