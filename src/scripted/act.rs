//! Does one step.

use std::path::Path;

use super::{
    call,
    commit::commit,
    meter::Meter,
    misbehave::{crash, flood, hang, orphan},
    play::{Ended, Next},
    say::{Line, say},
    step::Step,
    tools::Tools,
    write::write,
};
use crate::ids::Timestamp;

/// Does `step`, the one called `id`, whose texts are filled in.
pub(super) async fn act(id: &str, step: &Step, tools: &Tools, meter: &mut Meter) -> Next {
    match step {
        Step::Call(step) => call::make(id, step, tools).await,
        Step::Write { path, text } => done("write", write(Path::new("."), path, text)),
        Step::Commit(message) => done("commit", commit(message)),
        Step::Print(words) => {
            say(&Line::Text { text: words });
            Next::Said(words.clone())
        }
        Step::Sleep(time) => {
            tokio::time::sleep(*time).await;
            Next::Step
        }
        Step::Cost(dollars) => {
            say(&meter.spend(*dollars));
            Next::Step
        }
        Step::RateLimit(reset) => {
            say(&Line::RateLimit { reset: reset.map(|time| Timestamp::now().plus(time)) });
            badly("rate_limit", "the provider refuses for now")
        }
        Step::Deny(tool) => {
            say(&Line::Denied { tool, input: "as the script says" });
            Next::Step
        }
        Step::Auth => {
            let message = "the provider refused the login";
            say(&Line::Auth { message });
            badly("auth", message)
        }
        Step::Exit(status) => Next::End(Ended::Silently(*status)),
        Step::Crash => crash(),
        Step::Hang => hang().await,
        Step::Orphan(time) => done("orphan", orphan(*time)),
        Step::Flood(bytes) => {
            flood(*bytes);
            Next::Step
        }
        Step::ProseQuestion(words) => {
            say(&Line::Text { text: words });
            Next::End(Ended::Well(words.clone()))
        }
    }
}

fn done(code: &'static str, outcome: Result<(), String>) -> Next {
    match outcome {
        Ok(()) => Next::Step,
        Err(message) => badly(code, &message),
    }
}

fn badly(code: &'static str, message: &str) -> Next {
    Next::End(Ended::Badly { code, message: message.to_owned() })
}
