//! The store: the one process that holds the state directory. The only room that names axum.
//!
//! It keeps facts and decides; it never starts an agent, runs git or reads an agent's output.

mod act;
mod answer;
mod api_error;
mod bearer;
mod budget;
mod by_hand;
mod claim;
mod dismiss;
mod dollars_left;
mod engine;
mod environments;
mod execution_folder;
mod failure;
mod fault_point;
#[cfg(test)]
mod fixture;
mod footing;
mod guard;
mod history;
mod idempotency_key;
mod inside;
mod lock;
mod mover;
mod news;
mod open;
mod operator;
mod orders;
mod peer;
mod plan;
mod provision;
mod record_signal;
mod recovery;
mod remains;
mod report;
mod routes;
mod runs;
mod scope;
mod serve;
mod settings;
mod sockets;
mod spawn_base;
mod stall;
mod state_dir;
mod submit;
mod supervisors;
mod sweep;
mod take_report;
mod tend;
mod time_left;
mod told_along;
mod transition;
mod unbound;
mod view;

pub use bearer::Bearer;
pub use idempotency_key::IdempotencyKey;
pub use lock::{Holder, LockError, Locked};
pub use open::{Store, StoreError, Wait};
pub use operator::Operator;
pub use peer::Peer;
pub use runs::{Runs, Standing};
pub use serve::{Plane, serve};
pub use settings::{Residency, StoreSettings};
pub use sockets::{BindError, Socket, Sockets};
pub use state_dir::{StateDirError, prepare};
