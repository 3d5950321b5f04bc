//! The typed client of the store's planes over a Unix socket.
//!
//! Says what a request's end means (`error`), repeats nothing by itself, and knows nothing of what
//! stands behind the socket. One client per plane (`agent`, `supervisor`, `operator`) over one
//! `transport`; `events` and `log` are what an operator follows.

mod agent;
mod answer;
mod error;
mod events;
mod log;
mod operator;
mod socket;
mod sse;
mod supervisor;
mod transport;

#[cfg(test)]
mod tests;

pub use agent::AgentClient;
pub use error::ClientError;
pub use events::EventStream;
pub use log::LogStream;
pub use operator::OperatorClient;
pub use supervisor::SupervisorClient;
pub use transport::Transport;
