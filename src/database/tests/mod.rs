//! The room as its callers see it, over real files.

mod backup;
mod opening;
mod place;
mod writing;
