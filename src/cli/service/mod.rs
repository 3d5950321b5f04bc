//! callbox as a service of systemd's user manager.
//!
//! `unit` is the unit's text and `quoting` how words stand in it, both pure; `unit_file` is its file, `manager` the
//! foreign programs that are asked, `standing` what a person is told.

mod installed;
mod manager;
mod quoting;
mod standing;
mod unit;
mod unit_file;

pub(crate) use installed::{Removed, Replace, install, uninstall};
pub(crate) use standing::{look, words};
pub(crate) use unit::Unit;
