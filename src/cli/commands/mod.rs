//! One file for each command: its flags, and what it does with the store's answers.

pub(crate) mod accept;
pub(crate) mod answer;
pub(crate) mod attach;
pub(crate) mod cancel;
pub(crate) mod completions;
pub(crate) mod diff;
pub(crate) mod dismiss;
pub(crate) mod doctor;
pub(crate) mod gc;
pub(crate) mod init;
pub(crate) mod logs;
pub(crate) mod ls;
pub(crate) mod open;
pub(crate) mod questions;
pub(crate) mod reject;
pub(crate) mod resume;
pub(crate) mod retry;
pub(crate) mod run;
pub(crate) mod serve;
pub(crate) mod show;
pub(crate) mod start;
pub(crate) mod submit;
pub(crate) mod take;
pub(crate) mod tell;
pub(crate) mod trust;
pub(crate) mod why;
