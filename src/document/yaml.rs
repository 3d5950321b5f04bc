//! YAML into the tree.
//!
//! Built on the parser's events and not on a ready-made node loader, because a loader copies what an
//! alias names (a page of aliases fills the memory) and keeps the last of two equal keys. Anchors,
//! aliases and tags are refused: no file of ours needs them.

use std::collections::HashMap;

use saphyr_parser::{Event, Parser, ScalarStyle, Span};

use super::{Entry, Faults, FileFault, Node, Value};

/// How deep lists and maps may stand inside each other.
const MAX_DEPTH: usize = 32;

/// Reads one YAML document; `first_line` is the line of the file on which `text` begins.
///
/// Everything that is wrong is named, up to the first place the parser can't read beyond.
pub fn read_yaml(text: &str, first_line: usize) -> Result<Node, Vec<FileFault>> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut builder = Builder { before: first_line - 1, ..Builder::default() };
    if let Some(at) = text.find('\0') {
        builder.faults.document(first_line + text[..at].matches('\n').count(), "a NUL character stands here");
        return builder.finish(first_line);
    }
    let mut parser = Parser::new_from_str(text);
    while let Some(event) = parser.next_event() {
        match event {
            Ok((event, span)) => {
                if builder.take(event, span).is_break() {
                    break;
                }
            }
            Err(error) => {
                let line = builder.before + error.marker().line();
                builder.faults.document(line, format!("this is not YAML: {}", error.info()));
                break;
            }
        }
    }
    builder.finish(first_line)
}

/// The tree so far: what is open, innermost last.
#[derive(Default)]
struct Builder {
    before: usize,
    open: Vec<Open>,
    root: Option<Node>,
    documents: usize,
    faults: Faults,
}

enum Open {
    List {
        line: usize,
        items: Vec<Node>,
    },
    Map {
        line: usize,
        entries: Vec<Entry>,
        places: HashMap<String, usize>,
        key: Option<(String, usize)>,
    },
    /// A list or map that stands where a name should: read over, already a fault.
    Skipped {
        line: usize,
    },
}

impl Builder {
    fn take(&mut self, event: Event<'_>, span: Span) -> std::ops::ControlFlow<()> {
        use std::ops::ControlFlow::{Break, Continue};
        let line = self.before + span.start.line();
        match event {
            Event::DocumentStart(_) => {
                self.documents += 1;
                if self.documents > 1 {
                    self.faults.document(line, "a second document begins here: a file holds one");
                    return Break(());
                }
            }
            Event::Alias(_) => {
                self.faults.document(line, "aliases are not supported: write the value out");
                self.add(line, Value::Null);
            }
            Event::Scalar(text, style, anchor, tag) => {
                self.refuse(line, anchor, tag.is_some());
                if text.contains('\0') {
                    self.faults.document(line, "this text holds a NUL character");
                }
                self.add_scalar(line, &text, style);
            }
            Event::SequenceStart(anchor, tag) => {
                self.refuse(line, anchor, tag.is_some());
                return self.begin(line, Open::List { line, items: Vec::new() });
            }
            Event::MappingStart(anchor, tag) => {
                self.refuse(line, anchor, tag.is_some());
                let (entries, places) = (Vec::new(), HashMap::new());
                return self.begin(line, Open::Map { line, entries, places, key: None });
            }
            Event::SequenceEnd | Event::MappingEnd => match self.open.pop() {
                Some(Open::List { line, items }) => self.add(line, Value::List(items)),
                Some(Open::Map { line, entries, .. }) => self.add(line, Value::Map(entries)),
                Some(Open::Skipped { line }) => self.add(line, Value::Null),
                None => {}
            },
            Event::Nothing | Event::StreamStart | Event::StreamEnd | Event::DocumentEnd => {}
        }
        Continue(())
    }

    fn begin(&mut self, line: usize, open: Open) -> std::ops::ControlFlow<()> {
        if self.open.len() >= MAX_DEPTH {
            self.faults.document(line, format!("lists and maps stand more than {MAX_DEPTH} deep here"));
            return std::ops::ControlFlow::Break(());
        }
        let named = match self.open.last() {
            Some(Open::Map { key: None, .. }) => {
                self.faults.document(line, "a name must be text");
                false
            }
            Some(Open::Skipped { .. }) => false,
            _ => true,
        };
        self.open.push(if named { open } else { Open::Skipped { line } });
        std::ops::ControlFlow::Continue(())
    }

    fn refuse(&mut self, line: usize, anchor: usize, tagged: bool) {
        if anchor != 0 {
            self.faults.document(line, "anchors are not supported: write the value out");
        }
        if tagged {
            self.faults.document(line, "tags are not supported: write plain values");
        }
    }

    fn add_scalar(&mut self, line: usize, text: &str, style: ScalarStyle) {
        if let Some(Open::Map { places, key: key @ None, .. }) = self.open.last_mut() {
            if let Some(first) = places.insert(text.to_owned(), line) {
                self.faults.field(line, text, format!("stands here for a second time, after line {first}"));
            }
            *key = Some((text.to_owned(), line));
            return;
        }
        let value = if style == ScalarStyle::Plain { plain(text) } else { Value::Text(text.to_owned()) };
        self.add(line, value);
    }

    fn add(&mut self, line: usize, value: Value) {
        let node = Node { line, value };
        match self.open.last_mut() {
            None => self.root = Some(node),
            Some(Open::List { items, .. }) => items.push(node),
            Some(Open::Map { entries, key, .. }) => match key.take() {
                Some((name, line)) => entries.push(Entry { key: name, line, value: node }),
                // An alias or a list in a name's place: named already, its value is read over.
                None => *key = Some((String::new(), line)),
            },
            Some(Open::Skipped { .. }) => {}
        }
    }

    fn finish(self, first_line: usize) -> Result<Node, Vec<FileFault>> {
        let nothing = Node { line: first_line, value: Value::Null };
        self.faults.into_result(self.root.unwrap_or(nothing))
    }
}

/// The kind of an unquoted word, by the YAML 1.2 core schema; `yes` and `no` are taken as flags too,
/// since that is what callbox's own documents write.
fn plain(text: &str) -> Value {
    match text {
        "" | "~" | "null" | "Null" | "NULL" => Value::Null,
        "true" | "True" | "TRUE" | "yes" | "Yes" | "YES" => Value::Flag(true, text.to_owned()),
        "false" | "False" | "FALSE" | "no" | "No" | "NO" => Value::Flag(false, text.to_owned()),
        _ if is_number(text) => Value::Number(text.to_owned()),
        _ => Value::Text(text.to_owned()),
    }
}

fn is_number(text: &str) -> bool {
    let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
    let starts = unsigned.starts_with(|letter: char| letter.is_ascii_digit() || letter == '.');
    starts
        && (matches!(unsigned, ".inf" | ".Inf" | ".INF" | ".nan" | ".NaN" | ".NAN")
            || unsigned.parse::<f64>().is_ok())
}

#[cfg(test)]
mod tests;
