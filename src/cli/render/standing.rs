//! The tone of a task's state.

use super::style::{Tone, paint};
use crate::cli::sanitise;

/// The state's name, in the colour of what it means to a person.
pub(super) fn state(name: &str) -> String {
    paint(tone(name), &words(name))
}

/// `timed_out` as a person reads it.
pub(super) fn words(name: &str) -> String {
    sanitise::line(name).replace('_', " ")
}

pub(super) fn tone(name: &str) -> Tone {
    match name {
        "completed" | "ready" | "succeeded" => Tone::Good,
        "failed" | "timed_out" | "budget_exceeded" | "lost" | "auth" => Tone::Bad,
        "blocked" | "cancelled" | "rate_limited" | "interrupted" => Tone::Care,
        "running" => Tone::Name,
        _ => Tone::Faint,
    }
}
