//! The private clone an agent works in, and the way of its work into the project.
//!
//! The only room that runs git, and never with a sandbox's own configuration.

mod configuration;
mod git;
mod git_error;
mod invocation;
mod project;
mod project_error;
mod project_notes;
mod version;

pub use git::Git;
pub use git_error::GitError;
pub use project::{Project, inspect};
pub use project_error::ProjectError;
pub use version::GitVersion;
