//! What a sandbox takes over from a project's effective configuration: who commits, and where the
//! project's own remotes are. Nothing else, since the rest may name programs.

use std::{collections::BTreeMap, path::Path};

use super::{git::Git, git_error::GitError};

/// The part of a project's configuration that a sandbox gets.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct ProjectConfig {
    /// `user.name`.
    pub(super) name: Option<String>,
    /// `user.email`.
    pub(super) email: Option<String>,
    /// The remotes, by name.
    pub(super) remotes: BTreeMap<String, Remote>,
    /// `core.excludesFile`, as written.
    pub(super) excludes: Option<String>,
}

/// A remote of a project.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Remote {
    /// Where it is fetched from, as written.
    pub(super) urls: Vec<String>,
    /// Whether objects may be missing here because the remote has them, and which.
    pub(super) promised: Vec<(&'static str, String)>,
}

/// Reads the configuration as the person's own git would, in one call.
pub(super) fn read(git: &Git, root: &Path) -> Result<ProjectConfig, GitError> {
    Ok(parse(&git.person(root, "config").args(["--list", "-z", "--includes"]).succeed()?))
}

/// Reads `git config --list -z`: `key LF value NUL`, later values over earlier ones. What is not
/// UTF-8 is left out.
fn parse(list: &[u8]) -> ProjectConfig {
    let mut config = ProjectConfig::default();
    for entry in list.split(|byte| *byte == 0) {
        let Some((key, value)) = std::str::from_utf8(entry).ok().and_then(|entry| entry.split_once('\n'))
        else {
            continue;
        };
        match key {
            "user.name" => config.name = Some(value.to_owned()),
            "user.email" => config.email = Some(value.to_owned()),
            "core.excludesfile" => config.excludes = Some(value.to_owned()),
            _ => take_remote(&mut config.remotes, key, value),
        }
    }
    config.remotes.retain(|_, remote| !remote.urls.is_empty());
    config
}

fn take_remote(remotes: &mut BTreeMap<String, Remote>, key: &str, value: &str) {
    let Some((name, field)) = key.strip_prefix("remote.").and_then(|rest| rest.rsplit_once('.')) else {
        return;
    };
    let remote = remotes.entry(name.to_owned()).or_default();
    match field {
        "url" => remote.urls.push(value.to_owned()),
        "promisor" => remote.promised.push(("promisor", value.to_owned())),
        "partialclonefilter" => remote.promised.push(("partialclonefilter", value.to_owned())),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_identity_remotes_and_excludes_are_taken() {
        let list = b"user.name\nGlobal\0user.name\nPat\0user.email\np@x\0core.bare\0core.fsmonitor\n/x\0\
            remote.origin.url\ngit@h:a/b\0remote.origin.fetch\n+x\0remote.my.fork.url\n../f\nodd\0\
            remote.nothing.fetch\nx\0remote.pushdefault\norigin\0core.excludesfile\n~/i\0user.\xff\nx\0";
        let config = parse(list);
        assert_eq!((config.name.as_deref(), config.email.as_deref()), (Some("Pat"), Some("p@x")));
        assert_eq!(config.excludes.as_deref(), Some("~/i"));
        assert_eq!(config.remotes.keys().collect::<Vec<_>>(), ["my.fork", "origin"]);
        assert_eq!(config.remotes["origin"].urls, ["git@h:a/b"]);
        assert_eq!(config.remotes["my.fork"].urls, ["../f\nodd"]);
    }
}
