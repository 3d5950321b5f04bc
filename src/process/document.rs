//! What a process of callbox's own is told on its standard input: one JSON document.

use std::io::{self, Read as _};

use serde::de::DeserializeOwned;

/// Reads the document, of at most `longest` bytes, or says why it cannot be had; `what` is the document, as in "callbox
/// tells an agent".
pub fn told<T: DeserializeOwned>(longest: u64, what: &str) -> Result<T, String> {
    let mut document = Vec::new();
    let read = io::stdin().take(longest + 1).read_to_end(&mut document);
    let read = read.map_err(|error| format!("standard input could not be read: {error}"))?;
    if read as u64 > longest {
        return Err(format!("standard input is longer than {longest} bytes"));
    }
    serde_json::from_slice(&document).map_err(|error| format!("standard input is not what {what}: {error}"))
}
