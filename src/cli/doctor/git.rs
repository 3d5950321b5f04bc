//! Git: found, and new enough.

use super::finding::Finding;
use crate::{
    cli::{context::Context, gather},
    sandbox::GitVersion,
};

/// Looks at the git on the PATH.
pub(crate) fn check_git(context: &Context) -> Finding {
    let git = match gather::git(context) {
        Ok(git) => git,
        Err(error) => return Finding::fail("git", error.sentence(), "make the state directory writable"),
    };
    match git.version() {
        Ok(version) if version >= GitVersion::MINIMUM => Finding::ok("git", format!("version {version}")),
        Ok(version) => Finding::fail(
            "git",
            format!("version {version} is older than {}", GitVersion::MINIMUM),
            "install a newer git",
        ),
        Err(error) => Finding::fail("git", error.to_string(), "install git, or put it on the PATH"),
    }
}
