//! Following trees of tasks until nothing of them can run any more.
//!
//! `tree`, `standing` and `patience` decide from the store's lines, `signals` hears the terminal,
//! `heard` knows what was told, `replies` answers what was foreseen,
//! `follower` is the loop that puts them together and comes back to a store that went away.

mod flags;
mod follower;
mod heard;
mod max_wait;
mod patience;
mod replies;
mod root_of;
mod signals;
mod standing;
mod status_line;
mod to_the_end;
mod tree;
mod until_over;
mod waiting;

pub(crate) use flags::{FollowFlags, Manner};
pub(crate) use follower::Following;
pub(crate) use replies::QUESTION;
pub(crate) use root_of::root_of;
pub(crate) use signals::{Signals, Told};
pub(crate) use to_the_end::to_the_end;
pub(crate) use tree::roots;
pub(crate) use until_over::{until_finished, until_over};
pub(crate) use waiting::Waiting;
