//! A client of the Agent Client Protocol: `callbox acp`, the process between a supervisor and a program that speaks
//! it, part of the agent's tree.
//!
//! It is told everything in one document on standard input, starts the program, holds one turn of one conversation
//! with it, decides its requests for permission, and says what happens in lines of JSON, the last of which is the end.
//! It knows no program by name: what differs between them stands in the document. The only room that names
//! agent_client_protocol.

mod borrowed;
mod calls;
mod conversation;
mod entry;
mod line;
mod listener;
mod own_tool;
mod permission;
mod program;
mod reported;
mod set_aside;
mod stop;
mod stream;
mod talk;
mod told;
mod update;

pub use entry::main;
pub use line::{End, Line, Stage, Tokens};
pub use own_tool::own_tool;
pub use told::{Borrowed, Naming, Remembered, Rules, Session, Told};
