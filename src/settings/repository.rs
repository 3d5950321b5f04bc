//! `.callbox.toml`: what a repository says of its own tasks. Its agents may have written it, so it counts only once a
//! person has trusted the very text.

use std::path::Path;

use super::SettingsError;
use crate::{
    document::{Faults, FileError, entries, read_toml, text_of, unknown},
    taskfile::{COMPARES, PartialSpec, Reading, compares, read_field},
};

/// The file's name, at the root of the repository.
pub const REPOSITORY_FILE: &str = ".callbox.toml";

/// Every key it may hold: fields of a task. What an agent may do and what it is held by is the person's to say.
pub const REPOSITORY_KEYS: [&str; 11] = [
    "agent",
    "copy",
    "sparse",
    "setup",
    "setup_timeout",
    "verify",
    "verify_tries",
    "timeout",
    "idle_timeout",
    "max_cost_usd",
    "max_tokens",
];

/// A file of that name for a project that has none: every key behind a mark, so that it says nothing yet.
pub const REPOSITORY_TEMPLATE: &str = include_str!("repository_template.toml");

/// Reads `text`, or refuses it whole with everything that is wrong with it; `path` is how people know it.
pub fn read_repository(path: &Path, text: &[u8]) -> Result<PartialSpec, SettingsError> {
    let wrong = |faults| FileError::Wrong { path: path.to_owned(), faults };
    let tree = read_toml(&text_of(text.to_vec()).map_err(|fault| wrong(vec![fault]))?).map_err(wrong)?;
    let mut faults = Faults::default();
    // It holds no paths but those of `copy` and `sparse`, which are relative to the repository.
    let mut reading =
        Reading { spec: PartialSpec::default(), directory: Path::new("/"), faults: &mut faults };
    for entry in entries(&tree, REPOSITORY_FILE, reading.faults).unwrap_or_default() {
        if compares(entry) {
            reading.faults.field(entry.line, "agent", COMPARES);
        } else if REPOSITORY_KEYS.contains(&entry.key.as_str()) {
            read_field(entry, &[], &mut reading);
        } else {
            unknown(entry, "", REPOSITORY_KEYS, reading.faults);
        }
    }
    let spec = reading.spec;
    faults.into_result(spec).map_err(wrong)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<PartialSpec, String> {
        read_repository(Path::new("p/.callbox.toml"), text.as_bytes()).map_err(|error| error.to_string())
    }

    #[test]
    fn every_key_is_read() {
        let spec = read(
            "agent = 'claude'\ncopy = ['.env']\nsparse = ['a']\nsetup = 'npm ci'\nsetup_timeout = '5m'\nverify = 'npm test'\n\
             verify_tries = 1\ntimeout = '1h'\nidle_timeout = 'never'\nmax_cost_usd = 2.5\nmax_tokens = 1000\n",
        )
        .unwrap();
        assert_eq!((spec.setup.as_deref(), spec.verify.as_deref()), (Some("npm ci"), Some("npm test")));
        assert_eq!((spec.setup_timeout_seconds, spec.timeout_seconds), (Some(300), Some(3600)));
        assert_eq!((spec.max_cost_usd, spec.max_tokens, spec.verify_tries), (Some(2.5), Some(1000), Some(1)));
        assert!(
            spec.agent.is_some()
                && spec.copy.len() == 1
                && spec.sparse.len() == 1
                && spec.idle_timeout.is_some()
        );
        assert_eq!(read("").unwrap(), PartialSpec::default());
    }

    /// The lines of the template that only have to lose their mark.
    fn marked() -> impl Iterator<Item = &'static str> {
        let unmarked = REPOSITORY_TEMPLATE.lines().filter_map(|line| line.strip_prefix('#'));
        unmarked.filter(|line| line.starts_with(|first: char| first.is_ascii_lowercase()))
    }

    #[test]
    fn every_key_stands_once_in_the_template_and_counts_without_its_mark() {
        assert_eq!(read(REPOSITORY_TEMPLATE).unwrap(), PartialSpec::default(), "it says nothing by itself");
        let keys: Vec<_> = marked().map(|line| line.split(" = ").next().unwrap()).collect();
        assert_eq!(keys, REPOSITORY_KEYS);
        for line in marked() {
            assert_ne!(
                read(line).unwrap_or_else(|error| panic!("{error}")),
                PartialSpec::default(),
                "{line}"
            );
        }
        let all: Vec<_> = marked().collect();
        assert!(read(&all.join("\n")).is_ok(), "nor do they contradict each other");
    }

    #[test]
    fn what_is_the_persons_to_say_or_nobodys_is_refused_with_its_line() {
        let error = read("setup = 'x'\npermissions = 'full'\nisolation = 'none'\nverfy = 'x'\ntimeout = 5\n")
            .unwrap_err();
        let lines: Vec<_> = error.lines().collect();
        assert_eq!(lines.len(), 4, "{error}");
        assert!(lines[0].starts_with("p/.callbox.toml:2: `permissions` is not known"), "{error}");
        assert!(lines[1].starts_with("p/.callbox.toml:3: `isolation` is not known"), "{error}");
        assert!(
            lines[2].starts_with("p/.callbox.toml:4: `verfy` is not known: did you mean `verify`?"),
            "{error}"
        );
        assert!(lines[3].starts_with("p/.callbox.toml:5: `timeout` needs a unit"), "{error}");
        assert!(read("a = '\u{1}").unwrap_err().contains("this is not TOML"));
        assert!(
            read_repository(Path::new("x"), b"a = '\xff'").unwrap_err().to_string().contains("not UTF-8")
        );
    }
}
