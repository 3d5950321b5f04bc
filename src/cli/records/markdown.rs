//! Words of agents in Markdown, as text and nothing else.
//!
//! A page of a CI service or a pull request renders what stands in it: pictures that report who looks, links, mentions,
//! words that close issues. Whatever an agent or a repository said stands in code spans and fences, where none of it
//! counts.

use std::fmt::Write as _;

use crate::cli::sanitise;

/// Characters of one text that are written at most.
const MAX_TEXT: usize = 20_000;

/// One line as a code span.
pub(super) fn span(text: &str) -> String {
    let text = sanitise::line(text);
    let fence = "`".repeat(longest_run(&text, '`') + 1);
    // A table's cell ends at a bar even within a span.
    let text = text.replace('|', "\\|");
    let gap = if text.starts_with('`') || text.ends_with('`') || text.is_empty() { " " } else { "" };
    format!("{fence}{gap}{text}{gap}{fence}")
}

/// Text in a fence.
pub(super) fn block(text: &str) -> String {
    let text = sanitise::text(text);
    let cut: String = text.chars().take(MAX_TEXT).collect();
    let more = if cut.len() < text.len() { "\n… `callbox show` has the rest" } else { "" };
    let fence = "`".repeat(longest_run(&cut, '`').max(2) + 1);
    format!("{fence}text\n{}{more}\n{fence}\n", cut.trim_end())
}

/// A table of two columns without a head; the second is Markdown of callbox's own.
pub(super) fn table(rows: &[(&str, String)]) -> String {
    let mut table = "| | |\n|---|---|\n".to_owned();
    for (label, cell) in rows {
        // Writing to a string cannot fail.
        let _ = writeln!(table, "| {label} | {cell} |");
    }
    table
}

fn longest_run(text: &str, letter: char) -> usize {
    let runs = text.split(|one| one != letter).map(|run| run.chars().count());
    runs.max().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_text_cannot_leave_its_fence() {
        assert_eq!(block("a\n```\n@ada ![x](http://x)"), "````text\na\n```\n@ada ![x](http://x)\n````\n");
        assert_eq!(span("a`b|c\nd"), "``a`b\\|c d``");
        assert_eq!(span("`x`"), "`` `x` ``");
        let long = block(&"x".repeat(30_000));
        assert!(long.len() < 20_100 && long.contains("`callbox show` has the rest"));
    }

    proptest! {
        #[test]
        fn no_line_of_a_text_closes_its_fence(text in "(`{0,6}|[a-z]|\n| ){0,40}") {
            let block = block(&text);
            let fence: String = block.chars().take_while(|letter| *letter == '`').collect();
            let closing = block.lines().skip(1).filter(|line| line.trim_start().starts_with(&fence)).count();
            prop_assert_eq!(closing, 1, "{}", block);
        }
    }
}
