//! One process per execution: owns the sandbox and the agent's process tree.
//!
//! It starts nothing before the store accepted it, reports everything it learns, and outlives the
//! store. It knows nothing of tasks beyond its launch plan.
//!
//! ```text
//! entry ── run ── workplace, wiring, program        what must stand before an agent is started
//!           │     setup ── held_command              the command that makes a new sandbox ready
//!           │     conversation ── watch              one agent process, and when it is to end (pure)
//!           │       ├ awake, pulse                   its clock, and whether it works at all (pure)
//!           │       └ agent, output, holding         its process, its streams, what holds it
//!           ├── ending                               what the run came to (pure)
//!           ├── finish                               the step behind the agent, repeatable
//!           │     └ handover, verify                 left-overs and delivery, the command between them
//!           ├── spawn_bases                          where subtasks start
//!           └── reporter ── spool    standing        reports up, orders down
//! ```
//!
//! `enter` is the other hidden word: the few things a process must do to itself before it becomes the
//! agent program.

mod agent;
mod apart;
mod arguments;
mod awake;
mod batch;
mod capped_log;
mod conversation;
mod ending;
mod enter;
mod entry;
mod environment;
mod execution;
mod fault_point;
mod finish;
mod handover;
mod held_command;
mod holding;
mod last_words;
mod lines;
mod lookup;
mod merging;
mod not_entered;
mod opening;
mod outgrown;
mod output;
mod ports;
mod preparation;
mod program;
mod pulse;
mod refusal;
mod reporter;
mod run;
mod setup;
mod spawn_bases;
mod spool;
mod standing;
mod surroundings;
mod verify;
mod watch;
mod wiring;
mod workplace;

pub use enter::enter;
pub use entry::main;
