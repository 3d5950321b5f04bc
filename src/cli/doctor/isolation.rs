//! What holds agents here.

use super::finding::Finding;
use crate::{
    cli::context::Context,
    isolation::{FULL_ABI, Kernel, NOT_STOPPED, decide, notice, shortfall, stopped},
    vocabulary::{Isolation, IsolationChoice},
};

/// What a task without a word on `isolation` gets on this kernel, by this configuration.
pub(crate) fn check_isolation(context: &Context) -> Finding {
    let choice = context.settings.defaults.isolation.clone().unwrap_or_default();
    found(&choice, Kernel::running())
}

fn found(choice: &IsolationChoice, kernel: Kernel) -> Finding {
    let isolation = match decide(choice, kernel) {
        Ok(isolation) => isolation,
        Err(fault) => return Finding::fail("isolation", fault.message, fault.hint.unwrap_or_default()),
    };
    let what = format!("{isolation}: {}; {NOT_STOPPED}", stopped(&isolation));
    match (&isolation, notice(choice, &isolation, kernel)) {
        (Isolation::None, Some(notice)) => Finding::warn(
            "isolation",
            format!("{what}; {notice}"),
            "name a launcher as `isolation`, such as bubblewrap's, or use a newer kernel",
        ),
        (Isolation::Landlock { abi }, Some(_)) => Finding::warn(
            "isolation",
            format!("{what}; for want of ABI {FULL_ABI}: {}", shortfall(*abi).join("; ")),
            "use a kernel from Linux 6.12 on",
        ),
        _ => Finding::ok("isolation", what),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{cli::doctor::Level, isolation::Lack};

    #[test]
    fn a_kernel_without_landlock_is_warned_of_and_fails_where_landlock_is_demanded() {
        let kernel = Kernel::Without(Lack::NotBuilt);
        let warned = found(&IsolationChoice::Auto, kernel);
        assert_eq!(warned.level, Level::Warn);
        assert!(warned.message.starts_with("no isolation: nothing is held back"), "{}", warned.message);
        assert!(warned.message.contains("this kernel has no Landlock"), "{}", warned.message);
        assert_eq!(found(&IsolationChoice::Landlock, kernel).level, Level::Fail);
        assert_eq!(found(&IsolationChoice::None, kernel).level, Level::Ok);
    }

    #[test]
    fn what_is_not_stopped_is_said_with_whatever_is() {
        for (abi, level) in [(5, Level::Warn), (FULL_ABI, Level::Ok)] {
            let finding = found(&IsolationChoice::Auto, Kernel::Landlock { abi });
            assert_eq!(finding.level, level, "{}", finding.message);
            assert!(finding.message.contains(NOT_STOPPED), "{}", finding.message);
            assert_eq!(finding.message.contains("it signals only its own"), abi >= 6, "{}", finding.message);
        }
    }
}
