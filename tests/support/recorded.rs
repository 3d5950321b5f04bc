//! Recorded output of a real agent program, read by the reader of its adapter.

use std::{
    fs,
    path::{Path, PathBuf},
};

use callbox::{
    agents::{self, Beforehand, Conclusion, Reader},
    vocabulary::{AgentEnd, Exit},
};
use proptest::prelude::*;
use serde_json::Value;

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
        agents::find(self.agent).unwrap().reader(&Beforehand::default())
    }

    /// What `lines` come to, of a program that ended with `exit`.
    pub(crate) fn conclusion(self, lines: &[Vec<u8>], exit: Exit) -> Conclusion {
        let mut reader = self.reader();
        for line in lines {
            reader.line(line);
        }
        reader.conclude(exit, "the last words on stderr")
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
