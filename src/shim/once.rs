//! One call from a shell, for agents without MCP: same checks, same token, same path.

use std::io::Read as _;

use serde_json::{Map, Value};

use super::{
    ask_name::AskName, command_line::Source, environment::Environment, foreign_name::foreign_name,
    leaving::Leaving, store::Store, words::NotRecorded,
};
use crate::{
    protocol::{MAX_BODY_BYTES, agent::SignalRequest},
    vocabulary::{Call, unnamed_call_key},
};

/// Why one call brought no result.
#[derive(Debug, thiserror::Error)]
pub(super) enum CallError {
    /// The words behind `call` are wrong.
    #[error("{0}")]
    Usage(String),
    /// The call was not recorded.
    #[error("{0}")]
    NotRecorded(String),
}

/// Makes the call and gives what the agent is told.
pub(super) async fn call(tool: &str, arguments: &Source) -> Result<String, CallError> {
    let arguments = read(arguments)?;
    if AskName::default().tool(tool).is_none() {
        return Err(CallError::Usage(format!("there is no tool `{}`", foreign_name(tool))));
    }
    let store = Store::new(Environment::read(), Leaving::default());
    let outcome = match Call::parse(tool, &arguments) {
        Ok(_) => {
            let signal = SignalRequest { tool: tool.to_owned(), arguments };
            store.record(&signal, &unnamed_call_key()).await
        }
        Err(fault) => Err(NotRecorded::Arguments(fault)),
    };
    outcome.map_err(|reason| CallError::NotRecorded(reason.sentence(tool)))
}

fn read(arguments: &Source) -> Result<Map<String, Value>, CallError> {
    let mut text = String::new();
    let text = match arguments {
        Source::Given(text) => text,
        Source::Stdin => {
            let limit = MAX_BODY_BYTES as u64;
            let taken = std::io::stdin().lock().take(limit + 1).read_to_string(&mut text);
            let taken = taken.map_err(|error| CallError::Usage(format!("standard input: {error}")))?;
            if taken as u64 > limit {
                return Err(CallError::Usage(format!("standard input has more than {limit} bytes")));
            }
            &text
        }
    };
    serde_json::from_str(text)
        .map_err(|error| CallError::Usage(format!("the arguments must be a JSON object: {error}")))
}
