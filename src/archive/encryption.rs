//! Encryption in the format of age, by the key as a passphrase: `age -d` opens it too.

use age::{scrypt, secrecy::SecretString};

use super::{key::Key, refusal::Refusal};

/// What an encrypted archive begins with.
const BEGINNING: &[u8] = b"age-encryption.org/";
/// 2^16 rounds take a twentieth of a second and 64 MiB. A key is a secret of its own and no password that is remembered.
const WORK: u8 = 16;
/// The most that is spent on one that somebody else made.
const MOST_WORK: u8 = 20;

/// Whether `bytes` are encrypted.
pub(super) fn is_encrypted(bytes: &[u8]) -> bool {
    bytes.starts_with(BEGINNING)
}

/// Encrypts `bytes`.
pub(super) fn encrypt(bytes: &[u8], key: &Key) -> Result<Vec<u8>, Refusal> {
    let mut recipient = scrypt::Recipient::new(passphrase(key));
    recipient.set_work_factor(WORK);
    age::encrypt(&recipient, bytes)
        .map_err(|error| Refusal::broken(format!("it could not be encrypted ({error})")))
}

/// Decrypts what was encrypted with the same key.
pub(super) fn decrypt(bytes: &[u8], key: &Key) -> Result<Vec<u8>, Refusal> {
    let mut identity = scrypt::Identity::new(passphrase(key));
    identity.set_max_work_factor(MOST_WORK);
    age::decrypt(&identity, bytes).map_err(|_| Refusal::Undecryptable)
}

fn passphrase(key: &Key) -> SecretString {
    SecretString::from(key.secret().to_owned())
}
