//! From flags, files and configuration to tasks that can be submitted: everything that can be known
//! to be wrong is refused here, before anything is queued.

mod agent;
mod environment;
mod message;
mod order;
mod project;
mod search_path;

pub use agent::{Programs, check, installed, only_installed};
pub use environment::environment;
pub use message::{message, words};
pub use order::{Order, order};
pub use project::{Wanted, git, project};
pub use search_path::SearchPath;
