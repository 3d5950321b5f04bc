//! Follows the events of one run.

use std::collections::VecDeque;

use super::{
    conclusion,
    denied::is_denial,
    event::{Event, ToolResult},
    own_tool,
    result_event::ResultEvent,
    settings::ATTEMPTS,
    tool_use::ToolUse,
};
use crate::{
    agents::{
        Conclusion, Read, Reader,
        denials::Denials,
        shorten::{cut, indented, shorten},
        speech::Speech,
        transcript::stray,
    },
    vocabulary::{AgentEnd, Exit, Fact, Fault, Usage},
};

/// What of one answer of a tool goes into the transcript, in characters.
const ANSWER: usize = 2000;

/// Calls whose answer may still come.
const MOST: usize = 256;

/// The state of one run.
#[derive(Debug, Default)]
pub(super) struct GeminiReader {
    pub(super) session: Option<String>,
    pub(super) turn_taken: bool,
    pub(super) denials: Denials,
    pub(super) usage: Usage,
    pub(super) speech: Speech,
    /// What the program says went wrong, although it goes on to say that all went well.
    pub(super) trouble: Option<String>,
    pub(super) result: Option<ResultEvent>,
    /// Why the shim cannot be reached any more, where it cannot: the program never starts it a second time.
    pub(super) wiring: Option<Fault>,
    /// Whether it was said that a server does not work.
    issues: bool,
    model: Option<String>,
    calls: VecDeque<ToolUse>,
}

impl Reader for GeminiReader {
    fn line(&mut self, line: &[u8]) -> Vec<Read> {
        match Event::read(line) {
            Some(event) => self.event(event),
            None => stray(line),
        }
    }

    /// Only here the program tells that it asks the provider again, and that a server does not work.
    fn complaint(&mut self, line: &[u8]) -> Vec<Read> {
        let line = String::from_utf8_lossy(&line[..line.len().min(4 * ANSWER)]);
        let fact = match asked_again(&line) {
            Some(message) => Fact::ProviderRetry { message },
            None if line.starts_with("MCP issues detected") && !std::mem::replace(&mut self.issues, true) => {
                Fact::Notice { text: SERVER_FAILS.to_owned() }
            }
            None => return Vec::new(),
        };
        vec![Read::Fact(fact)]
    }

    fn done(&self) -> bool {
        self.result.is_some()
    }

    /// A login that is refused ends the program at once, and a limit after a few requests.
    fn hopeless(&self) -> Option<AgentEnd> {
        self.wiring.clone().map(|fault| AgentEnd::Failed { fault })
    }

    fn conclude(self: Box<Self>, exit: Exit, stderr_tail: &str) -> Conclusion {
        conclusion::conclude(*self, exit, stderr_tail)
    }
}

impl GeminiReader {
    fn event(&mut self, event: Event) -> Vec<Read> {
        let mut read = Vec::new();
        if !matches!(event, Event::Said(_)) {
            read.extend(self.speech.end());
        }
        match event {
            Event::Init { session, model } => read.extend(self.init(session, model)),
            Event::Said(part) => {
                read.extend(self.turn());
                read.extend(self.speech.add(&part));
            }
            Event::Call(call) => {
                read.extend(self.turn());
                read.extend(self.call(call));
            }
            Event::Answer(answer) => read.extend(self.answer(&answer)),
            Event::Trouble { severity, message } => {
                // A model that repeats itself is stopped, and the program calls that a warning.
                if severity != "warning" || message.starts_with("Loop detected") {
                    self.trouble = Some(message.clone());
                }
                read.push(Read::Text(cut(&message, ANSWER)));
            }
            Event::Result(result) => {
                if let Some(usage) = &result.usage {
                    self.usage = usage.clone();
                    read.push(Read::Fact(Fact::Usage { usage: usage.clone() }));
                }
                self.result = Some(*result);
            }
        }
        read
    }

    fn init(&mut self, session: Option<String>, model: Option<String>) -> Vec<Read> {
        let mut read = Vec::new();
        if let Some(id) = session.filter(|id| id.len() <= 200 && self.session.as_ref() != Some(id)) {
            self.session = Some(id.clone());
            read.push(Read::Fact(Fact::Session { id }));
        }
        if let Some(name) = model.filter(|model| self.model.as_ref() != Some(model)) {
            read.push(Read::Fact(Fact::Model { name: shorten(&name, 200) }));
            self.model = Some(name);
        }
        read
    }

    /// Only what the model itself says proves that it was asked: the message is repeated before that. What it says
    /// behind a result opens the run again.
    fn turn(&mut self) -> Option<Read> {
        self.result = None;
        (!std::mem::replace(&mut self.turn_taken, true)).then_some(Read::Fact(Fact::TurnTaken))
    }

    fn call(&mut self, call: ToolUse) -> [Read; 2] {
        let line = call.line();
        if self.calls.len() == MOST {
            self.calls.pop_front();
        }
        self.calls.push_back(call);
        [Read::Fact(Fact::Activity { text: line.clone() }), Read::Text(format!("> {line}"))]
    }

    fn answer(&mut self, answer: &ToolResult) -> Vec<Read> {
        let mut read = Vec::new();
        let place = self.calls.iter().position(|call| call.id == answer.call);
        let call = place.and_then(|place| self.calls.remove(place));
        if let (Some(call), Some(failure)) = (call, &answer.failure) {
            if is_denial(&call.tool, failure) {
                let denial = self.denials.add(&call.id, &call.tool, &call.input);
                read.extend(denial.map(|denial| Read::Fact(Fact::Denied { denial })));
            }
            if let (Some(_), Some(reason)) = (own_tool(&call.tool), failure.of_transport()) {
                self.wiring = Some(lost(&reason));
            }
        }
        if !answer.text.is_empty() {
            read.push(Read::Text(indented(&cut(&answer.text, ANSWER))));
        }
        read
    }
}

/// What is told where a server does not work. The shim, if it is the one, is missed by callbox itself.
const SERVER_FAILS: &str = "an MCP server of this run does not work, and Gemini CLI does not say which; the agent goes on \
                            without its tools";

fn lost(reason: &str) -> Fault {
    let reason = shorten(reason, 200);
    Fault::new("wiring", format!("Gemini CLI lost the shim and does not start it again: {reason}"))
        .hinted("`callbox doctor --agent gemini` shows what is wrong with it")
}

/// That the provider is asked again, where `line` of standard error says so: `Attempt 1 failed with status 429.
/// Retrying with backoff...`, or `Attempt 1 failed: ` and its words.
pub(in crate::agents) fn asked_again(line: &str) -> Option<String> {
    let (attempt, rest) = line.strip_prefix("Attempt ")?.split_once(" failed")?;
    let attempt: u32 = attempt.parse().ok().filter(|attempt| *attempt < ATTEMPTS)?;
    let said = match rest.strip_prefix(" with status ") {
        Some(rest) => format!("the provider answered {}", rest.split(['.', ' ']).next().unwrap_or_default()),
        None => format!("the provider refused{}", shorten(rest, 200)),
    };
    Some(format!("{said}; asked again, {attempt} of {} times", ATTEMPTS - 1))
}

#[cfg(test)]
mod tests;
