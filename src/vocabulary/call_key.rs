//! The key under which a tool call is recorded once.
//!
//! The shim makes it of what the client calls the call, the adapter of the same program makes it of the
//! program's output: so a call that is recorded is found again in what its agent says of it.

use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use sha2::{Digest as _, Sha256};

use crate::ids::UniqueId;

/// The store takes 1–200 visible ASCII characters.
const LONGEST: usize = 200;

/// Names the call in the `_meta` of the scripted agent's requests.
pub const SCRIPTED_CALL: &str = "callbox/callId";

/// Begins the keys of calls that no output names.
const UNNAMED: &str = "call:";

/// The key of the call that `program` names `id`.
pub fn call_key(program: &str, id: &str) -> String {
    let key = format!("{program}:{id}");
    if key.len() <= LONGEST && key.bytes().all(|byte| byte.is_ascii_graphic()) {
        return key;
    }
    format!("digest:{}", URL_SAFE_NO_PAD.encode(Sha256::digest(key)))
}

/// The key of the call that `program` names `id` to its shim and never in its output.
pub fn silent_call_key(program: &str, id: &str) -> String {
    let key = format!("{UNNAMED}{program}:{id}");
    if key.len() <= LONGEST && key.bytes().all(|byte| byte.is_ascii_graphic()) {
        return key;
    }
    format!("{UNNAMED}digest:{}", URL_SAFE_NO_PAD.encode(Sha256::digest(key)))
}

/// A key that no other call has, for one that its client does not name.
pub fn unnamed_call_key() -> String {
    format!("{UNNAMED}{}", UniqueId::mint())
}

/// Whether what the client says later may speak of the call of `key`, since it named it.
pub fn is_named(key: &str) -> bool {
    !key.starts_with(UNNAMED)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whatever_the_client_calls_it_the_key_can_stand_in_a_header() {
        for id in ["a\r\nb", "ü", " ", &"x".repeat(5_000)] {
            let made = call_key("claude", id);
            assert!(made.len() <= LONGEST && made.bytes().all(|byte| byte.is_ascii_graphic()), "{made}");
            assert!(made == call_key("claude", id) && is_named(&made));
        }
    }

    #[test]
    fn a_call_without_a_name_has_a_key_of_its_own_and_is_known_by_it() {
        assert_ne!(unnamed_call_key(), unnamed_call_key());
        assert!(!is_named(&silent_call_key("codex", "th:call_1")));
        assert!(!is_named(&silent_call_key("codex", &"x".repeat(5_000))));
        assert!(!is_named(&unnamed_call_key()) && is_named(&call_key("claude", "toolu_1")));
    }
}
