//! The store: the one process that holds the state directory. The only room that names axum.
//!
//! It keeps facts and decides; it never starts an agent, runs git or reads an agent's output.

mod api_error;
mod bearer;
mod guard;
mod idempotency_key;
mod lineage;
mod lock;
mod operator;
mod peer;
mod runs;
mod serve;
mod sockets;
mod stall;
mod state_dir;

pub use bearer::Bearer;
pub use idempotency_key::IdempotencyKey;
pub use lock::{Holder, LockError, Locked};
pub use operator::Operator;
pub use peer::Peer;
pub use runs::{Runs, Standing};
pub use serve::{Plane, serve};
pub use sockets::{BindError, Socket, Sockets};
pub use state_dir::{StateDirError, prepare};
