//! What is wrong with a document, each with its line.

use std::fmt;

/// One thing that is wrong, and where.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct FileFault {
    /// From 1.
    pub line: usize,
    /// The field it concerns, such as `retry.delay`; absent where the document itself is broken.
    pub field: Option<String>,
    /// What is wrong, as the end of a sentence that begins with the field.
    pub message: String,
}

impl fmt::Display for FileFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.field {
            Some(field) => write!(f, "{}: `{field}` {}", self.line, self.message),
            None => write!(f, "{}: {}", self.line, self.message),
        }
    }
}

/// Collects faults, so that reading goes on behind each and a person hears of all at once.
#[derive(Debug, Default)]
pub struct Faults(Vec<FileFault>);

impl Faults {
    /// Notes that `field` at `line` is wrong: `message` goes on behind the field's name.
    pub fn field(&mut self, line: usize, field: impl Into<String>, message: impl Into<String>) {
        self.0.push(FileFault { line, field: Some(field.into()), message: message.into() });
    }

    /// Notes that the document is broken at `line`.
    pub fn document(&mut self, line: usize, message: impl Into<String>) {
        self.0.push(FileFault { line, field: None, message: message.into() });
    }

    /// Takes over faults that were found elsewhere.
    pub fn extend(&mut self, others: impl IntoIterator<Item = FileFault>) {
        self.0.extend(others);
    }

    /// How many were found so far.
    pub fn count(&self) -> usize {
        self.0.len()
    }

    /// `value` if nothing was found, else everything that was, in the order of the file.
    pub fn into_result<T>(mut self, value: T) -> Result<T, Vec<FileFault>> {
        if self.0.is_empty() {
            return Ok(value);
        }
        self.0.sort();
        self.0.dedup();
        Err(self.0)
    }
}
