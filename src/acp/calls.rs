//! The calls of tools that a program speaks of, put together from all that it says of each.

use std::{collections::VecDeque, path::PathBuf};

use agent_client_protocol::v1::schema::ToolKind;
use serde_json::Value;

use super::{
    line::{Line, beginning},
    own_tool::own_tool,
    permission::{Wanted, word},
    told::Naming,
};

/// Calls that are kept at once.
const MOST: usize = 256;

/// How much of a title is kept, in characters.
const TITLE: usize = 400;

/// The longest arguments of a call that are passed on, in bytes of JSON.
const INPUT: usize = 64 << 10;

/// What is known of the calls of one run.
#[derive(Debug)]
pub(super) struct Calls {
    naming: Naming,
    calls: VecDeque<Call>,
}

/// What is known of one call.
#[derive(Debug, Clone)]
struct Call {
    id: String,
    name: Option<String>,
    title: String,
    kind: ToolKind,
    input: Value,
    paths: Vec<PathBuf>,
    told: bool,
}

impl Calls {
    /// None yet.
    pub(super) fn new(naming: Naming) -> Self {
        Self { naming, calls: VecDeque::new() }
    }

    /// Takes what `said` adds to its call; what is to be told of it, once that is enough to be understood: some
    /// programs name a call before they know its arguments.
    pub(super) fn take(&mut self, said: &Value) -> Option<Line> {
        let naming = self.naming;
        let call = self.call(said)?;
        call.learn(said, naming);
        let begun = matches!(text(said, "status"), Some("in_progress" | "completed" | "failed"));
        let known = call.input.is_null() || call.input.as_object().is_none_or(|input| !input.is_empty());
        if call.told || !(begun || known) {
            return None;
        }
        call.told = true;
        Some(call.line())
    }

    /// The call that a request for permission, which was taken, speaks of.
    pub(super) fn wanted(&mut self, said: &Value) -> Option<Wanted> {
        let call = self.call(said)?;
        Some(Wanted { own: call.own(), name: call.name.clone(), kind: call.kind, paths: call.paths.clone() })
    }

    /// The call's line, where it was not told yet.
    pub(super) fn untold(&mut self, said: &Value) -> Option<Line> {
        let call = self.call(said)?;
        (!std::mem::replace(&mut call.told, true)).then(|| call.line())
    }

    fn call(&mut self, said: &Value) -> Option<&mut Call> {
        let id = text(said, "toolCallId")?;
        let place = self.calls.iter().position(|call| call.id == id).unwrap_or_else(|| {
            if self.calls.len() == MOST {
                self.calls.pop_front();
            }
            self.calls.push_back(Call::new(id));
            self.calls.len() - 1
        });
        self.calls.get_mut(place)
    }
}

impl Call {
    fn new(id: &str) -> Self {
        Self {
            id: beginning(id, TITLE),
            name: None,
            title: String::new(),
            kind: ToolKind::Other,
            input: Value::Null,
            paths: Vec::new(),
            told: false,
        }
    }

    fn learn(&mut self, said: &Value, naming: Naming) {
        if let Some(title) = text(said, "title").filter(|_| self.title.is_empty() || !self.told) {
            self.title = beginning(title, TITLE);
        }
        if let Some(kind) = said.get("kind").filter(|kind| kind.is_string()) {
            self.kind = serde_json::from_value(kind.clone()).unwrap_or_default();
        }
        if let Some(name) = name(said, naming) {
            self.name = Some(beginning(&name, TITLE));
        }
        if let Some(input) = said.get("rawInput").filter(|input| !input.is_null() && self.name_stays(input)) {
            let short = input.to_string().len() <= INPUT;
            self.input = if short { input.clone() } else { Value::Null };
        }
        let paths = said.get("locations").and_then(Value::as_array).into_iter().flatten();
        let paths: Vec<PathBuf> = paths.filter_map(|place| text(place, "path")).map(PathBuf::from).collect();
        if !paths.is_empty() {
            self.paths = paths;
        }
    }

    /// Whether `input` may stand for the arguments: what codex-acp says of a tool of a server when it asks tells more
    /// of the question than of the call.
    fn name_stays(&self, input: &Value) -> bool {
        self.input.is_null() || input.get("server_name").is_none()
    }

