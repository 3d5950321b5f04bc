//! From the document on standard input to the result event.

use std::{io::Read as _, process::ExitCode};

use super::{
    play::{Ended, play},
    say::{Line, say},
    session::Session,
    step::steps,
    told::Told,
    tools::Tools,
};

/// The longest document that is read, in bytes.
const MAX_DOCUMENT: u64 = 4 << 20;

/// Plays the steps that standard input tells.
pub fn main() -> ExitCode {
    let mut document = String::new();
    if let Err(error) = std::io::stdin().take(MAX_DOCUMENT).read_to_string(&mut document) {
        return fail("input", &format!("standard input could not be read: {error}"));
    }
    let told: Told = match serde_json::from_str(&document) {
        Ok(told) => told,
        Err(error) => return fail("input", &format!("standard input is not what callbox tells: {error}")),
    };
    let runtime = match tokio::runtime::Builder::new_current_thread().enable_all().build() {
        Ok(runtime) => runtime,
        Err(error) => return fail("internal", &error.to_string()),
    };
    runtime.block_on(run(told))
}

async fn run(told: Told) -> ExitCode {
    let mut session = match Session::open(&told) {
        Ok(session) => session,
        Err(error) => {
            eprintln!("{error}");
            return fail("session_unknown", &error);
        }
    };
    say(&Line::Session { id: &told.session });
    let steps = match steps(session.script()) {
        Ok(steps) => steps,
        Err(faults) => return fail("script", &faults.join("; ")),
    };
    let mut tools = match Tools::connect(&told.mcp_config).await {
        Ok(tools) => tools,
        Err(error) => return fail("wiring", &error),
    };
    say(&Line::Turn);
    let ended = play(&steps, &mut session, &mut tools).await;
    tools.close().await;
    match ended {
        Ended::Well(message) => {
            say(&Line::Result { is_error: false, message: &message, code: None });
            ExitCode::SUCCESS
        }
        Ended::Badly { code, message } => fail(code, &message),
        // As programs do that end without a word.
        Ended::Silently(status) => ExitCode::from(status),
    }
}

fn fail(code: &str, message: &str) -> ExitCode {
    say(&Line::Result { is_error: true, message, code: Some(code) });
    ExitCode::FAILURE
}
