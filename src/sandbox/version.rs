//! Which git this is, and whether it is new enough.

use std::fmt;

use super::{git::Git, git_error::GitError};

/// A version of git.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct GitVersion {
    /// The first number.
    pub major: u32,
    /// The second number.
    pub minor: u32,
    /// The third number.
    pub patch: u32,
}

impl GitVersion {
    /// The oldest git that knows `GIT_CONFIG_GLOBAL`, without which callbox could not keep other
    /// configuration out.
    pub const MINIMUM: Self = Self { major: 2, minor: 32, patch: 0 };
}

impl fmt::Display for GitVersion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}.{}", self.major, self.minor, self.patch)
    }
}

impl Git {
    /// The version of the git that is used; compare it with [`GitVersion::MINIMUM`].
    pub fn version(&self) -> Result<GitVersion, GitError> {
        let answer = self.alone("version").line()?;
        parse(&answer).ok_or_else(|| GitError::answer("version", answer.as_bytes()))
    }
}

/// Reads `git version 2.39.5 (Apple Git-154)` and its like.
fn parse(answer: &str) -> Option<GitVersion> {
    let mut numbers = answer.strip_prefix("git version ")?.split(['.', ' ', '-']);
    let major = numbers.next()?.parse().ok()?;
    let minor = numbers.next()?.parse().ok()?;
    let patch = numbers.next().and_then(|number| number.parse().ok()).unwrap_or(0);
    Some(GitVersion { major, minor, patch })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_of_every_packager_are_read_and_compared() {
        for (answer, expected) in [
            ("git version 2.47.3", (2, 47, 3)),
            ("git version 2.39.5 (Apple Git-154)", (2, 39, 5)),
            ("git version 2.50.0-rc1", (2, 50, 0)),
            ("git version 2.49.0.windows.1", (2, 49, 0)),
            ("git version 3.0", (3, 0, 0)),
        ] {
            let (major, minor, patch) = expected;
            assert_eq!(parse(answer), Some(GitVersion { major, minor, patch }), "{answer}");
        }
        assert!(GitVersion { major: 2, minor: 9, patch: 9 } < GitVersion::MINIMUM);
        assert_eq!(parse("hub version 2"), None);
    }
}
