//! Following all tasks until Ctrl-C: a picture on a terminal, a line for each event anywhere else.
//!
//! `follow` is the loop, which comes back to a store that went away and keeps nobody from holding it; `picture` decides
//! what stands on the screen, `screen` puts it there and gives the terminal back.

mod follow;
mod picture;
mod screen;

pub(crate) use follow::watch;
pub(crate) use picture::Shown;
