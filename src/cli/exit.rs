//! The exit statuses of `callbox`: a contract with scripts.

/// The statuses a run can end with, from the worst to the best: of several tasks the first of these
/// counts. Wrong usage is found before any task ran.
pub const EXIT_STATUSES: [u8; 10] = [2, 70, 69, 1, 5, 4, 6, 7, 3, 0];

/// How the program ended. The names say what a script may conclude; the numbers are [`ExitStatus::code`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ExitStatus {
    /// 0: done; of a run: completed, or ready for review.
    Success,
    /// 1: refused with the reason; of a run: the agent or its work failed.
    Failed,
    /// 2: wrong usage or a wrong task file. Nothing was done.
    Usage,
    /// 3: a run waits for an answer, or for something outside of it.
    Blocked,
    /// 4: a time limit was reached.
    TimedOut,
    /// 5: a budget was exceeded.
    BudgetExceeded,
    /// 6: the provider refuses for now.
    RateLimited,
    /// 7: cancelled.
    Cancelled,
    /// 69: the store, an agent program, a login, a project or a sandbox was not to be had
    /// (`EX_UNAVAILABLE` of sysexits.h).
    Unavailable,
    /// 70: a fault of callbox (`EX_SOFTWARE` of sysexits.h).
    Internal,
    /// That of the command that `attach` ran.
    OfCommand(u8),
}

impl ExitStatus {
    /// The number given to the shell.
    pub(crate) fn code(self) -> u8 {
        match self {
            Self::Success => 0,
            Self::Failed => 1,
            Self::Usage => 2,
            Self::Blocked => 3,
            Self::TimedOut => 4,
            Self::BudgetExceeded => 5,
            Self::RateLimited => 6,
            Self::Cancelled => 7,
            Self::Unavailable => 69,
            Self::Internal => 70,
            Self::OfCommand(code) => code,
        }
    }

    /// What several tasks end with: the worst of theirs, [`ExitStatus::Success`] of none.
    pub(crate) fn worst(statuses: impl IntoIterator<Item = Self>) -> Self {
        statuses.into_iter().min_by_key(|status| status.rank()).unwrap_or(Self::Success)
    }

    /// From the worst, 0, to the best. What a person's own command ends with says no more than that
    /// it failed.
    fn rank(self) -> usize {
        let code = if let Self::OfCommand(_) = self { Self::Failed.code() } else { self.code() };
        EXIT_STATUSES.iter().position(|status| *status == code).unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    use super::{ExitStatus::*, *};

    #[test]
    fn the_worst_of_several_follows_the_documented_order() {
        let order = [
            Internal,
            Unavailable,
            Failed,
            BudgetExceeded,
            TimedOut,
            RateLimited,
            Cancelled,
            Blocked,
            Success,
        ];
        assert_eq!(order.map(ExitStatus::code), [70, 69, 1, 5, 4, 6, 7, 3, 0]);
        for (place, worse) in order.iter().enumerate() {
            for better in &order[place..] {
                assert_eq!(ExitStatus::worst([*better, *worse]), *worse);
            }
        }
        assert_eq!(ExitStatus::worst([]), Success);
    }
}
