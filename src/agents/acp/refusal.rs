//! What an error means that a program answers with: each puts what its provider refused in another place.

use serde_json::Value;

use crate::{
    agents::{codex, gemini},
    ids::Timestamp,
};

/// What it means for the run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Meaning {
    /// The login is not good, or there is none.
    Login,
    /// The provider refuses for now.
    ForNow,
    /// The provider refuses, or fails.
    Provider,
    /// Something else.
    Program,
}

/// The protocol's number for a program that wants a login first.
const LOGIN_WANTED: i64 = -32000;

/// The protocol's number for something that is not there.
const NOT_FOUND: i64 = -32002;

/// How programs say, in words, that they know no such session.
const UNKNOWN: [&str; 4] = [
    "No previous sessions found",
    "Invalid session identifier",
    "Session not found",
    "No conversation found",
];

/// Before the number of an HTTP status, in words of Claude Code.
const STATUSES: [&str; 2] = ["API Error: Request rejected (", "API Error: "];

/// An error.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Refusal {
    /// What it means.
    pub(super) meaning: Meaning,
    /// In words for people.
    pub(super) words: String,
    /// When a limit is over, where it is told.
    pub(super) until: Option<Timestamp>,
}

impl Refusal {
    /// Reads an error, said at `now`.
    pub(super) fn read(code: i64, message: &str, data: &Value, now: Timestamp) -> Self {
        let said = |key: &str| data.get(key).and_then(Value::as_str);
        // codex-acp has all in the data.
        let words = said("message").or(said("details")).unwrap_or(message);
        let words = words.strip_prefix("Internal error: ").unwrap_or(words);
        let told = codex::sentence(words);
        let by_status = match status(code, words, data) {
            Some(401 | 403) => Some(Meaning::Login),
            Some(429 | 503 | 529) => Some(Meaning::ForNow),
            Some(_) => Some(Meaning::Provider),
            None => None,
        };
        let by_words = match codex::meaning(words) {
            codex::Meaning::Login => Some(Meaning::Login),
            codex::Meaning::ForNow => Some(Meaning::ForNow),
            codex::Meaning::Provider => Some(Meaning::Provider),
            codex::Meaning::Codex => None,
        };
        let wanted = (code == LOGIN_WANTED || is_key(words)).then_some(Meaning::Login);
        let meaning = wanted.or(by_status).or_else(|| by_kind(data)).or(by_words).unwrap_or(Meaning::Program);
        let until = (meaning == Meaning::ForNow)
            .then(|| codex::reset_time(words, now).or_else(|| gemini::reset_time(words, now)))
            .flatten();
        Self { meaning, words: told, until }
    }
}

/// Whether an error says that the session to go on with is not there.
pub(super) fn is_unknown_session(code: i64, message: &str, data: &Value) -> bool {
    let details = data.get("details").and_then(Value::as_str).unwrap_or_default();
    code == NOT_FOUND || UNKNOWN.iter().any(|words| message.contains(words) || details.contains(words))
}

/// The HTTP status, where there is one: Gemini CLI makes it the error's number, codex-acp tells it in the data, and Claude
/// Code in words.
fn status(code: i64, words: &str, data: &Value) -> Option<u64> {
    if let status @ 400..=599 = code {
        return u64::try_from(status).ok();
    }
    let info = data.get("codex_error_info").and_then(Value::as_object);
    let told = info.and_then(|info| info.values().find_map(|value| value.get("http_status_code")?.as_u64()));
    told.or_else(|| {
        STATUSES.iter().find_map(|beginning| {
            let (_, rest) = words.split_once(beginning)?;
            rest.get(..3)?.parse().ok().filter(|status| (400..=599).contains(status))
        })
    })
}

/// Google's words for a key that is not good come with the status of any wrong request.
fn is_key(words: &str) -> bool {
    ["API key not valid", "API_KEY_INVALID", "API key expired"].iter().any(|part| words.contains(part))
}

