//! Text that a person gives on the command line, on stdin or in a file.

use std::{
    fs::File,
    io::{self, Read},
    path::Path,
};

use crate::cli::error::CliError;

/// The largest text that is read, in bytes. What it is for has limits of its own, in characters.
const MAX_BYTES: usize = 1 << 20;

/// `-` is stdin, anything else is the text itself; but what looks like a mistyped flag is refused,
/// since it would be said to an agent in earnest.
pub(crate) fn words(given: &str) -> Result<String, CliError> {
    if given == "-" {
        return read(io::stdin().lock(), "stdin");
    }
    let is_flag = given.strip_prefix("--").is_some_and(|name| name.starts_with(char::is_alphabetic));
    if is_flag && !given.contains(char::is_whitespace) {
        return Err(CliError::usage(format!("there is no flag `{given}`"))
            .hinted("if that is what you want to say, give it on stdin with `-`"));
    }
    Ok(given.to_owned())
}

/// `@FILE` is a file relative to `directory`, anything else as in [`words`].
pub(crate) fn message(given: &str, directory: &Path) -> Result<String, CliError> {
    match given.strip_prefix('@') {
        Some(name) => {
            let path = directory.join(name);
            let file = File::open(&path).map_err(|source| unreadable(&path.to_string_lossy(), source))?;
            read(file, &path.to_string_lossy())
        }
        None => words(given),
    }
}

#[derive(Debug, thiserror::Error)]
#[error("`{name}` cannot be read")]
struct Unreadable {
    name: String,
    source: io::Error,
}

fn unreadable(name: &str, source: io::Error) -> CliError {
    CliError::usage(Unreadable { name: name.to_owned(), source })
}

fn read(from: impl Read, name: &str) -> Result<String, CliError> {
    let mut bytes = Vec::new();
    from.take(MAX_BYTES as u64 + 1).read_to_end(&mut bytes).map_err(|source| unreadable(name, source))?;
    if bytes.len() > MAX_BYTES {
        return Err(CliError::usage(format!("`{name}` is larger than {MAX_BYTES} bytes")));
    }
    String::from_utf8(bytes).map_err(|_| CliError::usage(format!("`{name}` is not UTF-8 text")))
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn text_stands_for_itself_and_an_at_sign_for_a_file() {
        let folder = tempfile::TempDir::new().unwrap();
        fs::write(folder.path().join("what to do"), "mend it\n").unwrap();
        assert_eq!(message("mend it", folder.path()).unwrap(), "mend it");
        assert_eq!(message("@what to do", folder.path()).unwrap(), "mend it\n");
    }

    #[test]
    fn a_mistyped_flag_is_not_said_to_an_agent() {
        assert_eq!(words("--rnu").unwrap_err().status().code(), 2);
        for said in ["- a list", "-5", "--", "--force is what I want", "no"] {
            assert_eq!(words(said).unwrap(), said);
        }
    }

    #[test]
    fn a_file_that_is_missing_too_large_or_no_text_is_wrong_usage_and_named() {
        let folder = tempfile::TempDir::new().unwrap();
        fs::write(folder.path().join("large"), vec![b'x'; MAX_BYTES + 1]).unwrap();
        fs::write(folder.path().join("binary"), [0xff]).unwrap();
        for (name, reason) in [("none", "cannot be read"), ("large", "larger than"), ("binary", "UTF-8")] {
            let error = message(&format!("@{name}"), folder.path()).unwrap_err();
            assert_eq!(error.status().code(), 2);
            let text = error.to_string();
            assert!(text.contains(reason) && text.contains(name), "{text}");
        }
    }
}
