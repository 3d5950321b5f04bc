//! What the provider refused, and whether that is for now, for this login, or for good.

use serde_json::Value;

use crate::vocabulary::Exit;

/// How Gemini CLI begins what it says of a refusal.
const BEGINNING: &str = "[API Error: ";

/// A refusal, as the last event and the status of the program tell it.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Refusal {
    /// The HTTP status, where it is told.
    pub(super) status: Option<i32>,
    /// The provider's words.
    pub(super) words: String,
}

/// What a refusal means for the run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Meaning {
    /// The login is not good.
    Login,
    /// The provider refuses for now: a limit, or it is overloaded.
    ForNow,
    /// The request itself is refused.
    ForGood,
}

impl Refusal {
    /// Reads `words`; `None` where they tell of something else. The program exits with the HTTP status, of which
    /// the system keeps eight bits: 400 to 511 are 144 to 255 then, and no status of the program's own is that high.
    pub(super) fn read(words: &str, exit: Exit) -> Option<Self> {
        let said = words.strip_prefix(BEGINNING)?;
        let (inner, rest) = said.rsplit_once(']').unwrap_or((said, ""));
        let body: Option<Value> = serde_json::from_str(inner).ok();
        let error = body.as_ref().and_then(|body| body.get("error"));
        let told = error.and_then(|error| error.get("code")).and_then(Value::as_i64);
        let status = match exit {
            Exit::Code(code @ 144..=255) => Some(code + 256),
            _ => told.and_then(|code| i32::try_from(code).ok()),
        };
        let message = error.and_then(|error| error.get("message")).and_then(Value::as_str);
        let words = message.map_or_else(|| format!("{inner}{rest}"), str::to_owned);
        Some(Self { status, words })
    }

    /// What it means. A wrong key is told with the status of any wrong request.
    pub(super) fn meaning(&self) -> Meaning {
        let says = |parts: &[&str]| parts.iter().any(|part| self.words.contains(part));
        match self.status {
            Some(401 | 403) => Meaning::Login,
            Some(429 | 503) => Meaning::ForNow,
            _ if says(&["API key not valid", "API_KEY_INVALID", "API key expired"]) => Meaning::Login,
            None if says(&["exhausted your", "exceeded your current quota", "is overloaded"]) => {
                Meaning::ForNow
            }
            _ => Meaning::ForGood,
        }
    }

    /// It in the words of a person's log.
    pub(super) fn line(&self) -> String {
        match self.status {
            Some(status) => format!("{status}: {}", self.words),
            None => self.words.clone(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn meaning(words: &str, exit: i32) -> (Option<i32>, Meaning) {
        let refusal = Refusal::read(words, Exit::Code(exit)).unwrap();
        (refusal.status, refusal.meaning())
    }

    #[test]
    fn a_refusal_is_told_by_the_status_that_is_left_of_the_providers() {
        let body = r#"[API Error: {"error":{"code":400,"message":"no","status":"S"}}]"#;
        assert_eq!(meaning(body, 144), (Some(400), Meaning::ForGood));
        assert_eq!(
            meaning(body, 1),
            (Some(400), Meaning::ForGood),
            "the body tells it where nothing else does"
        );
        assert_eq!(meaning("[API Error: no]", 145), (Some(401), Meaning::Login));
        assert_eq!(meaning("[API Error: no]", 147), (Some(403), Meaning::Login));
        assert_eq!(meaning("[API Error: no]\nPlease wait", 173), (Some(429), Meaning::ForNow));
        assert_eq!(meaning("[API Error: no]", 244), (Some(500), Meaning::ForGood));
        assert_eq!(meaning("[API Error: no]", 247), (Some(503), Meaning::ForNow));
        assert_eq!(meaning("[API Error: fetch failed]", 1), (None, Meaning::ForGood));
        let quota = "[API Error: You have exhausted your daily quota on this model.]";
        assert_eq!(meaning(quota, 0), (None, Meaning::ForNow), "also where the program was ended");
        assert_eq!(
            meaning("[API Error: API key not valid. Please pass a valid API key.]", 144).1,
            Meaning::Login
        );
        assert_eq!(Refusal::read("Reached max session turns", Exit::Code(53)), None);
    }

    #[test]
    fn the_providers_own_words_are_kept() {
        let read = |words: &str| Refusal::read(words, Exit::Code(173)).unwrap().line();
        assert_eq!(read(r#"[API Error: {"error":{"code":429,"message":"slow"}}]"#), "429: slow");
        assert_eq!(read("[API Error: a [b]\nc.]\nPlease wait."), "429: a [b]\nc.\nPlease wait.");
        assert_eq!(read("[API Error: cut off"), "429: cut off");
    }
}
