//! Who is to do a task.

use super::strings::{line, lines};
use crate::{
    document::{Entry, Faults, Node, Value},
    vocabulary::ANY,
};

/// The longest name of an agent, in characters.
const MAX_NAME: usize = 64;

/// Who is to do a task.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AgentWish {
    /// The agent of this name, or `any`.
    One(String),
    /// Each of these, at least two and none twice: what they make of it is to be compared.
    Each(Vec<String>),
}

impl AgentWish {
    /// The one name there is.
    pub fn one(&self) -> Option<&str> {
        match self {
            Self::One(name) => Some(name),
            Self::Each(_) => None,
        }
    }
}

/// Whether `entry` names several agents, which a task can ask for and no default may.
pub fn compares(entry: &Entry) -> bool {
    entry.key == "agent" && matches!(entry.value.value, Value::List(_))
}

/// What is wrong with a default that does, as the end of a sentence that begins with the key.
pub const COMPARES: &str =
    "names several agents, whose work is to be compared: only a task itself can ask for that";

pub(super) fn agent(node: &Node, faults: &mut Faults) -> Option<AgentWish> {
    let Value::List(items) = &node.value else {
        let name = line(node, "agent", MAX_NAME, faults)?;
        return is_name(&name, node.line, faults).then_some(AgentWish::One(name));
    };
    let names = lines(node, "agent", MAX_NAME, faults);
    let fine = names.iter().filter(|name| is_name(name, node.line, faults)).count();
    if names.iter().any(|name| name == ANY) {
        faults.field(
            node.line,
            "agent",
            format!("names `{ANY}` among others: it stands for whichever is free, alone"),
        );
    } else if items.len() < 2 {
        faults.field(node.line, "agent", "must name two agents or more where it is a list");
    } else if fine == items.len() {
        return Some(AgentWish::Each(names));
    }
    None
}

fn is_name(name: &str, line: usize, faults: &mut Faults) -> bool {
    let fine = name.chars().all(|letter| letter.is_ascii_alphanumeric() || matches!(letter, '-' | '_'));
    if !fine {
        faults.field(line, "agent", "must be a name of letters, digits, `-` and `_`");
    }
    fine
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::taskfile::flag;

    fn read(text: &str) -> Result<AgentWish, String> {
        let read = flag("agent", text, Path::new("/here")).map_err(|error| error.to_string())?;
        Ok(read.agent.unwrap())
    }

    #[test]
    fn a_name_is_one_agent_and_names_between_commas_are_each_of_them() {
        assert_eq!(read("codex"), Ok(AgentWish::One("codex".to_owned())));
        assert_eq!(read("any"), Ok(AgentWish::One(ANY.to_owned())));
        let each = ["claude", "codex"].map(str::to_owned).into();
        assert_eq!(read("claude,codex"), Ok(AgentWish::Each(each)));
        assert_eq!(read("claude, codex"), read("claude,codex"));
    }

    #[test]
    fn agents_that_cannot_be_compared_are_refused_with_the_reason() {
        for (text, reason) in [
            ("claude,claude", "names `claude` twice"),
            ("claude,any", "names `any` among others"),
            ("claude,", "is empty"),
            ("claude,co dex", "must be a name of letters"),
            ("a/b", "must be a name of letters"),
        ] {
            let error = read(text).unwrap_err();
            assert!(error.contains(reason), "{text}: {error}");
        }
    }
}
