//! The four tools, whatever a program calls them.

/// The tools by the names that a shim may give them, and those that people know them by.
const TOOLS: [(&[&str], &str); 5] = [
    (&["ask", "human"], "ask_user"),
    (&["ask", "user"], "ask_user"),
    (&["record", "progress"], "record_progress"),
    (&["report", "summary"], "report_summary"),
    (&["spawn", "subtask"], "spawn_subtask"),
];

/// What may stand around them.
const AROUND: [&str; 4] = ["callbox", "mcp", "server", "tool"];

/// The one of the four that `name` names, such as `mcp__callbox__ask_user`, `Tool: callbox/ask_user` or
/// `ask_human (callbox MCP Server)`. It must consist of nothing else: a model may put the words of a tool among others.
pub fn own_tool(name: &str) -> Option<&'static str> {
    if name.len() > 100 {
        return None;
    }
    let name = name.to_lowercase();
    let words: Vec<&str> =
        name.split(|letter: char| !letter.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
    if !words.contains(&"callbox") {
        return None;
    }
    TOOLS.into_iter().find_map(|(tool, known)| {
        let place = words.windows(tool.len()).position(|window| window == tool)?;
        let (before, rest) = words.split_at(place);
        let mut others = before.iter().chain(&rest[tool.len()..]);
        others.all(|word| AROUND.contains(word)).then_some(known)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_four_are_known_by_all_their_names_and_nothing_else_passes_for_one() {
        for (name, tool) in [
            ("mcp__callbox__ask_user", Some("ask_user")),
            ("mcp_callbox_ask_human", Some("ask_user")),
            ("Tool: callbox/report_summary", Some("report_summary")),
            ("record_progress (callbox MCP Server)", Some("record_progress")),
            ("callbox_spawn_subtask", Some("spawn_subtask")),
            ("ask_user", None),
            ("mcp__other__ask_user", None),
            ("callbox ask_user; rm -rf /", None),
            ("rm callbox ask_user", None),
            ("mcp__callbox__other", None),
            ("", None),
        ] {
            assert_eq!(own_tool(name), tool, "{name}");
        }
    }
}
