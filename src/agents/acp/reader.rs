//! Follows the lines of callbox's own client.

use std::collections::VecDeque;

use serde_json::Value;

use super::conclusion;
use crate::{
    acp::{End, Line},
    agents::{
        Beforehand, Conclusion, Read, Reader,
        denials::Denials,
        gemini::asked_again,
        shorten::{cut, indented, shorten},
        speech::Speech,
        telling::{call_line, telling},
        transcript::stray,
    },
    ids::Timestamp,
    vocabulary::{AgentEnd, Exit, Fact, Fault, Usage},
};

/// What of one answer of a tool goes into the transcript, in characters.
const ANSWER: usize = 2000;

/// Calls that may still be denied.
const MOST: usize = 256;

/// How often a login may be refused before the run is given up: Claude Code asks ten times, for minutes.
const LOGINS: usize = 2;

/// The four tools.
const OWN: [&str; 4] = ["ask_user", "record_progress", "report_summary", "spawn_subtask"];

/// Tools of Gemini CLI's that write.
const WRITING: [&str; 2] = ["write_file", "replace"];

/// Why the shim is not reached any more, in words of Codex and of Gemini CLI.
const GONE: [&str; 2] = ["Transport closed", "Not connected"];

/// The same of a call that was on its way, in words of Gemini CLI.
const CLOSED: &str = "Connection closed";

/// How Gemini CLI begins to ask a person to log in, where it has no login.
const LOGIN_WANTED: &str = "Please visit the following URL to authorize";

/// A call, in a few words.
#[derive(Debug)]
struct Call {
    id: String,
    tool: String,
    input: String,
}

/// The state of one run.
#[derive(Debug)]
pub(super) struct AcpReader {
    /// The agent's name.
    pub(super) agent: String,
    pub(super) session: Option<String>,
    pub(super) turn_taken: bool,
    pub(super) denials: Denials,
    pub(super) usage: Usage,
    pub(super) speech: Speech,
    pub(super) end: Option<End>,
    /// When the end was read.
    pub(super) ended_at: Timestamp,
    /// When a limit of the provider's is over, where it was told before the end.
    pub(super) resets_at: Option<Timestamp>,
    /// Whether the model said anything that no end has confirmed: what a provider refused, some programs put into its
    /// mouth.
    said: bool,
    /// Why the shim cannot be reached any more, where it cannot.
    pub(super) wiring: Option<Fault>,
    logins_refused: usize,
    /// Whether the program asks somebody to log in, who is not there.
    login_wanted: bool,
    model: Option<String>,
    calls: VecDeque<Call>,
}

impl AcpReader {
    /// A reader for a run of `agent`. What runs before it used does not count: claude-agent-acp, which alone tells of
    /// dollars, counts those of its own process (measured).
    pub(super) fn new(agent: &str, _: &Beforehand) -> Self {
        Self {
            agent: agent.to_owned(),
            session: None,
            turn_taken: false,
            denials: Denials::default(),
            usage: Usage::default(),
            speech: Speech::default(),
            end: None,
            ended_at: Timestamp::from_millis(0),
            resets_at: None,
            said: false,
            wiring: None,
            logins_refused: 0,
            login_wanted: false,
            model: None,
            calls: VecDeque::new(),
        }
    }

