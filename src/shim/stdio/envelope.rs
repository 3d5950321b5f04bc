//! The outer shape of a line: an object with its keys, or something else.

use std::fmt;

use serde::{
    Deserialize, Deserializer,
    de::{MapAccess, Visitor},
};
use serde_json::{Map, Value};

/// The JSON of one line.
pub(super) enum Document {
    /// One message, perhaps.
    Object(Envelope),
    /// What was a batch before MCP dropped them.
    Array(Vec<Value>),
    /// A string, a number or a word.
    Scalar,
}

/// The top of an object. A parser into a map would silently take the last of equal keys.
pub(super) struct Envelope {
    /// Keys and values; of equal keys the first.
    pub(super) fields: Map<String, Value>,
    /// The first key that stands twice.
    pub(super) repeated: Option<String>,
}

impl Document {
    /// Reads a line that has more than blanks.
    pub(super) fn read(line: &str) -> Result<Self, serde_json::Error> {
        match line.as_bytes().first() {
            Some(b'{') => serde_json::from_str(line).map(Self::Object),
            Some(b'[') => serde_json::from_str(line).map(Self::Array),
            _ => serde_json::from_str::<Value>(line).map(|_| Self::Scalar),
        }
    }
}

impl<'de> Deserialize<'de> for Envelope {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(EnvelopeVisitor)
    }
}

struct EnvelopeVisitor;

impl<'de> Visitor<'de> for EnvelopeVisitor {
    type Value = Envelope;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Envelope, A::Error> {
        let mut fields = Map::new();
        let mut repeated = None;
        while let Some((key, value)) = map.next_entry::<String, Value>()? {
            if fields.contains_key(&key) {
                repeated.get_or_insert(key);
            } else {
                fields.insert(key, value);
            }
        }
        Ok(Envelope { fields, repeated })
    }
}
