//! The secret that archives are signed and encrypted with.

use hmac::{Hmac, KeyInit as _, Mac as _};
use sha2::Sha256;

use crate::ids::Secret;

/// Characters that a key has at least: a signature lets whoever has an archive try keys by themselves.
const SHORTEST: usize = 16;
/// What keeps a signature apart from all else that is made of the same secret.
const PURPOSE: &[u8] = b"callbox: the signature of an archive";

/// One key.
#[derive(Debug, Clone)]
pub struct Key(Secret);

/// What cannot be a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a key must have at least {SHORTEST} characters")]
pub struct WrongKey;

impl Key {
    /// The key that is `secret`, white space around it aside.
    pub fn new(secret: &Secret) -> Result<Self, WrongKey> {
        let text = secret.expose().trim();
        if text.chars().count() < SHORTEST { Err(WrongKey) } else { Ok(Self(Secret::new(text))) }
    }

    /// The secret itself.
    pub(super) fn secret(&self) -> &str {
        self.0.expose()
    }

    /// The code of `bytes` under this key.
    pub(super) fn code(&self, bytes: &[u8]) -> [u8; 32] {
        self.over(bytes).finalize().into_bytes().into()
    }

    /// Whether `code` is that of `bytes`, in a time that tells nothing.
    pub(super) fn is_code(&self, code: &[u8; 32], bytes: &[u8]) -> bool {
        self.over(bytes).verify_slice(code).is_ok()
    }

    fn over(&self, bytes: &[u8]) -> Hmac<Sha256> {
        let derived = hmac(self.secret().as_bytes()).chain_update(PURPOSE).finalize().into_bytes();
        hmac(&derived).chain_update(bytes)
    }
}

/// HMAC takes a key of any length.
fn hmac(key: &[u8]) -> Hmac<Sha256> {
    Hmac::new_from_slice(key).unwrap_or_else(|_| unreachable!("HMAC takes keys of any length"))
}
