//! From the document on standard input to the end.

use std::{
    io::{self, Read as _},
    process::ExitCode,
};

use super::{
    conversation,
    line::{End, Line, say},
    told::Told,
};
use crate::process::room;

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
    let told = told()?;
    let runtime = room::for_descriptors(room::RUNTIME)
        .and_then(|()| tokio::runtime::Builder::new_current_thread().enable_all().build());
    let runtime = runtime.map_err(|error| format!("it could not begin to work: {error}"))?;
    runtime.block_on(conversation::hold(told))
}

fn told() -> Result<Told, String> {
    let mut document = Vec::new();
    let read = io::stdin().take(MAX_DOCUMENT + 1).read_to_end(&mut document);
    let read = read.map_err(|error| format!("standard input could not be read: {error}"))?;
    if read as u64 > MAX_DOCUMENT {
        return Err(format!("standard input is longer than {MAX_DOCUMENT} bytes"));
    }
    serde_json::from_slice(&document)
        .map_err(|error| format!("standard input is not what callbox tells its client: {error}"))
}
