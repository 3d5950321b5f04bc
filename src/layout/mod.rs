//! Where things stand inside the state directory.
//!
//! Names only: nothing here looks at a disk. Every room that needs a path takes it from here, so that
//! a name is written once.

mod state_dir;

pub use state_dir::StateDir;
