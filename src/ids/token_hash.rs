//! What the store keeps of a bearer secret.

use std::fmt;

use sha2::{Digest as _, Sha256};

use super::Secret;

/// The SHA-256 of a token or a supervisor's secret. A secret is found by it: with 256 random bits
/// behind it neither salt nor comparison in constant time is called for.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct TokenHash([u8; 32]);

impl TokenHash {
    /// The hash of `secret`.
    pub fn of(secret: &Secret) -> Self {
        Self(Sha256::digest(secret.expose().as_bytes()).into())
    }

    /// The bytes, as the database keeps them.
    pub fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }
}

impl fmt::Debug for TokenHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "TokenHash({:02x}{:02x}…)", self.0[0], self.0[1])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_the_sha_256_of_the_whole_text() {
        // FIPS 180-2, appendix B.1.
        let hash = TokenHash::of(&Secret::new("abc"));
        assert_eq!(hash.as_bytes()[..4], [0xba, 0x78, 0x16, 0xbf]);
        assert_ne!(hash, TokenHash::of(&Secret::new("abd")));
    }
}
