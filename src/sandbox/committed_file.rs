//! One file of a commit, read without a work tree.

use super::{git::Git, git_error::GitError, project::Project};

/// The longest that is read, in bytes.
const LIMIT: usize = 256 << 10;

/// The file `name` at the root of `commit`, beyond its first 256 KiB cut off; `None` where that has no regular file of
/// this name. A symbolic link is none.
pub fn committed_file(
    git: &Git,
    project: &Project,
    commit: &str,
    name: &str,
) -> Result<Option<Vec<u8>>, GitError> {
    let listed = git.project(&project.root, "ls-tree").args(["-z", commit, "--", name]).succeed()?;
    let Some(object) = regular(&listed) else { return Ok(None) };
    Ok(Some(git.project(&project.root, "cat-file").args(["blob", object]).capped(LIMIT)?.bytes))
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
    fn only_a_regular_file_is_one() {
        assert_eq!(regular(b"100644 blob 0a1b\t.callbox.toml\0"), Some("0a1b"));
        assert_eq!(regular(b"120000 blob 0a1b\t.callbox.toml\0"), None);
        assert_eq!(regular(b"040000 tree 0a1b\t.callbox.toml\0"), None);
        assert_eq!(regular(b""), None);
    }
}
