//! What callbox knows about each agent program: one file per program, pure.
//!
//! An adapter turns a launch into a command line and an agent's output into facts. It starts
//! nothing, opens nothing and decides nothing about tasks; the supervisor does what it says.
