//! How large a piece of work is.

use super::{git::Git, git_error::GitError, view::View};

/// What `git diff --shortstat` counts.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Numbers {
    /// Files changed; a file that was moved is one.
    pub(super) files: u32,
    /// Lines added.
    pub(super) insertions: u32,
    /// Lines removed.
    pub(super) deletions: u32,
}

/// Counts from `base` to `head`.
pub(super) fn count(git: &Git, view: &View, base: &str, head: &str) -> Result<Numbers, GitError> {
    let answer = view
        .git(git, "diff-tree")
        .args(["-r", "-M", "--shortstat", "--no-ext-diff", "--no-textconv", base, head, "--"])
        .line()?;
    parse(&answer).ok_or_else(|| GitError::answer("diff-tree", answer.as_bytes()))
}

/// Reads ` 3 files changed, 4 insertions(+), 1 deletion(-)`, of which each part may be missing.
fn parse(answer: &str) -> Option<Numbers> {
    let mut numbers = Numbers::default();
    for part in answer.split(',').map(str::trim).filter(|part| !part.is_empty()) {
        let (number, what) = part.split_once(' ')?;
        let number = number.parse().ok()?;
        match what.as_bytes().first()? {
            b'f' => numbers.files = number,
            b'i' => numbers.insertions = number,
            b'd' => numbers.deletions = number,
            _ => return None,
        }
    }
    Some(numbers)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_part_may_be_missing() {
        let numbers = |files, insertions, deletions| Some(Numbers { files, insertions, deletions });
        assert_eq!(parse(" 3 files changed, 4 insertions(+), 1 deletion(-)"), numbers(3, 4, 1));
        assert_eq!(parse(" 1 file changed, 1 deletion(-)"), numbers(1, 0, 1));
        assert_eq!(parse(" 1 file changed, 0 insertions(+), 0 deletions(-)"), numbers(1, 0, 0));
        assert_eq!(parse(""), numbers(0, 0, 0));
        assert_eq!(parse("fatal"), None);
    }
}
