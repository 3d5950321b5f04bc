//! The line behind an archive that says who made it: over every byte before it.

use std::fmt::Write as _;

use super::key::Key;

const BEFORE: &[u8] = b"callbox archive, signed with hmac-sha256: ";
/// In hex.
const CODE: usize = 64;

/// An archive apart from its signature.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Signed<'a> {
    pub(super) bytes: &'a [u8],
    pub(super) code: Option<[u8; 32]>,
}

/// Puts the signature behind `bytes`.
pub(super) fn sign(bytes: &mut Vec<u8>, key: &Key) {
    let mut hex = String::new();
    for byte in key.code(bytes) {
        let _ = write!(hex, "{byte:02x}");
    }
    bytes.extend_from_slice(BEFORE);
    bytes.extend_from_slice(hex.as_bytes());
    bytes.push(b'\n');
}

/// Takes the signature off, where there is one.
pub(super) fn part(whole: &[u8]) -> Signed<'_> {
    let parted = || {
        let (bytes, line) = whole.split_at_checked(whole.len().checked_sub(BEFORE.len() + CODE + 1)?)?;
        let hex = line.strip_prefix(BEFORE)?.strip_suffix(b"\n")?;
        Some(Signed { bytes, code: Some(read(hex)?) })
    };
    parted().unwrap_or(Signed { bytes: whole, code: None })
}

fn read(hex: &[u8]) -> Option<[u8; 32]> {
    let mut code = [0; 32];
    let digit = |byte: u8| char::from(byte).to_digit(16).filter(|_| !byte.is_ascii_uppercase());
    for (byte, pair) in code.iter_mut().zip(hex.chunks_exact(2)) {
        *byte = u8::try_from(digit(pair[0])? * 16 + digit(pair[1])?).ok()?;
    }
    Some(code)
}