    fn own(&self) -> Option<&'static str> {
        let changes =
            matches!(self.kind, ToolKind::Execute | ToolKind::Edit | ToolKind::Delete | ToolKind::Move);
        if changes {
            return None;
        }
        self.name.as_deref().and_then(own_tool).or_else(|| own_tool(&self.title))
    }

    fn line(&self) -> Line {
        let tool = match (self.own(), &self.name) {
            (Some(own), _) => own.to_owned(),
            (None, Some(name)) => name.clone(),
            (None, None) => word(self.kind).to_owned(),
        };
        Line::Call { id: self.id.clone(), tool, title: self.title.clone(), input: self.arguments() }
    }

    /// codex-acp wraps the arguments of a server's tool.
    fn arguments(&self) -> Value {
        match (self.input.get("server"), self.input.get("arguments")) {
            (Some(_), Some(arguments)) => arguments.clone(),
            _ => self.input.clone(),
        }
    }
}

/// The program's own name of a call: claude-agent-acp puts it beside the protocol's fields, codex-acp tells server and
/// tool, Gemini CLI makes the id of it.
fn name(said: &Value, naming: Naming) -> Option<String> {
    if let Some(name) = said.pointer("/_meta/claudeCode/toolName").and_then(Value::as_str) {
        return Some(name.to_owned());
    }
    let input = said.get("rawInput").unwrap_or(&Value::Null);
    if let (Some(server), Some(tool)) = (text(input, "server"), text(input, "tool")) {
        return Some(format!("mcp__{server}__{tool}"));
    }
    match naming {
        Naming::Field => text(said, "name").map(str::to_owned),
        Naming::CallId => {
            let (name, _) = text(said, "toolCallId")?.rsplit_once("__")?;
            (!name.is_empty()).then(|| name.to_owned())
        }
    }
}

/// The text under `key`.
pub(super) fn text<'v>(value: &'v Value, key: &str) -> Option<&'v str> {
    value.get(key).and_then(Value::as_str)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_call_is_told_once_its_arguments_are_known_and_by_its_name() {
        let mut calls = Calls::new(Naming::Field);
        let first = json!({"toolCallId": "1", "title": "Terminal", "kind": "execute", "rawInput": {}});
        assert_eq!(calls.take(&first), None);
        let more = json!({
            "toolCallId": "1", "title": "ls", "rawInput": {"command": "ls"},
            "_meta": {"claudeCode": {"toolName": "Bash"}},
        });
        let input = json!({"command": "ls"});
        let line = Line::Call { id: "1".into(), tool: "Bash".into(), title: "ls".into(), input };
        assert_eq!(calls.take(&more), Some(line));
        assert_eq!(calls.take(&more), None);
        let wanted = calls.wanted(&json!({"toolCallId": "1"})).unwrap();
        assert_eq!((wanted.name.as_deref(), wanted.kind), (Some("Bash"), ToolKind::Execute));
    }

    #[test]
    fn the_four_are_told_by_the_name_that_people_know_them_by_whatever_names_them() {
        let codex = json!({"toolCallId": "1", "title": "Tool: callbox/ask_user",
            "rawInput": {"server": "callbox", "tool": "ask_user", "arguments": {"question": "Which?"}}});
        let gemini =
            json!({"toolCallId": "mcp_callbox_ask_human__2", "title": "ask_human (callbox MCP Server)"});
        for (naming, said, expected) in
            [(Naming::Field, codex, json!({"question": "Which?"})), (Naming::CallId, gemini, Value::Null)]
        {
            let mut calls = Calls::new(naming);
            let Some(Line::Call { tool, input, .. }) = calls.take(&said) else { panic!("{said}") };
            assert_eq!((tool.as_str(), input), ("ask_user", expected));
            assert_eq!(calls.wanted(&said).unwrap().own, Some("ask_user"));
        }
        let command = json!({"toolCallId": "3", "kind": "execute", "title": "callbox ask_user"});
        assert_eq!(Calls::new(Naming::Field).wanted(&command).unwrap().own, None);
    }

    #[test]
    fn no_flood_of_calls_is_kept() {
        let mut calls = Calls::new(Naming::Field);
        for number in 0..10_000 {
            calls.take(&json!({"toolCallId": number.to_string(), "title": "x".repeat(10_000)}));
        }
        assert!(calls.calls.len() <= MOST && calls.calls[0].title.len() <= TITLE);
    }
}
