//! Where an agent program keeps the files of one conversation, so that they can be taken along to another place.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
};

use crate::ids::Secret;

/// One conversation, in a run as it is or will be.
#[derive(Debug, Clone, Copy)]
pub struct Talk<'a> {
    /// The program's own session id. It may be anything: whoever made an archive wrote it.
    pub session: &'a str,
    /// The directory the agent works in; absolute.
    pub directory: &'a Path,
    /// The environment of the run.
    pub environment: &'a BTreeMap<String, Secret>,
}

/// Where the files of a conversation are found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Shelf {
    /// The folder below which they stand; absolute.
    pub root: PathBuf,
    /// A pattern for each name on the way to them, in which `*` stands for anything.
    pub way: Vec<String>,
}

impl Shelf {
    /// Whether `path`, the names on the way from the root to a file, leads to one of them.
    pub fn holds(&self, path: &[String]) -> bool {
        path.len() == self.way.len() && self.way.iter().zip(path).all(|(pattern, name)| fits(pattern, name))
    }
}

/// Where a file that was taken along belongs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Shelved {
    /// The file; absolute.
    pub file: PathBuf,
    /// What must stand beside it for the program to find it, with what it holds.
    pub beside: Option<(PathBuf, String)>,
}

/// Whether `name` is what `pattern` says.
fn fits(pattern: &str, name: &str) -> bool {
    match pattern.split_once('*') {
        None => pattern == name,
        Some((before, behind)) => name.strip_prefix(before).is_some_and(|rest| {
            rest.char_indices()
                .map(|(place, _)| place)
                .chain([rest.len()])
                .any(|place| fits(behind, &rest[place..]))
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_star_stands_for_anything_within_one_name() {
        for (pattern, name, expected) in [
            ("*", "", true),
            ("*", "2026", true),
            ("a.jsonl", "a.jsonl", true),
            ("a.jsonl", "b.jsonl", false),
            ("rollout-*-7.jsonl", "rollout-2026-7.jsonl", true),
            ("rollout-*-7.jsonl", "rollout-2026-7.jsonl.gz", false),
            ("session-*-é*.json", "session-1-éa.json", true),
        ] {
            assert_eq!(fits(pattern, name), expected, "{pattern} {name}");
        }
    }

    #[test]
    fn a_path_must_be_as_long_as_the_way() {
        let shelf = Shelf { root: "/r".into(), way: vec!["*".into(), "x".into()] };
        let path = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
        assert!(shelf.holds(&path(&["a", "x"])));
        assert!(!shelf.holds(&path(&["x"])) && !shelf.holds(&path(&["a", "b", "x"])) && !shelf.holds(&[]));
    }
}
