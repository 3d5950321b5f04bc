//! One file for each command: its flags, and what it does with the store's answers.

pub mod answer;
pub mod attach;
pub mod cancel;
pub mod diff;
pub mod doctor;
pub mod logs;
pub mod ls;
pub mod questions;
pub mod resume;
pub mod run;
pub mod serve;
pub mod show;
pub mod start;
pub mod submit;
pub mod why;
