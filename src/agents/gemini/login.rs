//! What a run logs in with.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::ids::Secret;

/// The ways that are known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Login {
    /// With `GEMINI_API_KEY`.
    Key,
    /// With Vertex AI, by `GOOGLE_API_KEY` or whatever the task names.
    Vertex,
    /// As the person who logged in by hand, with their subscription.
    Person,
}

impl Login {
    /// The one of a run with `environment`: what it says outright, else the key that there is, else the person's.
    pub(super) fn of(environment: &BTreeMap<String, Secret>) -> Self {
        let says = |name: &str| value(environment, name) == Some("true");
        if says("GOOGLE_GENAI_USE_GCA") {
            Self::Person
        } else if says("GOOGLE_GENAI_USE_VERTEXAI") {
            Self::Vertex
        } else if value(environment, "GEMINI_API_KEY").is_some() {
            Self::Key
        } else if value(environment, "GOOGLE_API_KEY").is_some() {
            Self::Vertex
        } else {
            Self::Person
        }
    }

    /// Gemini CLI's word for it in its settings. It must stand there: told of an endpoint alone, the program takes
    /// it for a gateway, and refuses to ask that without a terminal.
    pub(super) fn word(self) -> &'static str {
        match self {
            Self::Key => "gemini-api-key",
            Self::Vertex => "vertex-ai",
            Self::Person => "oauth-personal",
        }
    }
}

/// What it is called where it is recorded; `None` where nothing says that there is a login. `file` is what the file
/// of a login by hand holds.
pub(super) fn credential(environment: &BTreeMap<String, Secret>, file: Option<&str>) -> Option<String> {
    let key = |name: &str| value(environment, name).map(|_| name.to_owned());
    match Login::of(environment) {
        Login::Key => key("GEMINI_API_KEY"),
        Login::Vertex => key("GOOGLE_API_KEY"),
        Login::Person => {
            let login: Value = serde_json::from_str(file?).ok()?;
            let holds = |name: &str| login.get(name).is_some_and(Value::is_string);
            (holds("refresh_token") || holds("access_token")).then(|| "subscription".to_owned())
        }
    }
}

/// The value of the variable `name`, unless it is empty.
pub(super) fn value<'e>(environment: &'e BTreeMap<String, Secret>, name: &str) -> Option<&'e str> {
    environment.get(name).map(Secret::expose).filter(|value| !value.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(variables: &[(&str, &str)], file: Option<&str>) -> (Login, Option<String>) {
        let environment =
            variables.iter().map(|(name, value)| ((*name).to_owned(), Secret::new(*value))).collect();
        (Login::of(&environment), credential(&environment, file))
    }

    #[test]
    fn what_is_said_outright_wins_over_the_keys_and_a_key_over_the_persons_login() {
        let (key, far) = (("GEMINI_API_KEY", "k"), ("GOOGLE_API_KEY", "g"));
        let named = |name: &str| Some(name.to_owned());
        let file = Some(r#"{"refresh_token": "r"}"#);
        assert_eq!(told(&[key, far], file), (Login::Key, named("GEMINI_API_KEY")));
        assert_eq!(told(&[far], file), (Login::Vertex, named("GOOGLE_API_KEY")));
        assert_eq!(
            told(&[key, far, ("GOOGLE_GENAI_USE_VERTEXAI", "true")], file),
            (Login::Vertex, named("GOOGLE_API_KEY"))
        );
        assert_eq!(
            told(&[key, ("GOOGLE_GENAI_USE_GCA", "true")], file),
            (Login::Person, named("subscription"))
        );
        assert_eq!(told(&[("GEMINI_API_KEY", "")], file), (Login::Person, named("subscription")));
    }

    #[test]
    fn a_file_that_holds_no_login_is_none() {
        for file in [None, Some(""), Some("[]"), Some("{}"), Some(r#"{"refresh_token": null}"#)] {
            assert_eq!(told(&[], file), (Login::Person, None), "{file:?}");
        }
    }
}
