//! The command line: clap, rendering, exit statuses. The only room that names clap.
//!
//! Knows nothing of SQLite, sockets or processes: it asks the store through the client and prints
//! what comes back, every word of an agent through the sanitiser. Read `entry`, `arguments`,
//! `command`, then a file of `commands`.

pub mod acted;
pub mod arguments;
pub mod attach;
pub mod command;
pub mod commands;
pub mod context;
pub mod detach;
pub mod doctor;
pub mod entry;
pub mod error;
pub mod exit;
pub mod follow;
pub mod gather;
pub mod hosting;
pub mod next;
pub mod opened;
pub mod output;
pub mod render;
pub mod sanitise;
pub mod shown_work;
pub mod source_flags;
pub mod surroundings;
pub mod task_flags;
pub mod transcript;
pub mod verdict;

pub use entry::main;
pub use exit::ExitStatus;
