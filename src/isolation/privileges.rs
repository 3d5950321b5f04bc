//! The powers of root that reach past Landlock, given up.
//!
//! On Linux 6.18 whoever has CAP_PERFMON or CAP_SYS_ADMIN reads the environment of every process, where
//! tokens are, and no rule of Landlock is asked; CAP_MKNOD and CAP_SYS_RAWIO lead to the disk below all files.
//! What is kept has to do with files' owners and with becoming another user. An ordinary user has none of it.

use rustix::{
    io::Result,
    thread::{CapabilitySet, CapabilitySets, capabilities, set_capabilities},
};

const KEPT: CapabilitySet = CapabilitySet::CHOWN
    .union(CapabilitySet::DAC_OVERRIDE)
    .union(CapabilitySet::FOWNER)
    .union(CapabilitySet::FSETID)
    .union(CapabilitySet::KILL)
    .union(CapabilitySet::SETGID)
    .union(CapabilitySet::SETUID)
    .union(CapabilitySet::NET_BIND_SERVICE);

/// Gives up all but [`KEPT`]. For good only where the process can gain no privileges any more, which is how
/// Landlock leaves it: else root has everything again with the next program.
pub(super) fn give_up() -> Result<()> {
    let CapabilitySets { effective, permitted, inheritable } = capabilities(None)?;
    let kept = CapabilitySets {
        effective: effective & KEPT,
        permitted: permitted & KEPT,
        inheritable: inheritable & KEPT,
    };
    set_capabilities(None, kept)
}
