//! callbox runs coding agents on tasks and gives each run its own line back to the person in charge.
//!
//! Read in this order: `ids`, `layout`, `log`, `vocabulary`, `document`, `domain`, `protocol`, `database`, `process`,
//! `store`, `client`, `shim`, `supervisor`, `isolation`, `sandbox`, `agents`, `acp`, `scripted`, `host`,
//! `taskfile`, `settings`, `foreseen`, `fake_model`, `cli`.
//! ARCHITECTURE.md says what each room is for and what it must not know; a test holds the imports to
//! it.

pub mod acp;
pub mod agents;
pub mod archive;
pub mod cli;
pub mod client;
pub mod database;
pub mod document;
pub mod domain;
pub mod fake_model;
pub mod foreseen;
pub mod host;
pub mod ids;
pub mod isolation;
pub mod layout;
pub mod log;
pub mod process;
pub mod protocol;
pub mod sandbox;
pub mod scripted;
pub mod settings;
pub mod shim;
pub mod store;
pub mod supervisor;
pub mod taskfile;
pub mod vocabulary;
