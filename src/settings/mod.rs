//! Configuration: `config.toml`, every fault with its place.
//!
//! Its defaults are fields of a task and read as such by `taskfile`. Where the file stands is the caller's business.

mod agents;
mod description;
mod gc;
mod keys;
mod limits;
mod load;
mod notify;
mod preamble;
mod projects;
mod quotas;
mod repository;
mod sandbox;
mod servers;
mod shipped;
mod size;
mod trusted;
mod values;

pub use gc::GcSettings;
pub use keys::keys;
pub use load::{KeyRefusal, KnownAgents, SettingsError, load};
pub use repository::{REPOSITORY_FILE, REPOSITORY_KEYS, REPOSITORY_TEMPLATE, read_repository};
pub use shipped::shipped_names;
pub use trusted::{Trust, Trusted};
pub use values::{AgentSettings, Settings};
