//! An error and what is behind it, in one sentence.

use std::error::Error;

/// The whole chain of `error`, the parts behind colons.
pub fn with_sources(error: &dyn Error) -> String {
    let mut sentence = error.to_string();
    let mut next = error.source();
    while let Some(source) = next {
        sentence.push_str(": ");
        sentence.push_str(&source.to_string());
        next = source.source();
    }
    sentence
}
