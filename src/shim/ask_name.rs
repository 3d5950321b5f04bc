//! The name under which `ask_user` is offered.

use std::str::FromStr;

use crate::vocabulary::tools::TOOL_NAMES;

const ASK_USER: &str = "ask_user";
/// Every agent program takes so many, its own prefix included (Gemini CLI 0.61.0 cuts at 63).
const MAX_NAME: usize = 40;

/// Another name for `ask_user`: some agent programs keep that one for themselves (Gemini CLI 0.61.0
/// silently drops a tool that is called so).
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct AskName(String);

/// A name under which no tool can be offered.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "a tool's name has 1 to {MAX_NAME} ASCII letters, digits, `_` or `-`, and is not that of another tool"
)]
pub(super) struct BadAskName;

impl AskName {
    /// The name offered.
    pub(super) fn as_str(&self) -> &str {
        &self.0
    }

    /// callbox's own name for the tool offered as `name`; `None` where none is.
    pub(super) fn tool(&self, name: &str) -> Option<&'static str> {
        if name == self.0 {
            return Some(ASK_USER);
        }
        TOOL_NAMES.into_iter().find(|tool| *tool == name && *tool != ASK_USER)
    }
}

impl Default for AskName {
    fn default() -> Self {
        Self(ASK_USER.to_owned())
    }
}

impl FromStr for AskName {
    type Err = BadAskName;

    fn from_str(name: &str) -> Result<Self, Self::Err> {
        let is_word = name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_-".contains(&byte));
        let is_taken = name != ASK_USER && TOOL_NAMES.contains(&name);
        if (1..=MAX_NAME).contains(&name.len()) && is_word && !is_taken {
            Ok(Self(name.to_owned()))
        } else {
            Err(BadAskName)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tool_is_known_by_the_name_it_is_offered_under_and_no_other() {
        let human: AskName = "ask_human".parse().unwrap();
        assert_eq!(human.tool("ask_human"), Some("ask_user"));
        assert_eq!(human.tool("ask_user"), None);
        assert_eq!(human.tool("spawn_subtask"), Some("spawn_subtask"));
        assert_eq!(AskName::default().tool("ask_user"), Some("ask_user"));
        assert_eq!(AskName::default().tool("ask_human"), None);
    }

    #[test]
    fn a_name_that_some_client_refuses_or_that_is_taken_is_refused() {
        for name in ["", "ask user", "ask.user", "ask_üser", "report_summary", &"x".repeat(41)] {
            assert_eq!(name.parse::<AskName>(), Err(BadAskName), "{name}");
        }
    }
}
