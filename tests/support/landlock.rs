//! What the kernel under the tests has of Landlock, and a launcher that every machine has.

use callbox::isolation::{FULL_ABI, Kernel};

use super::programs::skipped;

/// A launcher that starts the agent and holds nothing back.
pub(crate) const PLAIN_LAUNCHER: &str = "/usr/bin/env";

/// The version of this kernel's Landlock; `None` where it lacks it or part of it, which is said loudly and
/// fails where tests may not be skipped.
#[track_caller]
pub(crate) fn needed() -> Option<u32> {
    match Kernel::running() {
        Kernel::Landlock { abi } if abi >= FULL_ABI => Some(abi),
        kernel => {
            skipped(&format!(
                "this test needs a kernel with Landlock from ABI {FULL_ABI} on, not {kernel:?}"
            ));
            None
        }
    }
}
