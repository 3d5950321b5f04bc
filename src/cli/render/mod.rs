//! What a person sees: values of the protocol as text, decided by pure functions.
//!
//! Colours are written into the text and taken out again by the stream it goes to when that is no
//! terminal, so meaning never hangs on a colour. Every word of an agent passes the sanitiser here.

mod amounts;
mod denials;
mod ending;
mod json;
mod patch;
mod progress;
mod questions;
mod show;
mod standing;
mod style;
mod table;
mod tasks;

#[cfg(test)]
pub(in crate::cli) mod samples;

pub use amounts::{ago, length};
pub use ending::ending;
pub use json::{array, object, run_report};
pub use patch::patch;
pub use progress::progress;
pub use questions::questions;
pub use show::show;
pub use style::{Tone, paint};
pub use tasks::tasks;
