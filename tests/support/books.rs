//! What the database and the logs of a state directory say once nobody uses it, held against each other.

use std::{collections::BTreeMap, fs, path::PathBuf};

use rusqlite::Connection;
use serde_json::Value;

use super::cli::Desk;

/// One call of a tool, by the words that it is about.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Said {
    execution: i64,
    tool: String,
    words: String,
}

/// The books of one state directory.
pub(crate) struct Books {
    database: Connection,
    executions: PathBuf,
}

impl Books {
    #[track_caller]
    pub(crate) fn open(desk: &Desk) -> Self {
        let database = Connection::open(desk.state().join("callbox.db")).unwrap();
        Self { database, executions: desk.state().join("executions") }
    }

    /// The database is whole, and everything in it refers to what is there.
    #[track_caller]
    pub(crate) fn are_sound(&self) {
        let check: String = self.database.query_row("PRAGMA quick_check", [], |row| row.get(0)).unwrap();
        assert_eq!(check, "ok");
        assert!(!self.database.prepare("PRAGMA foreign_key_check").unwrap().exists([]).unwrap());
    }

    /// Every call whose answer an agent had is on record in its own execution, and none is there twice; how many
    /// answers there were.
    #[track_caller]
    pub(crate) fn hold_what_was_acknowledged(&self) -> usize {
        let mut recorded = BTreeMap::<Said, u32>::new();
        for said in self.said() {
            *recorded.entry(said).or_default() += 1;
        }
        let twice: Vec<_> = recorded.iter().filter(|(_, times)| **times > 1).collect();
        assert!(twice.is_empty(), "recorded twice: {twice:?}");
        let acknowledged = self.acknowledged();
        let missing: Vec<_> = acknowledged.iter().filter(|said| !recorded.contains_key(said)).collect();
        assert!(missing.is_empty(), "acknowledged and not recorded: {missing:?}");
        acknowledged.len()
    }

    /// How often `tool` was called with these words, in all executions.
    pub(crate) fn times(&self, tool: &str, words: &str) -> usize {
        self.said().iter().filter(|said| said.tool == tool && said.words == words).count()
    }

    /// No execution has held the same conversation, or begun, more than once.
    #[track_caller]
    pub(crate) fn know_no_run_twice(&self) {
        for (number, lines) in self.logs() {
            let mut sessions: Vec<_> = lines
                .iter()
                .filter(|line| line["event"] == "session")
                .map(|line| line["id"].as_str())
                .collect();
            let all = sessions.len();
            sessions.sort_unstable();
            sessions.dedup();
            assert_eq!(sessions.len(), all, "x{number} ran twice: {lines:?}");
        }
        let twice =
            "SELECT execution FROM events WHERE kind = 'started' GROUP BY execution HAVING count(*) > 1
                     AND execution NOT IN (SELECT execution FROM events WHERE kind = 'notice')";
        assert!(!self.database.prepare(twice).unwrap().exists([]).unwrap(), "an execution started twice");
    }

    /// Each task: its number, state, name and instructions.
    pub(crate) fn tasks(&self) -> Vec<(i64, String, String, String)> {
        let mut tasks = self.database.prepare("SELECT number, state, name, spec FROM tasks").unwrap();
        let rows = tasks.query_map([], |row| {
            let spec: Value = serde_json::from_str(&row.get::<_, String>(3)?).unwrap();
            let instructions = spec["instructions"].as_str().unwrap().to_owned();
            Ok((row.get(0)?, row.get(1)?, row.get(2)?, instructions))
        });
        rows.unwrap().map(Result::unwrap).collect()
    }

    /// Each execution with its task.
    pub(crate) fn runs(&self) -> Vec<(i64, i64)> {
        let mut runs = self.database.prepare("SELECT number, task FROM executions").unwrap();
        let rows = runs.query_map([], |row| Ok((row.get(0)?, row.get(1)?)));
        rows.unwrap().map(Result::unwrap).collect()
    }

    /// Whether the question has that answer.
    pub(crate) fn has_answer(&self, question: &str, answer: &str) -> bool {
        let number: i64 = question.trim_start_matches('q').parse().unwrap();
        let sql = "SELECT 1 FROM questions WHERE number = ?1 AND answer = ?2";
        self.database.prepare(sql).unwrap().exists((number, answer)).unwrap()
    }

    /// Whether the task has been told that, or will be.
    pub(crate) fn has_message(&self, task: &str, text: &str) -> bool {
        let number: i64 = task.trim_start_matches('t').parse().unwrap();
        let sql = "SELECT 1 FROM messages WHERE task = ?1 AND instr(body, ?2) > 0";
        self.database.prepare(sql).unwrap().exists((number, text)).unwrap()
    }

    fn said(&self) -> Vec<Said> {
        let mut signals = self.database.prepare("SELECT execution, tool, body FROM signals").unwrap();
        let rows = signals.query_map([], |row| {
            let (execution, tool, body): (i64, String, String) = (row.get(0)?, row.get(1)?, row.get(2)?);
            let body: Value = serde_json::from_str(&body).unwrap();
            let main = ["message", "question", "summary", "name"];
            let words = main.iter().find_map(|name| body["arguments"][name].as_str()).unwrap().to_owned();
            Ok(Said { execution, tool, words })
        });
        rows.unwrap().map(Result::unwrap).collect()
    }

    /// The calls that agents made and were told to be recorded.
    fn acknowledged(&self) -> Vec<Said> {
        let mut all = Vec::new();
        for (execution, lines) in self.logs() {
            for pair in lines.windows(2) {
                let (Some(call), Some(answer)) = (activity(&pair[0]), pair[1]["text"].as_str()) else {
                    continue;
                };
                let told = ["Recorded", "Queued"].iter().any(|word| answer.starts_with(word));
                if pair[1]["event"] == "text" && told {
                    all.push(Said { execution, tool: call.0.to_owned(), words: call.1.to_owned() });
                }
            }
        }
        all
    }

    /// What the agent of each execution said, line by line.
    fn logs(&self) -> Vec<(i64, Vec<Value>)> {
        let folders = fs::read_dir(&self.executions).unwrap().flatten();
        let log = |folder: fs::DirEntry| {
            let number = folder.file_name().to_str()?.parse().ok()?;
            let text = fs::read_to_string(folder.path().join("agent.log")).ok()?;
            // The last line of an agent that was killed may be torn.
            Some((number, text.lines().map_while(|line| serde_json::from_str(line).ok()).collect()))
        };
        folders.filter_map(log).collect()
    }
}

/// Which tool a line says is called, and with which words.
fn activity(line: &Value) -> Option<(&str, &str)> {
    (line["event"] == "activity").then(|| line["text"].as_str()?.split_once(": ")).flatten()
}