    fn take(&mut self, line: Line) -> Vec<Read> {
        let mut read = Vec::new();
        if !matches!(line, Line::Text { .. } | Line::Cost { .. }) {
            read.extend(self.speech.end());
        }
        // What comes behind the end opens the run again.
        if !matches!(line, Line::End { .. } | Line::Cost { .. }) {
            self.end = None;
        }
        match line {
            Line::Program { .. } => {}
            Line::Session { id } => read.extend(self.session(id)),
            Line::Model { name } => read.extend(self.model(name)),
            Line::Text { text } => {
                self.said = true;
                read.extend(self.speech.add(&text));
            }
            Line::Thought => read.extend(self.turn()),
            Line::Repeated => {
                self.said = false;
                self.speech = Speech::default();
            }
            Line::Call { id, tool, title, input } => {
                read.extend(self.turn());
                read.extend(self.call(id, tool, &title, &input));
            }
            Line::Answer { id, failed, text } => {
                read.extend(self.answered(&id, failed, &text));
                let text = (!text.is_empty()).then_some(text);
                read.extend(text.map(|text| Read::Text(indented(&cut(&text, ANSWER)))));
            }
            Line::Denied { id } => read.extend(self.denied(&id)),
            Line::Cost { dollars } => {
                self.usage.cost_usd = Some(dollars);
                read.push(Read::Fact(Fact::Usage { usage: self.usage.clone() }));
            }
            Line::Extension { params, .. } => read.extend(self.extension(&params)),
            Line::Stray { text } => {
                self.login_wanted |= text.contains(LOGIN_WANTED);
                read.push(Read::Text(cut(&text, ANSWER)));
            }
            Line::LeftOut => {
                let text = "a message of the program was too long and was left out".to_owned();
                read.push(Read::Fact(Fact::Notice { text }));
            }
            Line::End { end } => read.extend(self.ended(end)),
        }
        read
    }

    fn session(&mut self, id: String) -> Option<Read> {
        let fit = id.len() <= 200 && self.session.as_ref() != Some(&id);
        fit.then(|| {
            self.session = Some(id.clone());
            Read::Fact(Fact::Session { id })
        })
    }

    fn model(&mut self, name: String) -> Option<Read> {
        (self.model.as_ref() != Some(&name)).then(|| {
            let fact = Fact::Model { name: shorten(&name, 200) };
            self.model = Some(name);
            Read::Fact(fact)
        })
    }

    fn turn(&mut self) -> Option<Read> {
        (!std::mem::replace(&mut self.turn_taken, true)).then_some(Read::Fact(Fact::TurnTaken))
    }

    fn call(&mut self, id: String, tool: String, title: &str, input: &Value) -> [Read; 2] {
        // A program that tells no arguments tells what a call does in its title.
        let told = if input.is_null() || tool == "execute" || tool == "edit" {
            String::new()
        } else {
            telling(input)
        };
        let input = if told.is_empty() { shorten(title, 200) } else { told };
        let line = call_line(&tool, &input);
        if self.calls.len() == MOST {
            self.calls.pop_front();
        }
        self.calls.push_back(Call { id, tool, input });
        [Read::Fact(Fact::Activity { text: line.clone() }), Read::Text(format!("> {line}"))]
    }

    fn denied(&mut self, id: &str) -> Option<Read> {
        let call = self.calls.iter().find(|call| call.id == id);
        let (tool, input) = call.map_or(("a tool", ""), |call| (&call.tool, &call.input));
        let denial = self.denials.add(id, tool, input)?;
        Some(Read::Fact(Fact::Denied { denial }))
    }

    /// A program that has lost the shim goes on without it, and says so in what it gives for the tool's answer. Claude
    /// Code starts it again, and says something else.
    fn answered(&mut self, id: &str, failed: bool, text: &str) -> Option<Read> {
        let tool = self.calls.iter().find(|call| call.id == id).map(|call| call.tool.as_str());
        let (own, writes) =
            tool.map_or((false, false), |tool| (OWN.contains(&tool), WRITING.contains(&tool)));
        // Gemini CLI asks nobody about a file outside the sandbox.
        if failed && writes && text.contains("not in workspace") {
            return self.denied(id);
        }
        let gone = GONE.iter().find(|gone| text.contains(**gone));
        // Claude Code says the same of a call that was on its way, and starts the shim again.
        let on_its_way = text.starts_with("MCP tool '") && text.contains(CLOSED);
        if let Some(gone) = gone.or(on_its_way.then_some(&CLOSED)).filter(|_| failed && own) {
            let message = format!("`{}` lost the shim and does not start it again: {gone}", self.agent);
            let hint = format!("`callbox doctor --agent {}` shows what is wrong with it", self.agent);
            self.wiring = Some(Fault::new("wiring", message).hinted(hint));
        }
        None
    }

