//! Recorded output of a real agent program, read by the reader of its adapter.

use std::{
    fs,
    path::{Path, PathBuf},
};

use callbox::{
    agents::{Beforehand, Conclusion, Reader},
    vocabulary::{AgentEnd, Exit},
};
use proptest::prelude::*;
use serde_json::Value;

use super::programs;

/// The records of one program, by the name that callbox knows it by and their folder among the fixtures.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Recorded {
    pub(crate) agent: &'static str,
    pub(crate) folder: &'static str,
}

impl Recorded {
    /// Where they stand.
    pub(crate) fn folder(self) -> PathBuf {
        Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures").join(self.folder)
    }

    /// How many there are.
    pub(crate) fn count(self) -> usize {
        fs::read_dir(self.folder()).unwrap().count()
    }

    /// The lines of the one called `name`.
    pub(crate) fn lines(self, name: &str) -> Vec<Vec<u8>> {
        let record = fs::read(self.folder().join(format!("{name}.jsonl"))).unwrap();
        record.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()).map(<[u8]>::to_vec).collect()
    }

    /// A reader of the program's.
    pub(crate) fn reader(self) -> Box<dyn Reader> {
        programs::shipped().find(self.agent).unwrap().reader(&Beforehand::default())
    }

    /// What `lines` come to, of a program that ended with `exit`.
    pub(crate) fn conclusion(self, lines: &[Vec<u8>], exit: Exit) -> Conclusion {
        let mut reader = self.reader();
        for line in lines {
            reader.line(line);
        }
        reader.conclude(exit, "the last words on stderr")
    }

    /// The end of that in a few words.
    #[track_caller]
    pub(crate) fn end(self, lines: &[Vec<u8>], exit: Exit) -> String {
        word(&self.conclusion(lines, exit).end)
    }

    /// Fails unless a run without a word is told by its exit and by what it said last.
    #[track_caller]
    pub(crate) fn needs_a_word(self) {
        for (exit, words) in [(Exit::Code(0), "status 0"), (Exit::Signal(9), "signal 9")] {
            let AgentEnd::Failed { fault } = self.conclusion(&[], exit).end else { panic!("a success") };
            let said = fault.message;
            assert!(said.contains(words) && said.contains("the last words on stderr"), "{said}");
        }
    }

    /// Fails unless the good end of the record `fresh` outlives the signal that ended its program, and neither of
    /// the statuses `bad`.
    #[track_caller]
    pub(crate) fn outlives_signals(self, bad: [i32; 2]) {
        let lines = self.lines("fresh");
        for exit in [Exit::Signal(9), Exit::Code(143)] {
            assert_eq!(self.end(&lines, exit), "finished", "{exit:?}");
        }
        for exit in bad.map(Exit::Code) {
            assert_eq!(self.end(&lines, exit), "failed agent_error", "{exit:?}");
        }
    }

    /// Fails unless a line of it that begins with `spoken` takes the end of the record `fresh` back.
    #[track_caller]
    pub(crate) fn is_taken_back(self, spoken: &[u8]) {
        let (mut lines, mut reader) = (self.lines("fresh"), self.reader());
        let spoken = lines.iter().find(|line| line.starts_with(spoken)).unwrap().clone();
        for line in &lines {
            reader.line(line);
        }
        assert!(reader.done());
        reader.line(&spoken);
        assert!(!reader.done());
        lines.push(spoken);
        assert_eq!(self.end(&lines, Exit::Code(0)), "failed agent_error");
    }

    /// The same of what is whole of the first part of a record, which breaks off at `at` of its bytes.
    pub(crate) fn broken_off(self, name: &str, at: prop::sample::Index) -> Conclusion {
        let whole = self.lines(name).join(&b'\n');
        let end = at.index(whole.len());
        let lines: Vec<_> = whole[..end].split(|byte| *byte == b'\n').map(<[u8]>::to_vec).collect();
        self.conclusion(&lines, Exit::Code(0))
    }
}

/// An end in a few words.
#[track_caller]
pub(crate) fn word(end: &AgentEnd) -> String {
    match end {
        AgentEnd::Finished => "finished".to_owned(),
        AgentEnd::Failed { fault } => format!("failed {}", fault.code),
        AgentEnd::Auth { .. } => "auth".to_owned(),
        AgentEnd::RateLimited { until: None, .. } => "rate limited".to_owned(),
        AgentEnd::RateLimited { until: Some(until), .. } => format!("rate limited until {until}"),
        other => panic!("a reader cannot know of {other:?}"),
    }
}

/// Whether `line` is an event of the type `kind`.
pub(crate) fn is_event(line: &[u8], kind: &str) -> bool {
    serde_json::from_slice::<Value>(line).is_ok_and(|event| event["type"] == kind)
}

/// A value such as events are made of, or not: `words` stand in it, and `keys` name its fields.
pub(crate) fn value(
    words: &'static [&'static str],
    keys: &'static [&'static str],
) -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        "[a-z_]{0,12}|\\PC{0,20}".prop_map(Value::from),
        prop::sample::select(words).prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 40, 6, move |inner| {
        let fields = prop::collection::btree_map(prop::sample::select(keys), inner.clone(), 0..8);
        prop_oneof![
            prop::collection::vec(inner, 0..5).prop_map(Value::from),
            fields.prop_map(|fields| {
                Value::Object(fields.into_iter().map(|(key, value)| (key.to_owned(), value)).collect())
            }),
        ]
    })
}

/// Lines that are no text, or events of such values.
pub(crate) fn noise(
    words: &'static [&'static str],
    keys: &'static [&'static str],
) -> impl Strategy<Value = Vec<Vec<u8>>> {
    let line = prop_oneof![
        prop::collection::vec(any::<u8>(), 0..200),
        value(words, keys).prop_map(|value| value.to_string().into_bytes()),
    ];
    prop::collection::vec(line, 0..20)
}
