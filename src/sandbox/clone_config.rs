//! The configuration of a new sandbox's own repository.

use std::{
    fmt::Write as _,
    path::{Component, Path, PathBuf},
};

use super::project_config::{ProjectConfig, Remote};

/// Where a push from a sandbox goes: nowhere, and git's error says why.
const NO_PUSH: &str = "pushing-is-off-in-a-callbox-sandbox://";

/// Turns what `git clone --bare` wrote into the configuration of a work tree with the project's own
/// remotes instead of the project. `written` is of this moment's clone, so nobody else had it in hand.
pub(super) fn clone_config(written: &str, root: &Path, project: &ProjectConfig) -> String {
    let mut text = String::new();
    let mut skipping = false;
    for line in written.lines() {
        if line.starts_with('[') {
            skipping = line.starts_with("[remote ") || line.starts_with("[branch ");
        }
        if !skipping {
            text.push_str(line.replace("bare = true", "bare = false\n\tlogallrefupdates = true").as_str());
            text.push('\n');
        }
    }
    let (name, email) = (project.name.as_deref(), project.email.as_deref());
    put_section(&mut text, "user", None);
    put(&mut text, "name", name.unwrap_or("callbox"));
    put(&mut text, "email", email.unwrap_or("callbox@localhost"));
    for (name, remote) in &project.remotes {
        put_remote(&mut text, root, name, remote);
    }
    text
}

fn put_remote(text: &mut String, root: &Path, name: &str, remote: &Remote) {
    let urls: Vec<_> = remote
        .urls
        .iter()
        .map(|url| without_password(&absolute(root, url)))
        .filter(|url| Path::new(url) != root)
        .collect();
    if urls.is_empty() {
        return;
    }
    put_section(text, "remote", Some(name));
    for url in &urls {
        put(text, "url", url);
    }
    put(text, "pushurl", &format!("{NO_PUSH}{name}"));
    put(text, "fetch", &format!("+refs/heads/*:refs/remotes/{name}/*"));
    for (key, value) in &remote.promised {
        put(text, key, value);
    }
}

/// Git takes a relative path from the root of the work tree, and a sandbox has another root.
fn absolute(root: &Path, url: &str) -> String {
    let before_slash = url.split('/').next().unwrap_or_default();
    if url.starts_with('/') || before_slash.contains(':') {
        return url.to_owned();
    }
    let mut path = PathBuf::new();
    for part in root.join(url).components() {
        match part {
            Component::ParentDir => drop(path.pop()),
            Component::CurDir => {}
            other => path.push(other),
        }
    }
    path.to_string_lossy().into_owned()
}

/// Notes the work tree of a submodule, `work` being relative to its git directory.
pub(super) fn put_work_tree(text: &mut String, work: &str) {
    put_section(text, "core", None);
    put(text, "worktree", work);
}

/// Notes a submodule as one that is filled in, with its address.
pub(super) fn put_submodule(text: &mut String, name: &str, url: Option<&str>) {
    put_section(text, "submodule", Some(name));
    put(text, "active", "true");
    if let Some(url) = url {
        put(text, "url", url);
    }
}

/// A password in a URL is the person's, not the agent's.
pub(super) fn without_password(url: &str) -> String {
    let Some((scheme, rest)) = url.split_once("://") else { return url.to_owned() };
    let authority = rest.split('/').next().unwrap_or_default();
    match authority.rsplit_once('@') {
        Some((user, _)) if user.contains(':') || scheme.starts_with("http") => {
            format!("{scheme}://{}", &rest[user.len() + 1..])
        }
        _ => url.to_owned(),
    }
}

fn put_section(text: &mut String, section: &str, name: Option<&str>) {
    match name {
        // Only these two may be escaped in a section's name.
        Some(name) => {
            let name = name.replace('\\', "\\\\").replace('"', "\\\"");
            let _ = writeln!(text, "[{section} \"{name}\"]");
        }
        None => {
            let _ = writeln!(text, "[{section}]");
        }
    }
}

fn put(text: &mut String, key: &str, value: &str) {
    let value = value.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n").replace('\t', "\\t");
    let _ = writeln!(text, "\t{key} = \"{value}\"");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn relative_remotes_become_absolute_and_others_stay() {
        for (url, expected) in [
            ("../up.git", "/home/up.git"),
            ("./x/../y", "/home/p/y"),
            ("/srv/x.git", "/srv/x.git"),
            ("git@host:a/b.git", "git@host:a/b.git"),
            ("ssh://git@host/a", "ssh://git@host/a"),
            ("https://host/a", "https://host/a"),
            ("dir/with:colon", "/home/p/dir/with:colon"),
        ] {
            assert_eq!(absolute(Path::new("/home/p"), url), expected);
        }
    }

    #[test]
    fn passwords_stay_with_the_person() {
        for (url, expected) in [
            ("https://x-access-token:secret@github.com/a/b", "https://github.com/a/b"),
            ("https://ghp_token@github.com/a/b", "https://github.com/a/b"),
            ("https://github.com/a@b", "https://github.com/a@b"),
            ("ssh://git@host/a", "ssh://git@host/a"),
            ("ssh://git:secret@host/a", "ssh://host/a"),
            ("git@host:a", "git@host:a"),
        ] {
            assert_eq!(without_password(url), expected);
        }
    }

    #[test]
    fn the_clone_gets_a_work_tree_an_identity_and_the_projects_remotes() {
        let written = "[core]\n\trepositoryformatversion = 1\n\tbare = true\n[extensions]\n\tobjectformat = \
            sha256\n[remote \"origin\"]\n\turl = /home/p\n";
        let mut project = ProjectConfig { name: Some("A \"B\" \\C".to_owned()), ..Default::default() };
        let urls = vec!["../up".to_owned()];
        project
            .remotes
            .insert("o\"x".to_owned(), Remote { urls, promised: vec![("promisor", "true".to_owned())] });
        let itself = Remote { urls: vec![".".to_owned()], promised: Vec::new() };
        project.remotes.insert("self".to_owned(), itself);
        assert_eq!(
            clone_config(written, Path::new("/home/p"), &project),
            "[core]\n\trepositoryformatversion = 1\n\tbare = false\n\tlogallrefupdates = true\n[extensions]\n\
            \tobjectformat = sha256\n[user]\n\tname = \"A \\\"B\\\" \\\\C\"\n\temail = \"callbox@localhost\"\n\
            [remote \"o\\\"x\"]\n\turl = \"/home/up\"\n\tpushurl = \
            \"pushing-is-off-in-a-callbox-sandbox://o\"x\"\n\tfetch = \"+refs/heads/*:refs/remotes/o\"x/*\"\n\
            \tpromisor = \"true\"\n"
                .replace("://o\"x", "://o\\\"x")
                .replace("remotes/o\"x", "remotes/o\\\"x")
        );
    }
}
