//! The disk's part of a state that travels: what tasks take along beside their rows, and where it goes.

mod broken_off;
mod conversation;
mod fault_point;
mod file;
mod key;
mod leave;
mod place;
mod report;
mod take_in;

pub(crate) use broken_off::clear_broken_off;
pub(crate) use file::{read_archive, write_archive};
pub(crate) use key::KeyFlag;
pub(crate) use leave::leave;
pub(crate) use report::{Exported, Taken};
pub(crate) use take_in::{Wish, take_in};
