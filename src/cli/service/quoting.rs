//! How words stand in a unit of systemd's, so that it reads them back as they are (`systemd.syntax(7)`,
//! `systemd.service(5)`): it takes quotes and escapes away, then fills in `%`, and in arguments `$`.

use std::fmt::Write as _;

/// A word that cannot be said in a unit.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{what} cannot stand in a unit of systemd's: {why}")]
pub(crate) struct Unsayable {
    /// What the word is.
    pub(crate) what: &'static str,
    /// What is wrong with it.
    pub(crate) why: &'static str,
}

/// The program of a command line. systemd takes none with quotes, backslashes or control characters, and fills in no
/// `$` there.
pub(super) fn program(path: &str) -> Result<String, Unsayable> {
    if path.contains(|letter: char| letter.is_control() || matches!(letter, '"' | '\'' | '\\')) {
        let why = "its path has a quote, a backslash or a control character";
        return Err(Unsayable { what: "the program", why });
    }
    Ok(quoted(&path.replace('%', "%%")))
}

/// An argument of a command line.
pub(super) fn argument(text: &str) -> String {
    quoted(&text.replace('%', "%%").replace('$', "$$"))
}

/// A variable of the environment. systemd leaves out one with control characters.
pub(super) fn variable(name: &'static str, value: &str) -> Result<String, Unsayable> {
    if value.contains(char::is_control) {
        return Err(Unsayable { what: name, why: "its value has a control character" });
    }
    Ok(quoted(&format!("{name}={}", value.replace('%', "%%"))))
}

fn quoted(text: &str) -> String {
    let mut quoted = String::from('"');
    for letter in text.chars() {
        match letter {
            '"' | '\\' => quoted.extend(['\\', letter]),
            // Writing to a string cannot fail.
            '\0'..='\x1f' | '\x7f' => _ = write!(quoted, "\\x{:02x}", u32::from(letter)),
            letter => quoted.push(letter),
        }
    }
    quoted.push('"');
    quoted
}

#[cfg(test)]
mod tests;
