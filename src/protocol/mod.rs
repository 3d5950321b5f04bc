//! The wire types of `/v1`: JSON over HTTP/1.1 over the store's Unix sockets.
//!
//! Three planes: the agent's (`agent`), the supervisor's (`supervise`, with what a launch carries in
//! `launch`) and the operator's (`operator`, `query`, `report`, `events`); `notice` is what a command
//! of the person's own is told. Shapes only: nothing here opens a
//! socket, a file or a database, and the domain's types are not on the wire, so that either side may
//! change without the other.

pub mod agent;
pub mod error;
pub mod events;
pub mod launch;
pub mod notice;
pub mod operator;
pub mod query;
pub mod remains;
pub mod report;
pub mod status;
pub mod supervise;
pub mod travel;

pub use crate::vocabulary::{EXECUTION_VARIABLE, SOCKET_VARIABLE, TOKEN_VARIABLE, TOOL_LIMIT_VARIABLE};

/// The version of the operator and agent planes; sent with every request and answer.
pub const API_VERSION: u32 = 1;
/// The version of the supervisor plane. A store also takes reports of the version before.
pub const SUPERVISE_VERSION: u32 = 1;
/// The header that carries [`API_VERSION`] or [`SUPERVISE_VERSION`].
pub const VERSION_HEADER: &str = "callbox-version";
/// What a request names as its host. The socket decides where it goes; another name tells of a request
/// that was meant for another server.
pub const HOST: &str = "callbox";
/// The header under which a signal is recorded at most once.
pub const IDEMPOTENCY_HEADER: &str = "idempotency-key";
/// The header on a log's answer that says `yes` when its execution has ended and nothing will follow.
pub const LOG_END_HEADER: &str = "callbox-log-end";
/// The largest request body the store reads, in bytes.
pub const MAX_BODY_BYTES: usize = 1 << 20;
/// Where the agent plane's socket stands inside the state directory.
pub const AGENT_SOCKET: &str = "agent/agent.sock";
/// Where the socket of the operator and supervisor planes stands inside the state directory.
pub const STORE_SOCKET: &str = "operator/store.sock";
/// The client name of the supervisor's own wiring check; its hello never counts as the agent's.
pub const SUPERVISOR_CLIENT: &str = "callbox-supervisor";
