//! With what Codex logs in: `CODEX_API_KEY`, else what `codex login` left.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::ids::Secret;

/// What `codex login` leaves, in Codex's folder.
pub(super) const FILE: &str = "auth.json";

/// The variable that `codex exec` takes a key from, before any login made by hand.
pub(super) const KEY: &str = "CODEX_API_KEY";

/// `subscription`, or what holds the key.
pub(super) fn credential(environment: &BTreeMap<String, Secret>, login: Option<&str>) -> Option<String> {
    if environment.get(KEY).is_some_and(|key| !key.expose().is_empty()) {
        return Some(KEY.to_owned());
    }
    let login: Value = serde_json::from_str(login?).ok()?;
    let holds_key = login["OPENAI_API_KEY"].as_str().is_some_and(|key| !key.is_empty());
    let subscribed = login["tokens"]["access_token"].is_string();
    match (login["auth_mode"].as_str(), holds_key, subscribed) {
        (Some("chatgpt"), _, true) | (_, false, true) => Some("subscription".to_owned()),
        (_, true, _) => Some(FILE.to_owned()),
        (_, false, false) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_in_the_environment_goes_first_and_a_login_by_hand_says_of_what_kind_it_is() {
        let key = BTreeMap::from([(KEY.to_owned(), Secret::new("sk"))]);
        let none = BTreeMap::from([(KEY.to_owned(), Secret::new(""))]);
        let subscribed =
            r#"{"auth_mode": "chatgpt", "OPENAI_API_KEY": null, "tokens": {"access_token": "t"}}"#;
        let both = r#"{"auth_mode": "apikey", "OPENAI_API_KEY": "sk", "tokens": {"access_token": "t"}}"#;
        for (environment, login, expected) in [
            (&key, Some(subscribed), Some(KEY)),
            (&none, Some(subscribed), Some("subscription")),
            (&none, Some(r#"{"OPENAI_API_KEY": "sk"}"#), Some(FILE)),
            (&none, Some(both), Some(FILE)),
            (&none, Some("{}"), None),
            (&none, Some("not JSON"), None),
            (&none, None, None),
        ] {
            assert_eq!(credential(environment, login).as_deref(), expected, "{login:?}");
        }
    }
}
