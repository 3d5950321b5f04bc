//! What a job leaves for machines and people who were not there: events, JUnit, Markdown, and a log that no agent
//! gives commands in.
//!
//! `flags` says what is wanted, `opened` holds the files from before anything is queued until they are written whole,
//! `junit`, `summary` and `body` are pure, `mask` takes named secrets out of all of it, and `workflow` speaks to GitHub's
//! runner.

mod body;
mod events;
mod flags;
mod junit;
mod markdown;
mod mask;
mod opened;
mod place;
mod summary;
mod workflow;

pub(crate) use flags::RecordFlags;
pub(crate) use mask::Mask;
pub(crate) use opened::Records;
pub(crate) use workflow::Quiet;
