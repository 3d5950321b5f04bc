//! The descriptions of agent programs that callbox ships, read as a person's own are.

use std::sync::LazyLock;

use super::description::description;
use crate::{
    document::{Faults, read_toml},
    vocabulary::AgentDescription,
};

/// Each file by the name of its agent, in the order in which they are listed to people.
const FILES: [(&str, &str); 3] = [
    ("copilot", include_str!("shipped/copilot.toml")),
    ("opencode", include_str!("shipped/opencode.toml")),
    ("qwen", include_str!("shipped/qwen.toml")),
];

/// The names of the agents whose descriptions callbox ships, in the order in which they are listed to people.
pub fn shipped_names() -> impl Iterator<Item = &'static str> {
    FILES.iter().map(|(name, _)| *name)
}

/// Each by its name, in that order. One with a fault would be left out; a test reads them all.
pub(super) fn shipped() -> &'static [(&'static str, AgentDescription)] {
    static SHIPPED: LazyLock<Vec<(&str, AgentDescription)>> = LazyLock::new(|| {
        FILES.iter().filter_map(|(name, text)| Some((*name, read(name, text).ok()?))).collect()
    });
    &SHIPPED
}

fn read(name: &str, text: &str) -> Result<AgentDescription, String> {
    let said = |faults: Vec<crate::document::FileFault>| {
        faults.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")
    };
    let node = read_toml(text).map_err(said)?;
    let mut faults = Faults::default();
    let description = description(&node, &format!("agents.{name}"), &mut faults);
    faults.into_result(description).map_err(said)?.ok_or_else(|| "nothing is described".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_shipped_description_is_read_without_a_fault() {
        for (name, text) in FILES {
            assert_eq!(read(name, text).map(|_| ()), Ok(()), "{name}");
        }
        assert_eq!(shipped().len(), FILES.len());
    }
}
