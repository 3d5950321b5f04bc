//! Follows the events of one run.

use std::collections::BTreeSet;

use super::{
    calls::Calls,
    conclusion,
    event::{Assistant, Block, Event, Init, Speaker, Standing},
    meter::Meter,
    refusal::{Meaning, Refusal},
    result_event::{ResultEvent, Verdict},
};
use crate::{
    agents::{
        Conclusion, Read, Reader,
        denials::Denials,
        mcp_config::SERVER_NAME,
        shorten::{cut, indented, shorten},
        telling::SHOWN,
        transcript::{activity, stray},
    },
    ids::Timestamp,
    vocabulary::{AgentEnd, Exit, Fact, Fault},
};

/// After how many refusals of the login it is not worth waiting: Claude Code asks eleven times, over
/// minutes. One may be a token that is just being renewed.
const LOGIN_REFUSALS: u64 = 2;

/// What of one answer of a tool goes into the transcript, in characters.
const ANSWER: usize = 2000;

/// The state of one run.
#[derive(Debug, Default)]
pub(super) struct ClaudeReader {
    pub(super) session: Option<String>,
    pub(super) turn_taken: bool,
    pub(super) wiring: Option<Fault>,
    pub(super) denials: Denials,
    pub(super) meter: Meter,
    /// The last words of the model itself.
    pub(super) words: Option<String>,
    /// The verdict of the last result, unless a further turn began behind it.
    pub(super) verdict: Option<Verdict>,
    pub(super) login_refused: Option<Refusal>,
    pub(super) resets_at: Option<Timestamp>,
    model: Option<String>,
    /// Claude Code's word for the last refusal of the provider.
    refused: Option<String>,
    calls: Calls,
    /// Servers of the person's own that do not work, as was said.
    unstarted: BTreeSet<String>,
    /// Those that were still being started when they were last heard of.
    pending: BTreeSet<String>,
}

impl Reader for ClaudeReader {
    fn line(&mut self, line: &[u8]) -> Vec<Read> {
        match Event::read(line) {
            Some(event) => self.event(event),
            None => stray(line),
        }
    }

    fn done(&self) -> bool {
        self.verdict.is_some()
    }

    fn hopeless(&self) -> Option<AgentEnd> {
        if let Some(fault) = &self.wiring {
            return Some(AgentEnd::Failed { fault: fault.clone() });
        }
        let refusal = self.login_refused.as_ref()?;
        Some(AgentEnd::Auth { message: conclusion::login_refused(refusal) })
    }

    fn conclude(self: Box<Self>, exit: Exit, stderr_tail: &str) -> Conclusion {
        conclusion::conclude(*self, exit, stderr_tail)
    }
}

impl ClaudeReader {
    fn event(&mut self, event: Event) -> Vec<Read> {
        match event {
            Event::Init(init) => self.init(init),
            Event::Assistant(assistant) => self.assistant(assistant),
            Event::Tools(results) => results
                .into_iter()
                .inspect(|result| {
                    self.calls.answered(result);
                    if let Some(call) = self.calls.find(&result.call).filter(|_| !result.failed) {
                        self.pending.retain(|server| !call.is_of(server));
                    }
                })
                .filter(|result| !result.text.is_empty())
                .map(|result| Read::Text(indented(&cut(&result.text, ANSWER))))
                .collect(),
            Event::Running { id, seconds } => self
                .calls
                .find(&id)
                .map(|call| activity(&format!("{}, {seconds} s", shorten(&call.line(), SHOWN - 20))))
                .into_iter()
                .collect(),
            Event::Denied { tool, id } => {
                let input = self.calls.find(&id).map(|call| call.input.clone());
                self.denied(&id, &tool, &input.unwrap_or_default())
            }
            Event::Retry { attempt, delay_ms, refusal } => self.retry(attempt, delay_ms, refusal),
            Event::RateLimit { standing, resets_at } => {
                self.resets_at = if standing == Standing::Refused { resets_at } else { None };
                Vec::new()
            }
            Event::Result(result) => self.result(*result),
        }
    }

    fn init(&mut self, init: Init) -> Vec<Read> {
        let mut read = self.session(init.session);
        if let Some(model) = init.model.filter(|model| self.model.as_ref() != Some(model)) {
            read.push(Read::Fact(Fact::Model { name: shorten(&model, 200) }));
            self.model = Some(model);
        }
        let standing =
            init.servers.iter().find(|(name, _)| name == SERVER_NAME).map(|(_, status)| status.as_str());
        let own = init.servers.iter().filter(|(name, _)| name != SERVER_NAME);
        self.pending =
            own.clone().filter(|(_, status)| status == "pending").map(|(name, _)| name.clone()).collect();
        for (name, status) in own {
            let stands = matches!(status.as_str(), "connected" | "pending");
            if !stands && self.unstarted.insert(name.clone()) {
                read.push(Read::Fact(Fact::Notice { text: unstarted(name, status) }));
            }
        }
        self.wiring = match standing {
            // `pending` is still being connected: what becomes of it, the shim itself announces.
            Some("connected" | "pending") => None,
            Some(status) => Some(wiring(&format!("its status is `{}`", shorten(status, 40)))),
            None => Some(wiring("Claude Code does not list it")),
        };
        read
    }

