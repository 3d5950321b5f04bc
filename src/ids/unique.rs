//! Identities that stay unique across state directories.

use std::fmt;

use serde::{Deserialize, Serialize};

/// A UUIDv7: names a task wherever its state directory travels.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct UniqueId(uuid::Uuid);

impl UniqueId {
    /// A fresh identity, ordered by time.
    pub fn mint() -> Self {
        Self(uuid::Uuid::now_v7())
    }

    /// Reads the hyphenated form; `None` when `text` is anything else.
    pub fn parse(text: &str) -> Option<Self> {
        uuid::Uuid::parse_str(text).ok().map(Self)
    }
}

impl fmt::Display for UniqueId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.hyphenated().fmt(f)
    }
}
