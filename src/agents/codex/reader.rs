//! Follows the events of one run.

use std::collections::BTreeSet;

use super::{
    conclusion,
    denied::{Logged, denied, logged},
    event::{Event, Totals},
    item::{Call, Item, Standing},
    refusal::{Meaning, meaning, sentence},
    reset_time::reset_time,
};
use crate::{
    agents::{
        Beforehand, Conclusion, Read, Reader,
        denials::Denials,
        mcp_config::SERVER_NAME,
        shorten::{cut, indented, shorten},
        transcript::{activity, stray},
    },
    ids::Timestamp,
    vocabulary::{AgentEnd, Exit, Fact, Fault, Permissions, Usage},
};

/// After how many refusals of the login it is not worth waiting: Codex asks six times. One may be a token that is just
/// being renewed.
const LOGIN_REFUSALS: u32 = 2;

/// What of one answer of a tool goes into the transcript, in characters.
const ANSWER: usize = 2000;

/// How many troubles of Codex's own are told to a person.
const NOTICES: usize = 20;

/// What Codex says when it does without something that nobody asked for.
const UNASKED: &str = "Falling back from WebSockets";

/// How a failed command begins that Codex's own sandbox did not even start.
const UNSTARTED: [&str; 2] = ["bwrap: ", "thread 'main' "];

/// What a call says whose shim is gone. Codex starts none again.
const GONE: &str = "Transport closed";

/// The state of one run.
#[derive(Debug)]
pub(super) struct CodexReader {
    pub(super) permissions: Permissions,
    pub(super) session: Option<String>,
    pub(super) turn_taken: bool,
    pub(super) wiring: Option<Fault>,
    pub(super) denials: Denials,
    /// How many commands are among them.
    pub(super) commands_denied: usize,
    /// How many commands Codex's log says were held back.
    pub(super) violations: usize,
    patches_denied: usize,
    pub(super) usage: Usage,
    /// The last words of the model.
    pub(super) words: Option<String>,
    /// How the turn ended, unless something came behind it.
    pub(super) verdict: Option<Verdict>,
    pub(super) login_refused: Option<String>,
    /// Why no command can be run.
    pub(super) unheld: Option<Fault>,
    /// The last thing that failed.
    pub(super) error: Option<String>,
    pub(super) resets_at: Option<Timestamp>,
    /// What the conversation had used before.
    used: Usage,
    refusals: u32,
    told: BTreeSet<String>,
}

/// How a turn ended.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    /// Well.
    Well,
    /// In a way that is not understood.
    Unclear,
    /// Badly, for this reason.
    Badly(String),
}

impl Reader for CodexReader {
    fn line(&mut self, line: &[u8]) -> Vec<Read> {
        match Event::read(line) {
            Some(event) => self.event(event),
            None => stray(line),
        }
    }

    /// Only here Codex tells of patches that it rejects, and of every command that its sandbox held back.
    fn complaint(&mut self, line: &[u8]) -> Vec<Read> {
        let line = String::from_utf8_lossy(&line[..line.len().min(4 * ANSWER)]);
        match logged(&line) {
            Some(Logged::Command) => self.violations += 1,
            Some(Logged::Patch) => {
                self.patches_denied += 1;
                let denial = self.denials.add(&format!("patch {}", self.patches_denied), "apply_patch", "");
                return denial.map(|denial| Read::Fact(Fact::Denied { denial })).into_iter().collect();
            }
            None => {}
        }
        Vec::new()
    }

    fn done(&self) -> bool {
        self.verdict.is_some()
    }

    fn hopeless(&self) -> Option<AgentEnd> {
        if let Some(fault) = self.wiring.as_ref().or(self.unheld.as_ref()) {
            return Some(AgentEnd::Failed { fault: fault.clone() });
        }
        Some(AgentEnd::Auth { message: self.login_refused.clone()? })
    }

    fn conclude(self: Box<Self>, exit: Exit, stderr_tail: &str) -> Conclusion {
        conclusion::conclude(*self, exit, stderr_tail)
    }
}

impl CodexReader {
    /// A reader at the beginning of its run.
    pub(super) fn new(beforehand: &Beforehand) -> Self {
        Self {
            permissions: beforehand.permissions,
            session: None,
            turn_taken: false,
            wiring: None,
            denials: Denials::default(),
            commands_denied: 0,
            violations: 0,
            patches_denied: 0,
            usage: Usage::default(),
            words: None,
            verdict: None,
            login_refused: None,
            unheld: None,
            error: None,
            resets_at: None,
            used: beforehand.used.clone(),
            refusals: 0,
            told: BTreeSet::new(),
        }
    }

    fn event(&mut self, event: Event) -> Vec<Read> {
        match event {
            Event::Thread(id) => self.thread(id),
            Event::Begun(item) => self.begun(&item),
            Event::Ended { id, item } => self.ended(&id, item),
            Event::Retry { count, words } => self.retry(&count, &words),
            Event::Error(words) => {
                self.error = Some(words);
                Vec::new()
            }
            Event::Completed(totals) => self.completed(totals),
            Event::Failed(words) => {
                self.resets_at = reset_time(&words, Timestamp::now());
                self.verdict = Some(Verdict::Badly(words));
                Vec::new()
            }
        }
    }

