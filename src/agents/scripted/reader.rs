//! Follows the events of one run of the scripted agent.

use super::event::Event;
use crate::{
    agents::{
        Conclusion, Read, Reader,
        denials::Denials,
        shorten::{cut, shorten},
    },
    ids::Timestamp,
    vocabulary::{AgentEnd, Exit, FAULT_CODES, Fact, Fault, Usage, call_key},
};

/// How much of one message is kept, in characters.
const WORDS: usize = 20_000;

/// The state of one run.
#[derive(Debug, Default)]
pub(super) struct ScriptedReader {
    session: Option<String>,
    turn_taken: bool,
    usage: Usage,
    denials: Denials,
    denied: u64,
    words: Option<String>,
    refusal: Option<Refusal>,
    result: Option<Result<String, Fault>>,
}

/// What the provider it plays refused.
#[derive(Debug, Clone)]
enum Refusal {
    ForNow(Option<Timestamp>),
    Login(String),
}

impl Reader for ScriptedReader {
    fn line(&mut self, line: &[u8]) -> Vec<Read> {
        match Event::read(line) {
            Some(event) => self.event(event).into_iter().collect(),
            None if line.trim_ascii().is_empty() => Vec::new(),
            None => vec![Read::Text(cut(&String::from_utf8_lossy(&line[..line.len().min(WORDS)]), WORDS))],
        }
    }

    fn done(&self) -> bool {
        self.result.is_some()
    }

    fn hopeless(&self) -> Option<AgentEnd> {
        None
    }

    fn conclude(self: Box<Self>, exit: Exit, stderr_tail: &str) -> Conclusion {
        let run = *self;
        let fault = run.result.as_ref().and_then(|result| result.as_ref().err()).cloned();
        let has_code = |code: &str| fault.as_ref().is_some_and(|fault| fault.code == code);
        let (session_unknown, no_shim) = (has_code("session_unknown"), has_code("wiring"));
        Conclusion {
            end: run.end(exit, stderr_tail),
            turn_taken: run.turn_taken,
            session: run.session,
            session_unknown,
            final_message: match run.result {
                Some(Ok(words)) if !words.is_empty() => Some(words),
                _ => run.words,
            },
            usage: run.usage,
            denials: run.denials.into_kinds(),
            wiring: fault.filter(|_| no_shim),
        }
    }
}

impl ScriptedReader {
    fn event(&mut self, event: Event) -> Option<Read> {
        match event {
            Event::Session { id } if id.len() <= 200 => {
                self.session = Some(id.clone());
                Some(Read::Fact(Fact::Session { id }))
            }
            Event::Session { .. } => None,
            Event::Turn => {
                let first = !std::mem::replace(&mut self.turn_taken, true);
                first.then_some(Read::Fact(Fact::TurnTaken))
            }
            Event::Heard { call } => Some(Read::Fact(Fact::ResultTaken { key: call_key("scripted", &call) })),
            Event::Activity { text } => Some(Read::Fact(Fact::Activity { text: shorten(&text, 200) })),
            Event::Text { text } => {
                self.words = Some(cut(&text, WORDS));
                Some(Read::Text(text))
            }
            Event::Usage { cost_usd, tokens_in, tokens_out } => {
                let cost_usd = cost_usd.filter(|cost| cost.is_finite() && *cost >= 0.0);
                self.usage = Usage { cost_usd, tokens_in, tokens_out };
                Some(Read::Fact(Fact::Usage { usage: self.usage.clone() }))
            }
            Event::Denied { tool, input } => {
                self.denied += 1;
                let denial = self.denials.add(&self.denied.to_string(), &tool, &shorten(&input, 200))?;
                Some(Read::Fact(Fact::Denied { denial }))
            }
            Event::RateLimit { reset } => {
                self.refusal = Some(Refusal::ForNow(reset));
                None
            }
            Event::Auth { message } => {
                self.refusal = Some(Refusal::Login(shorten(&message, 1000)));
                None
            }
            Event::Result { is_error, message, code } => {
                let message = cut(&message, WORDS);
                // The list is closed, whatever a process says.
                let known = code.filter(|code| FAULT_CODES.contains(&code.as_str()));
                let code = known.unwrap_or_else(|| "agent_error".to_owned());
                self.result = Some(if is_error { Err(Fault::new(code, message)) } else { Ok(message) });
                None
            }
        }
    }

    fn end(&self, exit: Exit, stderr_tail: &str) -> AgentEnd {
        let said = match &self.result {
            Some(Err(fault)) => fault.message.clone(),
            _ => "the provider refuses for now".to_owned(),
        };
        match (&self.result, &self.refusal, exit) {
            (Some(Err(_)) | None, Some(Refusal::Login(message)), _) => {
                AgentEnd::Auth { message: message.clone() }
            }
            (Some(Err(_)) | None, Some(Refusal::ForNow(until)), _) => {
                AgentEnd::RateLimited { until: *until, message: said }
            }
            (Some(Err(fault)), None, _) => AgentEnd::Failed { fault: fault.clone() },
            (Some(Ok(_)), _, _) if !self.turn_taken => {
                failed("no_turn", "the scripted agent ended without a turn".to_owned())
            }
            // One that gave its result and then had to be ended keeps it.
            (Some(Ok(_)), _, Exit::Code(0) | Exit::Signal(_)) => AgentEnd::Finished,
            (Some(Ok(_)) | None, _, Exit::Code(status)) => failed(
                "agent_error",
                with_tail(&format!("the scripted agent exited with status {status}"), stderr_tail),
            ),
            (None, _, Exit::Signal(signal)) => failed(
                "agent_error",
                with_tail(&format!("the scripted agent was ended by signal {signal}"), stderr_tail),
            ),
        }
    }
}

fn failed(code: &str, message: String) -> AgentEnd {
    AgentEnd::Failed { fault: Fault::new(code, message) }
}

fn with_tail(message: &str, stderr_tail: &str) -> String {
    match stderr_tail.trim() {
        "" => message.to_owned(),
        tail => format!("{message}: {}", cut(tail, 1000)),
    }
}
