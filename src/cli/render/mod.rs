//! What a person sees: values of the protocol as text, decided by pure functions.
//!
//! Colours are written into the text and taken out again by the stream it goes to when that is no
//! terminal, so meaning never hangs on a colour. Every word of an agent passes the sanitiser here.

mod amounts;
mod collected;
mod denials;
mod ending;
mod json;
mod patch;
mod progress;
mod questions;
mod show;
mod standing;
mod status;
mod style;
mod table;
mod tasks;

#[cfg(test)]
pub(in crate::cli) mod samples;

pub(crate) use amounts::length;
pub(crate) use collected::collected;
pub(crate) use ending::ending;
pub(crate) use json::{array, line, object, run_report};
pub(crate) use patch::patch;
pub(crate) use progress::progress;
pub(crate) use questions::questions;
pub(crate) use show::show;
pub(crate) use status::{headline, status};
pub(crate) use style::{Tone, paint};
pub(crate) use tasks::tasks;
