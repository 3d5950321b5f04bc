//! Follows the lines of one run.

use std::collections::VecDeque;

use serde_json::Value;

use super::{
    conclusion,
    refusal::Trouble,
    rule::{dollars, is_for, sum, text},
};
use crate::{
    agents::{
        Conclusion, Read, Reader,
        denials::Denials,
        shorten::{cut, shorten},
        telling::{call_line, telling},
        transcript::{activity, stray},
    },
    ids::Timestamp,
    vocabulary::{AgentDescription, AgentEnd, Exit, Fact, Fault, LineEnd, LineRule, Usage},
};

/// How much is kept of an agent's last words, in characters.
const WORDS: usize = 20_000;
/// Calls of which it may still be said that they were denied.
const MOST: usize = 256;
/// How much is said of how the shim was lost, in characters.
const WORDS_OF_LOSS: usize = 300;
/// The longest id of a session or a call that is one, in bytes.
const ID: usize = 200;

/// The state of one run.
#[derive(Debug, Default)]
pub(super) struct LineReader {
    pub(super) name: String,
    rules: Vec<LineRule>,
    pub(super) unknown: Vec<String>,
    pub(super) session: Option<String>,
    model: Option<String>,
    pub(super) turn_taken: bool,
    pub(super) said: Option<String>,
    calls: VecDeque<Call>,
    pub(super) denials: Denials,
    pub(super) usage: Usage,
    pub(super) trouble: Option<Trouble>,
    pub(super) end: Option<LineEnd>,
    /// Why nobody hears the agent any more.
    pub(super) wiring: Option<Fault>,
}

#[derive(Debug)]
struct Call {
    id: String,
    tool: String,
    input: String,
}

impl LineReader {
    /// Of the program `name`.
    pub(super) fn new(name: &str, description: &AgentDescription) -> Self {
        let (rules, unknown) = (description.lines.clone(), description.session_unknown.clone());
        Self { name: name.to_owned(), rules, unknown, ..Self::default() }
    }
}

impl Reader for LineReader {
    fn line(&mut self, line: &[u8]) -> Vec<Read> {
        let event = serde_json::from_slice::<Value>(line).ok().filter(Value::is_object);
        let Some(event) = event else { return stray(line) };
        let rules: Vec<LineRule> = self.rules.iter().filter(|rule| is_for(rule, &event)).cloned().collect();
        let mut read = Vec::new();
        if rules.iter().any(|rule| rule.turn) {
            read.extend(self.turn());
        }
        for rule in &rules {
            self.take(rule, &event, &mut read);
        }
        if let Some(end) = rules.iter().find_map(|rule| rule.ends) {
            self.end = Some(end);
        }
        read
    }

    fn done(&self) -> bool {
        self.end.is_some()
    }

    fn hopeless(&self) -> Option<AgentEnd> {
        self.wiring.clone().map(|fault| AgentEnd::Failed { fault })
    }

    fn conclude(self: Box<Self>, exit: Exit, stderr_tail: &str) -> Conclusion {
        conclusion::conclude(*self, exit, stderr_tail)
    }
}

impl LineReader {
    /// What went wrong before it was got over, and an end that it comes behind was none.
    fn turn(&mut self) -> Option<Read> {
        (self.end, self.trouble) = (None, None);
        (!std::mem::replace(&mut self.turn_taken, true)).then_some(Read::Fact(Fact::TurnTaken))
    }

    fn take(&mut self, rule: &LineRule, event: &Value, read: &mut Vec<Read>) {
        let found = |pointer: &Option<String>| text(event, pointer.as_ref());
        if let Some(id) = found(&rule.session).filter(|id| is_id(id) && self.session.as_ref() != Some(id)) {
            self.session = Some(id.clone());
            read.push(Read::Fact(Fact::Session { id }));
        }
        if let Some(name) = found(&rule.model).filter(|name| self.model.as_ref() != Some(name)) {
            read.push(Read::Fact(Fact::Model { name: shorten(&name, 200) }));
            self.model = Some(name);
        }
        if let Some(said) = found(&rule.said).filter(|said| !said.trim().is_empty()) {
            let said = cut(&said, WORDS);
            read.push(Read::Text(said.clone()));
            self.said = Some(said);
        }
        if let Some(tool) = found(&rule.tool) {
            let input =
                rule.input.as_ref().and_then(|pointer| event.pointer(pointer)).unwrap_or(&Value::Null);
            read.extend(self.call(found(&rule.call), &tool, telling(input)));
        }
        if let Some(id) = found(&rule.denied) {
            read.extend(self.deny(&id));
        }
        if let Some(words) = found(&rule.unheard) {
            let words = shorten(&words, WORDS_OF_LOSS);
            self.wiring = Some(Fault::new("wiring", format!("`{}` lost the shim: {words}", self.name)));
        }
        read.extend(self.uses(rule, event));
        self.goes_wrong(rule, event, read);
    }

    fn call(&mut self, id: Option<String>, tool: &str, input: String) -> [Read; 2] {
        let line = call_line(tool, &input);
        if self.calls.len() == MOST {
            self.calls.pop_front();
        }
        if let Some(id) = id.filter(|id| is_id(id)) {
            self.calls.push_back(Call { id, tool: shorten(tool, 100), input });
        }
        [activity(&line), Read::Text(format!("> {line}"))]
    }

    fn deny(&mut self, id: &str) -> Option<Read> {
        let call = self.calls.iter().find(|call| call.id == id)?;
        let denial = self.denials.add(&call.id, &call.tool, &call.input)?;
        Some(Read::Fact(Fact::Denied { denial }))
    }

    fn uses(&mut self, rule: &LineRule, event: &Value) -> Option<Read> {
        let used = Usage {
            cost_usd: dollars(event, rule.cost_usd.as_ref()),
            tokens_in: sum(event, &rule.tokens_in),
            tokens_out: sum(event, &rule.tokens_out),
        };
        if used == Usage::default() {
            return None;
        }
        self.usage = self.usage.and(&used);
        Some(Read::Fact(Fact::Usage { usage: self.usage.clone() }))
    }

    fn goes_wrong(&mut self, rule: &LineRule, event: &Value, read: &mut Vec<Read>) {
        let found = |pointer: &Option<String>| text(event, pointer.as_ref());
        let status = found(&rule.status).and_then(|status| status.parse().ok());
        let (words, after) = (found(&rule.error), found(&rule.retry_after));
        if words.is_none() && status.is_none() && after.is_none() {
            return;
        }
        let trouble = self.trouble.get_or_insert_default();
        if let Some(words) = words {
            trouble.words = cut(&words, WORDS);
            read.push(Read::Text(trouble.words.clone()));
        }
        trouble.status = status.or(trouble.status);
        trouble.retry_after = after.and_then(|seconds| seconds.parse().ok()).or(trouble.retry_after);
        trouble.at = Some(Timestamp::now());
    }
}

fn is_id(id: &str) -> bool {
    !id.is_empty() && id.len() <= ID && !id.chars().any(char::is_control)
}
