//! The number the kernel gives a process.

use std::{fmt, num::NonZeroI32, str::FromStr};

/// A process id, from 1. It names a process only together with its start ([`super::Process`]): the
/// kernel gives the number of an ended process to another one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Pid(NonZeroI32);

impl Pid {
    /// The id of this process.
    pub fn current() -> Self {
        Self::from_kernel(rustix::process::getpid())
    }

    /// The id of the process that started this one, or of the subreaper that adopted it; `None` when
    /// it lives outside this pid namespace.
    pub fn parent() -> Option<Self> {
        rustix::process::getppid().map(Self::from_kernel)
    }

    /// The id `number`; `None` when no process can have it.
    pub fn new(number: u32) -> Option<Self> {
        i32::try_from(number).ok().and_then(NonZeroI32::new).map(Self)
    }

    /// The number itself.
    pub fn get(self) -> u32 {
        self.0.get().unsigned_abs()
    }

    pub(super) fn kernel(self) -> rustix::process::Pid {
        // `from_raw` refuses only 0, and a positive number cannot become that.
        rustix::process::Pid::from_raw(self.0.get()).unwrap_or(rustix::process::Pid::INIT)
    }

    fn from_kernel(pid: rustix::process::Pid) -> Self {
        Self(pid.as_raw_nonzero())
    }
}

impl fmt::Display for Pid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// Text that is not a process id.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{text}` is not a process id")]
pub struct ParsePidError {
    /// What was given.
    pub text: String,
}

impl FromStr for Pid {
    type Err = ParsePidError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let digits = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
        let number = if digits { text.parse().ok().and_then(Self::new) } else { None };
        number.ok_or_else(|| ParsePidError { text: text.to_owned() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_decimal_digits_of_a_positive_number_are_a_process_id() {
        assert_eq!("31".parse(), Ok(Pid::new(31).unwrap()));
        for text in ["", "0", "-1", "+1", " 1", "1x", "2147483648", "self"] {
            assert!(text.parse::<Pid>().is_err(), "{text}");
        }
    }

    #[test]
    fn this_process_has_the_id_that_std_says() {
        assert_eq!(Pid::current().get(), std::process::id());
    }
}
