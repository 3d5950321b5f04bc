//! Proving the installation, one part a file; each check ends in a finding and stops no other.

mod agents;
mod configuration;
mod finding;
mod git;
mod isolation;
mod program;
mod rehearsal;
mod shim;
mod shim_talk;
mod store;

pub(crate) use agents::{Depth, Wanted, check_agents};
pub(crate) use configuration::check_configuration;
pub(crate) use finding::{Level, findings};
pub(crate) use git::check_git;
pub(crate) use isolation::check_isolation;
pub(crate) use shim::check_shim;
pub(crate) use store::check_store;

/// What no check here proves; said every time, so that a good result is not read for more.
pub(crate) fn not_checked(depth: Depth) -> &'static str {
    match depth {
        Depth::Rehearsal => "that an agent's provider accepts its login",
        Depth::Version => {
            "that an agent does what callbox relies on (`--quick`), and that its provider accepts its login"
        }
    }
}
