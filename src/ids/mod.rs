//! Identities and times: the words every other room uses to name things.
//!
//! Knows nothing of tasks, files, sockets or databases. Everything here is a small value type that
//! can be copied, compared, printed and parsed, and nothing here performs I/O except reading the
//! clock and the system's random source.

mod duration;
mod numbers;
mod secret;
mod timestamp;
mod token_hash;
mod unique;

pub use duration::{ParseDurationError, parse_duration};
pub use numbers::{ExecutionNumber, ParseNumberError, QuestionNumber, TaskNumber};
pub use secret::Secret;
pub use timestamp::Timestamp;
pub use token_hash::TokenHash;
pub use unique::UniqueId;
