//! The room as its callers see it, over real files.

mod opening;
mod place;
mod writing;
