//! The tree a document is read into.

/// One value and the line it starts on.
#[derive(Debug, Clone, PartialEq)]
pub struct Node {
    /// From 1.
    pub line: usize,
    /// What stands there.
    pub value: Value,
}

/// What a node holds.
#[derive(Debug, Clone, PartialEq)]
pub enum Value {
    /// Nothing: an empty value or `null`.
    Null,
    /// `true`, `false`, and in YAML also `yes` and `no`; the second field is the text as written.
    Flag(bool, String),
    /// A number as it was written, so that nothing is rounded before somebody wants a number.
    Number(String),
    /// Text.
    Text(String),
    /// Values in order.
    List(Vec<Node>),
    /// Values by name, in order and without repetition.
    Map(Vec<Entry>),
}

/// One named value of a map.
#[derive(Debug, Clone, PartialEq)]
pub struct Entry {
    /// The name.
    pub key: String,
    /// Where the name stands, from 1.
    pub line: usize,
    /// What it names.
    pub value: Node,
}

impl Value {
    /// What a person calls this kind of value.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Null => "nothing",
            Self::Flag(..) => "a yes or no",
            Self::Number(_) => "a number",
            Self::Text(_) => "text",
            Self::List(_) => "a list",
            Self::Map(_) => "a map",
        }
    }
}
