//! What callbox knows about each agent program: one file per program, pure.
//!
//! An adapter turns a launch into a command line and an agent's output into facts. It starts
//! nothing, opens nothing and decides nothing about tasks; the supervisor does what it says.
//! Behaviour of agent programs changes from version to version, so each adapter names the version
//! it was proved with, and its tests run the real program.

mod acp;
mod adapter;
mod catalogue;
mod claude;
mod codex;
mod command;
mod denials;
mod described;
mod foreign;
mod gemini;
mod lacking;
mod last_words;
mod launch;
mod mcp_config;
mod model_name;
mod own_place;
mod preamble;
mod reader;
mod rehearsal;
mod scripted;
mod shelf;
mod shorten;
mod snippet;
mod speech;
mod telling;
mod tool_rules;
mod transcript;

pub use acp::Acp;
pub use adapter::{Adapter, Choice, Program, Reports, StopSignal};
pub use catalogue::{BUILT_IN, Catalogue};
pub use claude::Claude;
pub use codex::Codex;
pub use command::{AgentCommand, PrivateFile, Reach};
pub use described::Described;
pub use gemini::Gemini;
pub use launch::{Launch, Session, User};
pub use mcp_config::{SERVER_NAME, Wiring};
pub use own_place::OwnPlace;
pub use preamble::preamble;
pub use reader::{Beforehand, Conclusion, Read, Reader};
pub use rehearsal::{OwnCall, Rehearsal, Trap};
pub use scripted::Scripted;
pub use shelf::{Shelf, Shelved, Talk};
pub use snippet::{Form, snippet};
