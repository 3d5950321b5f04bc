//! `callbox notify`, which the store starts for each notice: the command of the person's own, told and watched.
//!
//! A process of its own, so that the limit holds and the tree is ended also where the store is gone.

mod run;
mod told;

pub use told::notify;