    fn session(&mut self, id: Option<String>) -> Vec<Read> {
        let Some(id) = id.filter(|id| id.len() <= 200 && self.session.as_ref() != Some(id)) else {
            return Vec::new();
        };
        self.session = Some(id.clone());
        vec![Read::Fact(Fact::Session { id })]
    }

    fn assistant(&mut self, assistant: Assistant) -> Vec<Read> {
        let mut read = Vec::new();
        if assistant.speaker == Speaker::Model {
            self.verdict = None;
            self.login_refused = None;
            if !std::mem::replace(&mut self.turn_taken, true) {
                read.push(Read::Fact(Fact::TurnTaken));
            }
            read.extend(self.calls.spoken(&assistant.message).into_iter().map(Read::Fact));
        }
        if !matches!(assistant.speaker, Speaker::Program(_))
            && self.meter.message(&assistant.message, assistant.tokens)
        {
            read.push(Read::Fact(Fact::Usage { usage: self.meter.usage() }));
        }
        if let Speaker::Program(Some(refusal)) = &assistant.speaker {
            self.refused.clone_from(&refusal.error);
        }
        for block in assistant.blocks {
            match block {
                Block::Text(words) => {
                    if assistant.speaker == Speaker::Model {
                        self.words = Some(cut(&words, conclusion::WORDS));
                    }
                    read.push(Read::Text(words));
                }
                Block::Tool(call) => {
                    let line = call.line();
                    read.push(activity(&line));
                    read.push(Read::Text(format!("> {line}")));
                    let own = assistant.speaker == Speaker::Model;
                    self.calls.made(call, own.then_some(&assistant.message));
                }
            }
        }
        read
    }

    fn denied(&mut self, id: &str, tool: &str, input: &str) -> Vec<Read> {
        let denial = self.denials.add(id, tool, input);
        denial.map(|denial| Read::Fact(Fact::Denied { denial })).into_iter().collect()
    }

    fn retry(&mut self, attempt: u64, delay_ms: u64, refusal: Refusal) -> Vec<Read> {
        let said = match refusal.status {
            Some(_) => format!("the provider answered {}", refusal.words()),
            None => format!("the provider did not answer ({})", refusal.words()),
        };
        if refusal.meaning() == Meaning::Login && attempt >= LOGIN_REFUSALS {
            self.login_refused = Some(refusal);
        }
        let message = format!("{said}; asked again in {} s", delay_ms.div_ceil(1000));
        vec![Read::Fact(Fact::ProviderRetry { message })]
    }

    fn result(&mut self, result: ResultEvent) -> Vec<Read> {
        let mut read = Vec::new();
        if !matches!(result.verdict, Verdict::SessionUnknown(_)) {
            read.extend(self.session(result.session));
        }
        for (id, tool, input) in &result.denials {
            read.extend(self.denied(id, tool, input));
        }
        if let Some(spent) = result.spent {
            self.meter.settle(spent);
            read.push(Read::Fact(Fact::Usage { usage: self.meter.usage() }));
        }
        for name in std::mem::take(&mut self.pending) {
            if self.unstarted.insert(name.clone()) {
                read.push(Read::Fact(Fact::Notice { text: never_heard_of(&name) }));
            }
        }
        self.verdict = Some(match result.verdict {
            Verdict::Refused(refusal, words) => {
                Verdict::Refused(Refusal { error: refusal.error.or(self.refused.take()), ..refusal }, words)
            }
            other => other,
        });
        read
    }
}

fn unstarted(name: &str, status: &str) -> String {
    format!(
        "the MCP server `{}` does not work (its status is `{}`); the agent goes on without its tools",
        shorten(name, 80),
        shorten(status, 40)
    )
}

/// The program says how its servers stand at the beginning of a turn and never again within it.
fn never_heard_of(name: &str) -> String {
    format!(
        "the MCP server `{}` was still being started when the agent began, and was not heard of since: it may never \
         have worked",
        shorten(name, 80)
    )
}

fn wiring(why: &str) -> Fault {
    Fault::new("wiring", format!("Claude Code could not start the shim: {why}"))
        .hinted("`callbox doctor --agent claude` shows what is wrong with it")
}

#[cfg(test)]
mod tests;
