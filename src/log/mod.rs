//! What this process says of its own work, line by line on standard error, for whoever looks into it.
//!
//! Every line that concerns an execution names it in the field `execution`, its own or that of the span around it.
//! No secret is ever a field.

use tracing_subscriber::{EnvFilter, filter::LevelFilter};

/// How much is said where `RUST_LOG` says nothing of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Habit {
    /// What happens to each execution, and what goes wrong.
    Told,
    /// Nothing: the process speaks to people in another way.
    Silent,
}

/// Begins the log of this process. To be called once, before anything is said.
pub fn begin(habit: Habit) {
    let level = match habit {
        Habit::Told => LevelFilter::INFO,
        Habit::Silent => LevelFilter::OFF,
    };
    let filter = EnvFilter::builder().with_default_directive(level.into()).from_env_lossy();
    tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(std::io::stderr)
        .with_ansi(false)
        // A lost terminal or a full disk takes no line, and a complaint about that would be a panic.
        .log_internal_errors(false)
        .init();
}
