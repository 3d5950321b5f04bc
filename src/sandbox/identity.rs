//! Who commits what callbox commits.

use super::invocation::Invocation;

/// Lets `invocation` commit as callbox.
pub(super) fn callbox(invocation: Invocation) -> Invocation {
    invocation
        .env("GIT_AUTHOR_NAME", "callbox")
        .env("GIT_AUTHOR_EMAIL", "callbox@localhost")
        .env("GIT_COMMITTER_NAME", "callbox")
        .env("GIT_COMMITTER_EMAIL", "callbox@localhost")
}
