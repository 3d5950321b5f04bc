//! What the words of a failed turn mean. Codex says in words alone what its provider refused.

use serde_json::Value;

/// What a failure means for the run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::agents) enum Meaning {
    /// The login is not good.
    Login,
    /// The provider refuses for now: a limit, or it is overloaded.
    ForNow,
    /// The provider refuses, or fails.
    Provider,
    /// Something else.
    Codex,
}

/// Before the number of an HTTP status.
const STATUSES: [&str; 2] = ["unexpected status ", "exceeded retry limit, last status: "];

/// How words about the login begin that name no status.
const LOGIN: [&str; 2] =
    ["Your access token could not be refreshed", "Your authentication session could not be refreshed"];

/// How words about a limit that passes begin. Codex writes the apostrophe in both ways.
const FOR_NOW: [&str; 2] = ["You've hit your usage limit", "Selected model is at capacity"];

/// How words about the provider begin that name no status.
const PROVIDER: [&str; 9] = [
    "We're currently experiencing high demand",
    "Quota exceeded",
    "Your workspace is out of credits",
    "You hit your spend cap",
    "To use Codex with your ChatGPT plan",
    "stream disconnected before completion",
    "Connection failed",
    "Error while reading the server response",
    "request timed out",
];

/// What `words` mean.
pub(in crate::agents) fn meaning(words: &str) -> Meaning {
    let begins = |beginnings: &[&str]| {
        let words = words.replace('’', "'");
        beginnings.iter().any(|beginning| words.starts_with(beginning))
    };
    match status(words) {
        Some(401 | 403) => Meaning::Login,
        Some(429 | 503 | 529) => Meaning::ForNow,
        Some(_) => Meaning::Provider,
        None if begins(&LOGIN) => Meaning::Login,
        None if begins(&FOR_NOW) => Meaning::ForNow,
        None if begins(&PROVIDER) || body(words).is_some() => Meaning::Provider,
        None => Meaning::Codex,
    }
}

/// The words for people: of a request that was refused Codex passes on the whole body.
pub(in crate::agents) fn sentence(words: &str) -> String {
    body(words).unwrap_or_else(|| words.to_owned())
}

/// The words within a body such as `{"error": {"message": …}}`.
fn body(words: &str) -> Option<String> {
    let body: Value = serde_json::from_str(words).ok()?;
    let said = body["error"]["message"].as_str().or(body["detail"].as_str());
    body.is_object().then(|| said.unwrap_or(words).to_owned())
}

fn status(words: &str) -> Option<u16> {
    let rest = STATUSES.iter().find_map(|beginning| words.strip_prefix(beginning))?;
    rest.get(..3)?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_refusal_that_codex_words_is_understood() {
        for (words, expected) in [
            ("unexpected status 401 Unauthorized: bad key, url: http://x", Meaning::Login),
            ("unexpected status 403 Forbidden: not you", Meaning::Login),
            (
                "Your access token could not be refreshed because it was revoked. Please log out.",
                Meaning::Login,
            ),
            ("exceeded retry limit, last status: 429 Too Many Requests", Meaning::ForNow),
            ("unexpected status 529 <unknown status code>: over", Meaning::ForNow),
            ("You’ve hit your usage limit. Try again later.", Meaning::ForNow),
            ("Selected model is at capacity. Please try a different model.", Meaning::ForNow),
            (
                "We’re currently experiencing high demand, which may cause temporary errors.",
                Meaning::Provider,
            ),
            ("Quota exceeded. Check your plan and billing details.", Meaning::Provider),
            ("unexpected status 404 Not Found: x", Meaning::Provider),
            ("{\"error\": {\"message\": \"bad field\"}}", Meaning::Provider),
            ("stream disconnected before completion: x", Meaning::Provider),
            ("Codex ran out of room in the model's context window.", Meaning::Codex),
            ("unexpected status", Meaning::Codex),
            ("unexpected status 4ü1", Meaning::Codex),
            ("", Meaning::Codex),
        ] {
            assert_eq!(meaning(words), expected, "{words}");
        }
        assert_eq!(sentence("{\"error\": {\"message\": \"bad field\"}}"), "bad field");
        assert_eq!(sentence("plain"), "plain");
    }
}
