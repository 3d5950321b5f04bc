//! The store: the one process that holds the state directory. The only room that names axum.
//!
//! It keeps facts and decides; it never starts an agent, runs git or reads an agent's output.
