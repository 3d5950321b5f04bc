//! From the document on standard input to the result event.

use std::process::ExitCode;

use super::{
    play::{Ended, play},
    say::{Line, say},
    script::{self, WrongScript},
    session::{Session, SessionError},
    told::Told,
    tools::Tools,
};
use crate::process::{document, room};

/// The longest document that is read, in bytes.
const MAX_DOCUMENT: u64 = 4 << 20;

/// Plays the steps that standard input tells.
pub fn main() -> ExitCode {
    let told: Told = match document::told(MAX_DOCUMENT, "callbox tells an agent") {
        Ok(told) => told,
        Err(message) => return fail("input", &message),
    };
    let runtime = room::for_descriptors(room::RUNTIME)
        .and_then(|()| tokio::runtime::Builder::new_current_thread().enable_all().build());
    let runtime = match runtime {
        Ok(runtime) => runtime,
        Err(error) => return fail("internal", &error.to_string()),
    };
    runtime.block_on(run(&told))
}

async fn run(told: &Told) -> ExitCode {
    let mut session = match Session::open(told) {
        Ok(session) => session,
        Err(error) => {
            let code = match error {
                SessionError::Unknown { .. } => "session_unknown",
                SessionError::NotKept { .. } => "session",
            };
            return fail(code, &error.to_string());
        }
    };
    say(&Line::Session { id: &told.session });
    let steps = match script::read(session.script()) {
        Ok(steps) => steps,
        Err(error) => return fail("script", &format!("{error} ({})", WrongScript::hint())),
    };
    let tools = match Tools::connect(&told.mcp_config).await {
        Ok(tools) => tools,
        Err(error) => return fail("wiring", &error),
    };
    // Not before the tools are there: what is said in a turn is not said again.
    say(&Line::Turn);
    let ended = play(&steps, &mut session, &tools).await;
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
