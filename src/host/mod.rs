//! One way to a store: connect to the one that holds the state directory, or open one here.

mod connection;
mod serve;
mod service_manager;

pub use crate::store::{Residency, StoreSettings, Wait};
pub use connection::{Connection, HostError, HostOptions, connect_or_open, prepared};
pub use serve::{Asked, Keeper, Sleep, Stopped, serve};
