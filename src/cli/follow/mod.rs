//! Following trees of tasks until nothing of them can run any more.
//!
//! `tree`, `standing` and `patience` decide from the store's lines, `signals` hears the terminal,
//! `follower` is the loop that puts them together and comes back to a store that went away.

mod follower;
mod patience;
mod root_of;
mod signals;
mod standing;
mod to_the_end;
mod tree;

pub use follower::{Following, follow};
pub use root_of::root_of;
pub use signals::{Signals, Told};
pub use standing::{Standing, standing};
pub use to_the_end::to_the_end;
pub use tree::{roots, tree};
