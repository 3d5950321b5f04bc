//! Answers that a person gave before anybody asked: a file that goes along with a job which nobody watches.
//!
//! Knows nothing of tasks. What fits no rule is not answered; nothing here makes an answer up.

mod answers;
mod read;

pub use answers::{Foreseen, Reply};
pub use read::read;
