//! One file of a commit, read without a work tree.

use super::{git::Git, git_error::GitError, invocation::Capped, project::Project};

/// The longest that is read, in bytes.
const LIMIT: usize = 256 << 10;
/// What reads it.
const VERB: &str = "cat-file";

/// The file `name` at the root of `commit`; `None` where that has no regular file of this name. A symbolic link is
/// none. One of more than 256 KiB is an error: half a file says something else than the whole.
pub fn committed_file(
    git: &Git,
    project: &Project,
    commit: &str,
    name: &str,
) -> Result<Option<Vec<u8>>, GitError> {
    let listed = git.project(&project.root, "ls-tree").args(["-z", commit, "--", name]).succeed()?;
    let Some(object) = regular(&listed) else { return Ok(None) };
    whole(git.project(&project.root, VERB).args(["blob", object]).capped(LIMIT)?).map(Some)
}

/// What was read, where that was all.
fn whole(read: Capped) -> Result<Vec<u8>, GitError> {
    if read.complete { Ok(read.bytes) } else { Err(GitError::TooMuch { verb: VERB, limit: LIMIT }) }
}

/// The object in `MODE blob OBJECT TAB NAME NUL`.
fn regular(listed: &[u8]) -> Option<&str> {
    let head = std::str::from_utf8(listed.split(|byte| *byte == b'\t').next()?).ok()?;
    let mut words = head.split(' ');
    let is_file = matches!(words.next(), Some("100644" | "100755")) && words.next() == Some("blob");
    words.next().filter(|_| is_file)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_was_not_read_to_its_end_is_an_error() {
        let read = |complete| whole(Capped { bytes: b"a".to_vec(), complete });
        assert_eq!(read(true).unwrap(), b"a");
        assert!(matches!(read(false), Err(GitError::TooMuch { limit: LIMIT, .. })));
    }

    #[test]
    fn only_a_regular_file_is_one() {
        assert_eq!(regular(b"100644 blob 0a1b\t.callbox.toml\0"), Some("0a1b"));
        assert_eq!(regular(b"120000 blob 0a1b\t.callbox.toml\0"), None);
        assert_eq!(regular(b"040000 tree 0a1b\t.callbox.toml\0"), None);
        assert_eq!(regular(b""), None);
    }
}
