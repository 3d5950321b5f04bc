//! From flags, files and configuration to tasks that can be submitted: everything that can be known
//! to be wrong is refused here, before anything is queued.

mod agent;
mod any;
mod comparison;
mod environment;
mod message;
mod order;
mod project;
mod repository;
mod search_path;

pub(crate) use agent::{Programs, is_built_in, no_such_agent};
pub(crate) use environment::environment;
pub(crate) use message::words;
pub(crate) use order::order;
pub(crate) use project::{git, inspected, root};
pub(crate) use repository::{loaded as trusted, text as repository_text, trusted_file};
pub(crate) use search_path::SearchPath;
