//! The command line: clap, rendering, exit statuses. The only room that names clap.
//!
//! Knows nothing of SQLite, sockets or processes: it asks the store through the client and prints
//! what comes back, every word of an agent through the sanitiser.

pub mod error;
pub mod exit;
pub mod next;
pub mod render;
pub mod sanitise;
