//! Text that must not leak: tokens, supervisor secrets, API keys.

use std::fmt;

use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use serde::{Deserialize, Serialize};

/// A secret string. `Debug` prints no part of it and there is no `Display`; whoever needs the text
/// says so with [`Secret::expose`].
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Secret(String);

impl Secret {
    /// Takes `text` into custody.
    pub fn new(text: impl Into<String>) -> Self {
        Self(text.into())
    }

    /// A fresh bearer secret: `cbx_` and 43 base64url characters, 256 random bits.
    ///
    /// # Panics
    ///
    /// When the system has no randomness to give: a guessable token would be worse.
    pub fn mint() -> Self {
        let mut bytes = [0u8; 32];
        getrandom::fill(&mut bytes).expect("the system's random source must work to mint a token");
        Self(format!("cbx_{}", URL_SAFE_NO_PAD.encode(bytes)))
    }

    /// The text itself. Never for logs, errors, argv or the database.
    pub fn expose(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret(…)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_minted_secret_has_the_documented_form_and_is_never_the_same() {
        let (one, two) = (Secret::mint(), Secret::mint());
        let body = one.expose().strip_prefix("cbx_").unwrap();
        assert_eq!(body.len(), 43);
        assert!(body.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-' || b == b'_'));
        assert_ne!(one, two);
    }

    #[test]
    fn debug_prints_no_part_of_it() {
        assert_eq!(format!("{:?}", Secret::new("canary")), "Secret(…)");
    }
}
