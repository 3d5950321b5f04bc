//! Files that people write, read into one tree in which every value knows its line.
//!
//! YAML and TOML meet here, so that a task file, the configuration and a list of steps are checked
//! by the same code and a fault is named by its line whichever of them holds it. Knows nothing of
//! tasks; what a key means is the reader's business. Serde is left out on purpose: it stops at the
//! first fault.

mod checks;
mod fault;
mod file;
mod json;
mod node;
mod suggest;
mod toml;
mod yaml;

pub use checks::{entries, flag, list, number, shown, text, unknown, whole, word};
pub use fault::{Faults, FileFault};
pub use file::{FileError, MAX_BYTES, read_text, text_of};
pub use json::json;
pub use node::{Entry, Node, Value};
pub use suggest::nearest;
pub use toml::read_toml;
pub use yaml::read_yaml;
