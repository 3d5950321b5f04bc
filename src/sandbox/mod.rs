//! The private clone an agent works in, and the way of its work into the project.
//!
//! The only room that runs git, and never with a sandbox's own configuration.
