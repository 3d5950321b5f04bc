//! What an update of a session tells.

use serde_json::Value;

use super::{
    calls::{Calls, text},
    line::{Line, beginning},
};

/// How much of what a tool said is passed on, in characters.
const ANSWER: usize = 4000;

/// The lines that tell of `update`. What is not known here, such as lists of commands, tells nothing.
pub(super) fn lines(update: &Value, calls: &mut Calls) -> Vec<Line> {
    match text(update, "sessionUpdate").unwrap_or_default() {
        "agent_message_chunk" => said(update).map(|text| Line::Text { text }).into_iter().collect(),
        "agent_thought_chunk" => vec![Line::Thought],
        "user_message_chunk" => vec![Line::Repeated],
        "tool_call" | "tool_call_update" => {
            let call = calls.take(update);
            call.into_iter().chain(answer(update)).collect()
        }
        "usage_update" => dollars(update).map(|dollars| Line::Cost { dollars }).into_iter().collect(),
        _ => Vec::new(),
    }
}

fn said(update: &Value) -> Option<String> {
    let said = text(update.get("content")?, "text")?;
    (!said.is_empty()).then(|| said.to_owned())
}

fn answer(update: &Value) -> Option<Line> {
    let failed = match text(update, "status")? {
        "completed" => false,
        "failed" => true,
        _ => return None,
    };
    let content = update.get("content").and_then(Value::as_array).into_iter().flatten();
    let words: Vec<&str> =
        content.filter_map(|part| text(part.get("content").unwrap_or(part), "text")).collect();
    let id = beginning(text(update, "toolCallId")?, ANSWER);
    let words = words.join("\n");
    // codex-acp tells there alone why a call of a server's tool failed.
    let words = if words.is_empty() { text(update, "rawOutput").unwrap_or_default() } else { &words };
    Some(Line::Answer { id, failed, text: beginning(words, ANSWER) })
}

fn dollars(update: &Value) -> Option<f64> {
    let cost = update.get("cost")?;
    let dollars = cost.get("amount").and_then(Value::as_f64)?;
    let fit = text(cost, "currency") == Some("USD") && dollars.is_finite() && dollars >= 0.0;
    fit.then_some(dollars)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;
    use crate::acp::Naming;

    #[test]
    fn words_calls_answers_and_dollars_are_told_and_the_rest_is_not() {
        let mut calls = Calls::new(Naming::Field);
        let mut told = |update: Value| lines(&update, &mut calls);
        let chunk = |kind: &str, words: &str| json!({"sessionUpdate": kind, "content": {"type": "text", "text": words}});
        assert_eq!(told(chunk("agent_message_chunk", "a")), [Line::Text { text: "a".into() }]);
        assert_eq!(told(chunk("agent_message_chunk", "")), []);
        assert_eq!(told(chunk("user_message_chunk", "a")), [Line::Repeated]);
        let failed = json!({"sessionUpdate": "tool_call_update", "toolCallId": "1", "status": "failed",
            "content": [{"type": "content", "content": {"type": "text", "text": "no"}}]});
        let answer = Line::Answer { id: "1".into(), failed: true, text: "no".into() };
        assert_eq!(told(failed)[1..], [answer]);
        let usage = |currency: &str| json!({"sessionUpdate": "usage_update", "used": 1, "cost": {"amount": 0.5, "currency": currency}});
        assert_eq!(told(usage("USD")), [Line::Cost { dollars: 0.5 }]);
        assert_eq!(told(usage("EUR")), []);
        assert_eq!(told(json!({"sessionUpdate": "available_commands_update"})), []);
    }

    proptest! {
        #[test]
        fn no_update_however_broken_panics(kind in "[a-z_]{0,20}|tool_call|tool_call_update|usage_update", key in "[a-zA-Z_]{0,12}|content|locations|rawInput|status", words in any::<String>()) {
            let mut calls = Calls::new(Naming::CallId);
            lines(&json!({"sessionUpdate": kind, "toolCallId": words.clone(), key: words}), &mut calls);
        }
    }
}
