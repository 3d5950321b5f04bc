//! What is said of isolation to people: what each kind stops, what it doesn't, and no word more.

use super::kernel::Kernel;
use crate::vocabulary::{Isolation, IsolationChoice};

/// What no kind of isolation here stops; a container or another user does.
pub const NOT_STOPPED: &str = "not stopped: reading what you can read, sending it out, changing the agent \
    program's own configuration, and escaping through tmux, `systemd-run`, docker or ssh to yourself";

/// What is held back by `isolation`, for `doctor`.
pub fn stopped(isolation: &Isolation) -> String {
    match isolation {
        Isolation::None => {
            "nothing is held back: an agent's calls from elsewhere are only recorded".to_owned()
        }
        Isolation::Landlock { abi } => {
            let held = "an agent writes only in its sandbox, its TMPDIR, its program's own configuration and \
                 named caches, and sees of callbox's state nothing but its own run";
            let signals = if *abi >= 6 { "; it signals only its own processes" } else { "" };
            format!("{held}{signals}")
        }
        Isolation::Command { .. } => {
            "what the launcher holds back is its own; calls from outside the run's processes are refused"
                .to_owned()
        }
    }
}

/// What a kernel with `abi` does not hold back although the promise includes it.
pub fn shortfall(abi: u32) -> Vec<&'static str> {
    let lacks = [
        (3, "files elsewhere that the agent may write can be emptied"),
        (5, "devices can be controlled"),
        (6, "the agent can signal any process of yours, its supervisor too"),
    ];
    lacks.into_iter().filter(|(since, _)| abi < *since).map(|(_, what)| what).collect()
}

/// What a person is told of a run that is held by less than all of Landlock although nobody said `none`.
pub fn notice(choice: &IsolationChoice, isolation: &Isolation, kernel: Kernel) -> Option<String> {
    match (choice, isolation, kernel) {
        (IsolationChoice::Auto, Isolation::None, Kernel::Without(lack)) => {
            let (what, todo) = lack.words();
            Some(format!("this run is not isolated: {what} ({todo})"))
        }
        (IsolationChoice::Auto, Isolation::Landlock { abi }, _) => {
            let lacks = shortfall(*abi);
            let said =
                format!("this run is only partly isolated, by Landlock's ABI {abi}: {}", lacks.join("; "));
            (!lacks.is_empty()).then_some(said)
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::isolation::{decide, kernel::Lack};

    fn told(choice: &str, kernel: Kernel) -> Option<String> {
        let choice = IsolationChoice::parse(choice).unwrap();
        notice(&choice, &decide(&choice, kernel).unwrap(), kernel)
    }

    #[test]
    fn auto_says_what_it_could_not_do() {
        for lack in [Lack::NotBuilt, Lack::NotEnabled] {
            let text = told("auto", Kernel::Without(lack)).unwrap();
            assert!(text.starts_with("this run is not isolated: ") && text.contains("andlock"), "{text}");
        }
        let text = told("auto", Kernel::Landlock { abi: 5 }).unwrap();
        assert!(text.contains("ABI 5") && text.contains("supervisor") && !text.contains("emptied"), "{text}");
        assert!(told("auto", Kernel::Landlock { abi: 1 }).unwrap().contains("emptied"));
        assert_eq!(told("auto", Kernel::Landlock { abi: 6 }), None);
        assert_eq!(told("none", Kernel::Without(Lack::NotBuilt)), None);
    }

    #[test]
    fn what_a_kernel_lacks_is_not_promised() {
        assert!(stopped(&Isolation::Landlock { abi: 6 }).contains("signals"));
        assert!(!stopped(&Isolation::Landlock { abi: 5 }).contains("signals"));
    }
}
