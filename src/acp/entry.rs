//! From the document on standard input to the end.

use std::process::ExitCode;

use super::{
    conversation,
    line::{End, Line, say},
    told::Told,
};
use crate::process::{document, room};

/// The longest document that is read, in bytes.
const MAX_DOCUMENT: u64 = 16 << 20;

/// Holds the turn that standard input tells.
pub fn main() -> ExitCode {
    let end = run().unwrap_or_else(|reason| {
        let end = End::Broken { reason };
        say(&Line::End { end: end.clone() });
        end
    });
    match end {
        End::Turn { stop, .. } if stop == "end_turn" => ExitCode::SUCCESS,
        _ => ExitCode::FAILURE,
    }
}

fn run() -> Result<End, String> {
    let told: Told = document::told(MAX_DOCUMENT, "callbox tells its client")?;
    let runtime = room::for_descriptors(room::RUNTIME)
        .and_then(|()| tokio::runtime::Builder::new_current_thread().enable_all().build());
    let runtime = runtime.map_err(|error| format!("it could not begin to work: {error}"))?;
    runtime.block_on(conversation::hold(told))
}
