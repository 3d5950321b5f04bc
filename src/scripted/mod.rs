//! The scripted agent: a real MCP client in a process of its own that plays a list of steps.
//!
//! It is the demo, the dry run and the tests' agent; callbox treats it like any other program. It runs
//! git and starts processes as an agent would, in its own working directory.

mod act;
mod call;
mod commit;
mod entry;
mod fill;
mod meter;
mod misbehave;
mod play;
mod say;
mod script;
mod session;
mod step;
mod told;
mod tools;
mod write;

pub use entry::main;
pub use script::{STEPS, WrongScript, check};