    fn thread(&mut self, id: String) -> Vec<Read> {
        if id.is_empty() || id.len() > 200 || self.session.as_ref() == Some(&id) {
            return Vec::new();
        }
        self.session = Some(id.clone());
        vec![Read::Fact(Fact::Session { id })]
    }

    /// Whatever the model makes proves that it was asked.
    fn taken(&mut self) -> Vec<Read> {
        self.verdict = None;
        (self.refusals, self.login_refused) = (0, None);
        let first = !std::mem::replace(&mut self.turn_taken, true);
        first.then_some(Read::Fact(Fact::TurnTaken)).into_iter().collect()
    }

    fn begun(&mut self, item: &Item) -> Vec<Read> {
        if let Item::Trouble(words) = item {
            return self.trouble(words);
        }
        let mut read = self.taken();
        if let Some(line) = item.line() {
            read.push(activity(&line));
            read.push(Read::Text(format!("> {line}")));
        }
        read
    }

    fn ended(&mut self, id: &str, item: Item) -> Vec<Read> {
        if let Item::Trouble(words) = &item {
            return self.trouble(words);
        }
        let mut read = self.taken();
        if let Some((tool, input)) = denied(&item, self.permissions) {
            self.commands_denied += usize::from(matches!(item, Item::Command { .. }));
            let denial = self.denials.add(id, &tool, &input);
            read.extend(denial.map(|denial| Read::Fact(Fact::Denied { denial })));
        }
        match item {
            Item::Words(words) => {
                self.words = Some(cut(&words, conclusion::WORDS));
                read.push(Read::Text(words));
            }
            Item::Command { command, output, exit, .. } => {
                if self.permissions != Permissions::Full && is_unstarted(&command, exit, &output) {
                    self.unheld = Some(unheld(&output));
                }
                read.extend(answered(&output));
            }
            Item::Change { paths, standing: Standing::Failed | Standing::Declined } => {
                read.extend(answered(&format!("could not be changed: {paths}")));
            }
            Item::Call(call) => {
                if is_gone(&call) {
                    self.wiring = Some(conclusion::wiring("Codex lost its connection to the shim"));
                }
                read.extend(answered(call.error.as_deref().unwrap_or(&call.answer)));
            }
            Item::Change { .. } | Item::Trouble(_) | Item::Other => {}
        }
        read
    }

    fn trouble(&mut self, words: &str) -> Vec<Read> {
        let text = shorten(words, 500);
        let mut read = vec![Read::Text(format!("! {text}"))];
        if !text.starts_with(UNASKED) && self.told.len() < NOTICES && self.told.insert(text.clone()) {
            read.push(Read::Fact(Fact::Notice { text: format!("Codex says: {text}") }));
        }
        read
    }

    fn retry(&mut self, count: &str, words: &str) -> Vec<Read> {
        if meaning(words) == Meaning::Login {
            self.refusals += 1;
            if self.refusals >= LOGIN_REFUSALS {
                self.login_refused = Some(conclusion::login_refused(words));
            }
        }
        let message = format!("{}; asked again ({})", shorten(&sentence(words), 500), shorten(count, 40));
        vec![Read::Fact(Fact::ProviderRetry { message })]
    }

    fn completed(&mut self, totals: Option<Totals>) -> Vec<Read> {
        let Some(totals) = totals else {
            self.verdict = Some(Verdict::Unclear);
            return Vec::new();
        };
        self.verdict = Some(Verdict::Well);
        let own = |total: u64, before: Option<u64>| Some(total.saturating_sub(before.unwrap_or(0)));
        self.usage = Usage {
            cost_usd: None,
            tokens_in: own(totals.read, self.used.tokens_in),
            tokens_out: own(totals.written, self.used.tokens_out),
        };
        vec![Read::Fact(Fact::Usage { usage: self.usage.clone() })]
    }
}

fn answered(text: &str) -> Option<Read> {
    (!text.trim().is_empty()).then(|| Read::Text(indented(&cut(text, ANSWER))))
}

/// Whether a command failed before it began, in a sandbox of Codex's that could not be set up.
fn is_unstarted(command: &str, exit: Option<i64>, output: &str) -> bool {
    let (output, by_codex) = (output.trim_start(), !command.contains("bwrap"));
    let begins = output.starts_with(UNSTARTED[0])
        || (output.starts_with(UNSTARTED[1]) && output.contains("linux-sandbox/src/"));
    by_codex && begins && exit.is_some_and(|status| status != 0)
}

fn unheld(output: &str) -> Fault {
    let message = format!("Codex's own sandbox does not work here: {}", shorten(output, 300));
    Fault::new("isolation", message).hinted(
        "under `isolation: landlock` callbox holds Codex itself; with `permissions: full` nothing holds its commands",
    )
}

fn is_gone(call: &Call) -> bool {
    call.server == SERVER_NAME && call.error.as_ref().is_some_and(|error| error.contains(GONE))
}
