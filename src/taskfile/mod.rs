//! Task files: YAML, or Markdown with front matter, every fault with its place.
//!
//! `read` takes a file or nothing of it. `fields` is the one table of what a task may say, used for
//! flags and the configuration's defaults too. Knows nothing of stores, and asks no agent and no project
//! whether they exist.

mod after;
mod agent_wish;
mod complete;
mod fields;
mod fill;
mod flag;
mod limits;
mod markdown;
mod partial;
mod preparation;
mod read;
mod retry;
mod strings;
mod tasks;

pub use after::AfterName;
pub use agent_wish::{AgentWish, COMPARES, compares};
pub use complete::{Incomplete, complete};
pub use fields::{Reading, field_names, read_field};
pub use flag::{FlagError, flag};
pub use partial::{PartialRetry, PartialSpec};
pub use read::{TaskFileError, read};
pub use retry::{RETRY_FIELDS, seconds};
pub use strings::check_variable;
pub use tasks::{FileTask, MAX_TASKS};
