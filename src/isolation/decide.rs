//! What an execution's agent will be held by: one decision from what the task asks for and what the kernel
//! has.

use super::{
    kernel::{FULL_ABI, Kernel},
    words::shortfall,
};
use crate::vocabulary::{Fault, Isolation, IsolationChoice};

/// Decides. The store asks when it claims a run and the supervisor when it begins one, both of the same
/// kernel.
pub fn decide(choice: &IsolationChoice, kernel: Kernel) -> Result<Isolation, Fault> {
    match (choice, kernel) {
        (IsolationChoice::None, _) | (IsolationChoice::Auto, Kernel::Without(_)) => Ok(Isolation::None),
        (IsolationChoice::Command(command), _) => Ok(Isolation::Command { command: command.clone() }),
        (IsolationChoice::Auto, Kernel::Landlock { abi }) => Ok(Isolation::Landlock { abi }),
        (IsolationChoice::Landlock, Kernel::Landlock { abi }) if abi >= FULL_ABI => {
            Ok(Isolation::Landlock { abi })
        }
        (IsolationChoice::Landlock, Kernel::Landlock { abi }) => {
            let message = format!(
                "`isolation: landlock` asks for all of Landlock, and this kernel has ABI {abi}: {}",
                shortfall(abi).join("; ")
            );
            Err(Fault::new("isolation", message).hinted(format!(
                "ABI {FULL_ABI} comes with Linux 6.12; `isolation: auto` takes what there is and says so"
            )))
        }
        (IsolationChoice::Landlock, Kernel::Without(lack)) => {
            let (what, todo) = lack.words();
            let message = format!("`isolation: landlock` cannot be had: {what}");
            Err(Fault::new("isolation", message)
                .hinted(format!("{todo}; or name a launcher as `isolation`, such as bubblewrap's")))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::isolation::kernel::Lack;

    fn decided(choice: &str, kernel: Kernel) -> Result<Isolation, Fault> {
        decide(&IsolationChoice::parse(choice).unwrap(), kernel)
    }

    const WITHOUT: [Kernel; 2] = [Kernel::Without(Lack::NotBuilt), Kernel::Without(Lack::NotEnabled)];

    #[test]
    fn auto_takes_what_the_kernel_has() {
        for abi in 1..=9 {
            assert_eq!(decided("auto", Kernel::Landlock { abi }), Ok(Isolation::Landlock { abi }));
        }
        for kernel in WITHOUT {
            assert_eq!(decided("auto", kernel), Ok(Isolation::None));
        }
    }

    #[test]
    fn landlock_is_all_of_it_or_no_run() {
        for kernel in WITHOUT.into_iter().chain((1..FULL_ABI).map(|abi| Kernel::Landlock { abi })) {
            let fault = decided("landlock", kernel).unwrap_err();
            assert_eq!(fault.code, "isolation");
            assert!(fault.message.starts_with("`isolation: landlock`") && fault.hint.is_some(), "{fault:?}");
        }
        let kernel = Kernel::Landlock { abi: FULL_ABI };
        assert_eq!(decided("landlock", kernel), Ok(Isolation::Landlock { abi: FULL_ABI }));
    }

    #[test]
    fn none_and_a_launcher_ask_nothing_of_the_kernel() {
        for kernel in WITHOUT.into_iter().chain([Kernel::Landlock { abi: 7 }]) {
            assert_eq!(decided("none", kernel), Ok(Isolation::None));
            let Ok(Isolation::Command { command }) = decided("bwrap x", kernel) else { panic!() };
            assert_eq!(command.as_str(), "bwrap x");
        }
    }
}
