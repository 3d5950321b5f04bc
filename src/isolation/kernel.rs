//! How much of Landlock the running kernel has.

use landlock::{LandlockStatus, RestrictSelf};

/// From this version of its interface on Landlock has everything that is promised of it: signals and
/// abstract sockets, the last that came, are held back too (Linux 6.12).
pub const FULL_ABI: u32 = 6;

/// The running kernel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kernel {
    /// Without Landlock.
    Without(Lack),
    /// With Landlock.
    Landlock {
        /// The version of its interface, from 1.
        abi: u32,
    },
}

/// Why there is none.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lack {
    /// The kernel was built without it, or is older than it (Linux 5.13).
    NotBuilt,
    /// The kernel was started without it.
    NotEnabled,
}

impl Kernel {
    /// Asks the kernel.
    pub fn running() -> Self {
        // Nothing is restricted: without a flag this only asks for the version.
        match RestrictSelf::default().no_new_privs(false).apply().map(|status| status.landlock) {
            Ok(LandlockStatus::Available { effective_abi, .. }) => {
                Self::Landlock { abi: effective_abi as u32 }
            }
            Ok(LandlockStatus::NotEnabled) => Self::Without(Lack::NotEnabled),
            Ok(LandlockStatus::NotImplemented) | Err(_) => Self::Without(Lack::NotBuilt),
        }
    }
}

impl Lack {
    /// What is so, and what to do.
    pub(super) fn words(self) -> (&'static str, &'static str) {
        match self {
            Self::NotBuilt => (
                "this kernel has no Landlock",
                "Landlock needs Linux 5.13, and 6.12 for all of it, built with CONFIG_SECURITY_LANDLOCK",
            ),
            Self::NotEnabled => (
                "Landlock is not switched on in this kernel",
                "add `landlock` to `lsm=` on the kernel's command line",
            ),
        }
    }
}