/// By the bridges' own words for it.
fn by_kind(data: &Value) -> Option<Meaning> {
    let kind = data.get("errorKind").or_else(|| data.get("codex_error_info")).and_then(Value::as_str)?;
    match kind {
        "authentication_failed" | "oauth_org_not_allowed" | "unauthorized" => Some(Meaning::Login),
        "rate_limit" | "overloaded" | "usage_limit_exceeded" => Some(Meaning::ForNow),
        "server_error" | "billing_error" | "invalid_request" | "internal_server_error" => {
            Some(Meaning::Provider)
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    fn read(code: i64, message: &str, data: &Value) -> (Meaning, String) {
        let refusal = Refusal::read(code, message, data, Timestamp::from_millis(0));
        (refusal.meaning, refusal.words)
    }

    #[test]
    fn what_each_bridge_says_of_a_refusal_is_understood() {
        for (code, message, data, meaning) in [
            (
                -32603,
                "Internal error: API Error: 400 bad field",
                json!({"errorKind": "unknown"}),
                Meaning::Provider,
            ),
            (
                -32603,
                "Internal error: Failed to authenticate. API Error: 401 no",
                json!({"errorKind": "authentication_failed"}),
                Meaning::Login,
            ),
            (
                -32603,
                "Internal error: API Error: Request rejected (429) · slow",
                json!({"errorKind": "rate_limit"}),
                Meaning::ForNow,
            ),
            (
                -32603,
                "Internal error: API Error: 500 broken",
                json!({"errorKind": "server_error"}),
                Meaning::Provider,
            ),
            (-32603, "Internal error: odd", json!({"errorKind": "overloaded"}), Meaning::ForNow),
            (-32000, "Authentication required", Value::Null, Meaning::Login),
            (
                -32603,
                "Internal error",
                json!({"message": "unexpected status 401 Unauthorized: no", "codex_error_info": "other"}),
                Meaning::Login,
            ),
            (
                -32603,
                "Internal error",
                json!({"message": "exceeded", "codex_error_info": {"response_too_many_failed_attempts": {"http_status_code": 429}}}),
                Meaning::ForNow,
            ),
            (
                -32603,
                "Internal error",
                json!({"message": "We're currently experiencing high demand", "codex_error_info": "internal_server_error"}),
                Meaning::Provider,
            ),
            (401, "no", Value::Null, Meaning::Login),
            (400, "{\"error\":{\"message\":\"API key not valid. x\"}}", Value::Null, Meaning::Login),
            (429, "slow", Value::Null, Meaning::ForNow),
            (500, "{\"error\":{\"message\":\"broken\"}}", Value::Null, Meaning::Provider),
            (-32603, "Internal error", json!({"details": "TypeError"}), Meaning::Program),
            (-32601, "Method not found", Value::Null, Meaning::Program),
        ] {
            assert_eq!(read(code, message, &data).0, meaning, "{code} {message} {data}");
        }
        assert_eq!(read(500, "{\"error\":{\"message\":\"broken\"}}", &Value::Null).1, "broken");
        assert_eq!(read(-32603, "Internal error: odd", &Value::Null).1, "odd");
    }

    #[test]
    fn the_time_of_a_reset_is_told_where_the_program_says_it() {
        let now = Timestamp::from_millis(0);
        let codex = json!({"message": "You've hit your usage limit. Try again at Dec 2nd, 2026 8:26 AM."});
        assert!(Refusal::read(-32603, "Internal error", &codex, now).until.is_some());
        let gemini = Refusal::read(429, "Please retry in 7h2m1.5s.", &Value::Null, now);
        assert_eq!(gemini.until, Some(Timestamp::from_millis(25_321_500)));
        assert_eq!(Refusal::read(500, "Please retry in 7h2m1.5s.", &Value::Null, now).until, None);
    }

    proptest! {
        #[test]
        fn no_error_however_broken_panics(code in any::<i64>(), message in "(API Error: |unexpected status )?.{0,40}", key in "message|details|errorKind|codex_error_info", words in any::<String>()) {
            Refusal::read(code, &message, &json!({key: words}), Timestamp::from_millis(0));
            is_unknown_session(code, &message, &Value::Null);
        }
    }
}
