//! What an agent program writes, as it is kept: the raw bytes, its standard error, and a transcript a
//! person can read. All three are capped.

use std::{collections::VecDeque, io};

use super::capped_log::CappedLog;
use crate::{agents::Read, ids::ExecutionNumber, layout::StateDir, vocabulary::Fact};

/// How much of standard error is shown to the adapter, in bytes.
const STDERR_TAIL: usize = 16 << 10;

/// The three logs of an execution.
#[derive(Debug)]
pub(super) struct Output {
    raw: CappedLog,
    errors: CappedLog,
    transcript: CappedLog,
    tail: VecDeque<u8>,
}

impl Output {
    /// Opens the logs of the execution `number`, whose folder exists.
    pub(super) fn open(state: &StateDir, number: ExecutionNumber) -> io::Result<Self> {
        Ok(Self {
            raw: CappedLog::open(&state.agent_log(number))?,
            errors: CappedLog::open(&state.agent_errors(number))?,
            transcript: CappedLog::open(&state.transcript(number))?,
            tail: VecDeque::new(),
        })
    }

    /// Keeps what the agent wrote on standard output.
    pub(super) fn raw(&mut self, bytes: &[u8]) {
        self.raw.push(bytes);
    }

    /// Keeps what the agent wrote on standard error.
    pub(super) fn error(&mut self, bytes: &[u8]) {
        self.errors.push(bytes);
        self.tail.extend(&bytes[bytes.len().saturating_sub(STDERR_TAIL)..]);
        let surplus = self.tail.len().saturating_sub(STDERR_TAIL);
        self.tail.drain(..surplus);
    }

    /// The end of standard error since this was last asked.
    pub(super) fn take_error_tail(&mut self) -> String {
        String::from_utf8_lossy(&self.tail.drain(..).collect::<Vec<u8>>()).into_owned()
    }

    /// Adds what an adapter read to the transcript.
    pub(super) fn transcribe(&mut self, read: &Read) {
        match read {
            Read::Text(text) => self.say(text),
            Read::Fact(fact) => {
                if let Some(line) = line(fact) {
                    self.say(&line);
                }
            }
        }
    }

    /// Adds a line to the transcript.
    pub(super) fn say(&mut self, text: &str) {
        self.transcript.push(text.as_bytes());
        self.transcript.push(b"\n");
    }

    /// Writes what is still held back.
    pub(super) fn finish(self) {
        for log in [self.raw, self.errors, self.transcript] {
            if let Err(error) = log.finish() {
                tracing::error!(%error, "a log of this run is not complete");
            }
        }
    }
}

/// What a fact says to whoever reads along; totals and identities say nothing.
fn line(fact: &Fact) -> Option<String> {
    match fact {
        Fact::Activity { text } => Some(format!("[{text}]")),
        Fact::Denied { denial } => Some(format!("[denied: {} {}]", denial.tool, denial.input)),
        Fact::ProviderRetry { message } => Some(format!("[the provider is asked again: {message}]")),
        Fact::Retold { reason } => Some(format!("[callbox: {reason}; a new conversation begins]")),
        Fact::Notice { text } => Some(format!("[callbox: {text}]")),
        Fact::Sandbox { .. }
        | Fact::Isolated { .. }
        | Fact::SpawnBase { .. }
        | Fact::AgentStarted { .. }
        | Fact::Session { .. }
        | Fact::Model { .. }
        | Fact::TurnTaken
        | Fact::ResultTaken { .. }
        | Fact::Usage { .. } => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_transcript_reads_and_the_tail_of_errors_is_the_last_runs() {
        let folder = tempfile::tempdir().unwrap();
        let (state, number) = (StateDir::at(folder.path()), ExecutionNumber::new(31));
        std::fs::create_dir_all(state.execution(number)).unwrap();
        let mut output = Output::open(&state, number).unwrap();
        output.raw(b"{\"event\":\"x\"}\n");
        output.error(&vec![b'-'; STDERR_TAIL]);
        output.error(b"the end");
        output.transcribe(&Read::Text("Hello.".to_owned()));
        output.transcribe(&Read::Fact(Fact::TurnTaken));
        output.transcribe(&Read::Fact(Fact::Activity { text: "Bash: ls".to_owned() }));
        let tail = output.take_error_tail();
        assert!(tail.len() == STDERR_TAIL && tail.ends_with("--the end"));
        assert_eq!(output.take_error_tail(), "");
        output.finish();
        let text = |path| std::fs::read_to_string(path).unwrap();
        assert_eq!(text(state.transcript(number)), "Hello.\n[Bash: ls]\n");
        assert_eq!(text(state.agent_log(number)), "{\"event\":\"x\"}\n");
    }
}
