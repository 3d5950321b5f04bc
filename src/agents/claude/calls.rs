//! The calls of tools in one run, and which of their results the model has taken.

use std::collections::VecDeque;

use super::{event::ToolResult, tool_use::ToolUse};
use crate::vocabulary::{CAME_MEANWHILE, Fact, call_key};

/// Calls whose end may still be told.
const MOST: usize = 256;

/// The calls of one run.
#[derive(Debug, Default)]
pub(super) struct Calls {
    made: VecDeque<Made>,
    /// Results that hold something for the model, and that it has not been seen to take.
    given: Vec<Given>,
}

/// One call.
#[derive(Debug)]
struct Made {
    call: ToolUse,
    /// The message of the conversation's own model that made it; absent where a subagent did.
    message: Option<String>,
}

/// The result of one call of one of the four tools.
#[derive(Debug)]
struct Given {
    call: String,
    message: String,
}

impl Calls {
    /// Keeps `call`; `message` made it, if a message of the conversation's own model did.
    pub(super) fn made(&mut self, call: ToolUse, message: Option<&str>) {
        if self.made.len() == MOST {
            self.made.pop_front();
        }
        self.made.push_back(Made { call, message: message.map(str::to_owned) });
    }

    /// The call `id`.
    pub(super) fn find(&self, id: &str) -> Option<&ToolUse> {
        Some(&self.made.iter().find(|made| made.call.id == id)?.call)
    }

    /// A tool answered. What a subagent is given, its own model hears and nobody else.
    pub(super) fn answered(&mut self, result: &ToolResult) {
        let Some(made) = self.made.iter().find(|made| made.call.id == result.call) else { return };
        let holds = made.call.is_own() && !result.failed && result.text.contains(CAME_MEANWHILE);
        if let (true, Some(message)) = (holds, &made.message) {
            self.given.push(Given { call: made.call.id.clone(), message: message.clone() });
        }
    }

    /// The conversation's own model speaks in `message`: what it was given since the message that called for
    /// it, it has taken. A message may go on while tools already answer what it called.
    pub(super) fn spoken(&mut self, message: &str) -> Vec<Fact> {
        let taken = self.given.extract_if(.., |given| given.message != message);
        taken.map(|given| Fact::ResultTaken { key: call_key("claude", &given.call) }).collect()
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn call(id: &str, tool: &str) -> ToolUse {
        ToolUse::read(&json!({"id": id, "name": tool, "input": {}})).unwrap()
    }

    fn result(call: &str, text: &str) -> ToolResult {
        ToolResult { call: call.to_owned(), text: text.to_owned(), failed: false }
    }

    /// What is taken of a call of `tool` by `message` once it was answered and the model spoke again.
    fn taken(tool: &str, message: Option<&str>, answer: &ToolResult) -> usize {
        let mut calls = Calls::default();
        calls.made(call("toolu_1", tool), message);
        calls.answered(answer);
        calls.spoken("msg_2").len()
    }

    #[test]
    fn a_result_is_taken_once_the_next_message_begins() {
        let told = format!("Recorded.\n\n{CAME_MEANWHILE} hurry");
        let mut calls = Calls::default();
        calls.made(call("toolu_1", "mcp__callbox__record_progress"), Some("msg_1"));
        calls.answered(&result("toolu_1", &told));
        assert_eq!(calls.spoken("msg_1"), [], "the message that called goes on");
        let key = "claude:toolu_1".to_owned();
        assert_eq!(calls.spoken("msg_2"), [Fact::ResultTaken { key }]);
        assert_eq!(calls.spoken("msg_3"), [], "it is told once");
    }

    #[test]
    fn only_what_the_conversations_own_model_was_given_by_the_four_tools_is_taken() {
        let (own, told) = ("mcp__callbox__record_progress", format!("Recorded. {CAME_MEANWHILE} hurry"));
        assert_eq!(taken(own, Some("msg_1"), &result("toolu_1", &told)), 1);
        assert_eq!(taken(own, None, &result("toolu_1", &told)), 0, "a subagent's");
        assert_eq!(taken("Bash", Some("msg_1"), &result("toolu_1", &told)), 0);
        assert_eq!(taken(own, Some("msg_1"), &result("toolu_9", &told)), 0);
        assert_eq!(taken(own, Some("msg_1"), &result("toolu_1", "Recorded.")), 0);
        let failed = ToolResult { failed: true, ..result("toolu_1", &told) };
        assert_eq!(taken(own, Some("msg_1"), &failed), 0);
    }
}