    /// What claude-agent-acp passes on of Claude Code's own messages.
    fn extension(&mut self, params: &Value) -> Option<Read> {
        let message = params.get("message")?;
        let said = |key: &str| message.get(key).and_then(Value::as_str);
        match (said("type")?, said("subtype")) {
            ("system", Some("api_retry")) => {
                let status = message.get("error_status").and_then(Value::as_u64);
                if matches!(status, Some(401 | 403)) {
                    self.logins_refused += 1;
                }
                let told = status.map_or_else(|| "nothing".to_owned(), |status| status.to_string());
                let word = shorten(&said("error").unwrap_or("an error").replace('_', " "), 80);
                let message = format!("the provider answered {told} ({word}); asked again");
                Some(Read::Fact(Fact::ProviderRetry { message }))
            }
            ("rate_limit_event", _) => {
                let seconds = message.pointer("/rate_limit_info/resetsAt").and_then(Value::as_i64)?;
                self.resets_at = Some(Timestamp::from_millis(seconds.saturating_mul(1000)));
                None
            }
            _ => None,
        }
    }

    fn ended(&mut self, end: End) -> Vec<Read> {
        let mut read = Vec::new();
        self.ended_at = Timestamp::now();
        if let End::Turn { tokens, .. } = &end {
            let silent = tokens.is_some_and(|tokens| tokens.read == 0 && tokens.written == 0);
            if self.said && !silent {
                read.extend(self.turn());
            }
            // A command that the program answers itself costs nothing, whoever it lets speak.
            if silent {
                self.turn_taken = false;
            }
            if let Some(tokens) = tokens {
                (self.usage.tokens_in, self.usage.tokens_out) = (Some(tokens.read), Some(tokens.written));
                read.push(Read::Fact(Fact::Usage { usage: self.usage.clone() }));
            }
        }
        self.end = Some(end);
        read
    }
}

impl Reader for AcpReader {
    fn line(&mut self, line: &[u8]) -> Vec<Read> {
        match serde_json::from_slice(line) {
            Ok(line) => self.take(line),
            Err(_) => stray(line),
        }
    }

    /// Only here Gemini CLI and codex-acp tell that they ask the provider again.
    fn complaint(&mut self, line: &[u8]) -> Vec<Read> {
        let line = String::from_utf8_lossy(&line[..line.len().min(4 * ANSWER)]);
        let message = asked_again(&line).or_else(|| reconnecting(&line));
        message.map(|message| Read::Fact(Fact::ProviderRetry { message })).into_iter().collect()
    }

    fn done(&self) -> bool {
        self.end.is_some()
    }

    fn hopeless(&self) -> Option<AgentEnd> {
        if let Some(fault) = self.wiring.clone() {
            return Some(AgentEnd::Failed { fault });
        }
        let message = match (self.login_wanted, self.logins_refused) {
            (true, _) => format!("`{}` has no login that works here", self.agent),
            (_, LOGINS..) => "the provider refused the login more than once".to_owned(),
            _ => return None,
        };
        Some(AgentEnd::Auth { message })
    }

    fn conclude(self: Box<Self>, exit: Exit, stderr_tail: &str) -> Conclusion {
        conclusion::conclude(*self, exit, stderr_tail)
    }
}

/// That codex-acp asks the provider again, where `line` says so.
fn reconnecting(line: &str) -> Option<String> {
    let (_, rest) = line.split_once("Reconnecting... ")?;
    let count: String = rest.chars().take_while(|letter| letter.is_ascii_digit() || *letter == '/').collect();
    (!count.is_empty()).then(|| format!("asked again, {}", shorten(&count, 20)))
}
