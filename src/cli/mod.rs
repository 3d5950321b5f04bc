//! The command line: clap, rendering, exit statuses. The only room that names clap.
//!
//! Knows nothing of SQLite, sockets or processes: it asks the store through the client and prints
//! what comes back, every word of an agent through the sanitiser. Read `entry`, `arguments`,
//! `command`, then a file of `commands`.

mod acted;
mod arguments;
mod asked;
mod attach;
mod budget_flags;
mod cancelling;
mod command;
mod commands;
mod context;
mod detach;
mod doctor;
mod elsewhere;
mod entry;
mod error;
mod exit;
mod finished_work;
mod follow;
mod gather;
mod gc;
mod going_on;
mod hosting;
mod limit;
mod mode;
mod next;
mod notify;
mod offered;
mod opened;
mod others;
mod output;
mod outside_runs;
mod records;
mod render;
mod sanitise;
mod service;
mod shim;
mod shown_work;
mod source_flags;
mod surroundings;
mod task_flags;
mod transcript;
mod travel;
mod verdict;
mod watch;

pub use attach::attached;
pub use entry::main;
pub use exit::EXIT_STATUSES;
pub use notify::notify;
