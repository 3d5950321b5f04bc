//! Parts of the configuration that exist by design and not in this version.
//!
//! Refused by name, because a budget or a boundary that is read and ignored is worse than none.

/// Keys of `[agents.NAME]`: the description of a program without an adapter.
pub(super) const AGENT: [&str; 4] = ["command", "resume", "mcp", "permissions"];
/// What the fault says behind the name.
pub(super) const MESSAGE: &str = "is not supported by this version";
