//! Following trees of tasks until nothing of them can run any more.
//!
//! `tree` and `standing` decide from the store's lines, `signals` hears the terminal, `follower` is
//! the loop that puts them together and comes back to a store that went away.

mod standing;
mod tree;

pub use standing::{Standing, standing};
pub use tree::tree;
