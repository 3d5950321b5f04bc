//! The stdio MCP server beside an agent, with four tools.
//!
//! Holds no state and knows nothing of tasks, SQLite or the server: it answers the protocol by
//! itself and forwards tool calls to the store. Identity is the token in its environment and nothing
//! that MCP says: a process is no session, and one agent may start several shims.
//!
//! `run` reads the command line (`command_line`) and either serves (`serve`, over `stdio`, with
//! `server` as what is served) or makes one call (`once`). Both say things to the store through
//! `store`, which has the patience.

mod ask_name;
mod command_line;
mod environment;
mod foreign_name;
mod hello;
mod key;
mod leaving;
mod once;
mod opening;
mod parent;
mod run;
mod serve;
mod server;
mod stdio;
mod store;
mod talk;
mod tools;
mod words;

pub use run::run;
