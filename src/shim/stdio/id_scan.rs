//! Finding the id of a request in a line that is no JSON, or too long to be kept.
//!
//! A client waits for ever for the answer to a request that was dropped, so the id is worth some
//! effort: brackets and strings are followed, and only an `id` at the top of an object that also has
//! a `method` there counts. In a line that is broken before its `id` the wrong one could be found;
//! such a line names its id first in every client known.

use rmcp::model::RequestId;
use serde_json::Value;

/// The longest key or value looked at; a longer id is not found.
const MAX_TOKEN_BYTES: usize = 4096;

/// Goes through a line byte by byte.
#[derive(Default)]
pub(super) struct IdScan {
    depth: usize,
    place: Place,
    /// The last word or string at the top of the object.
    token: Vec<u8>,
    key: Vec<u8>,
    id: Option<Vec<u8>>,
    has_method: bool,
}

#[derive(Default, Clone, Copy, PartialEq)]
enum Place {
    #[default]
    Between,
    String,
    Escape,
}

impl IdScan {
    /// Goes through more of the line.
    pub(super) fn feed(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            match self.place {
                Place::String if byte == b'\\' => self.within_string(byte, Place::Escape),
                Place::String if byte == b'"' => self.within_string(byte, Place::Between),
                Place::Escape | Place::String => self.within_string(byte, Place::String),
                Place::Between => self.between(byte),
            }
        }
    }

    /// The id of the request that the line is, if it is one and its id could be read.
    pub(super) fn request_id(&self) -> Option<RequestId> {
        let id = self.id.as_ref().filter(|_| self.has_method)?;
        read_id(&serde_json::from_slice(id).ok()?)
    }

    fn within_string(&mut self, byte: u8, next: Place) {
        self.keep(byte);
        self.place = next;
    }

    fn between(&mut self, byte: u8) {
        match byte {
            b'"' => {
                self.token.clear();
                self.keep(byte);
                self.place = Place::String;
            }
            b'{' | b'[' => {
                self.depth += 1;
                self.token.clear();
            }
            b':' if self.depth == 1 => {
                self.key = std::mem::take(&mut self.token);
                self.has_method |= self.key == b"\"method\"";
            }
            b',' | b'}' | b']' => {
                if self.depth == 1 {
                    self.end_value();
                }
                if byte != b',' {
                    self.depth = self.depth.saturating_sub(1);
                }
                self.token.clear();
            }
            _ if byte.is_ascii_whitespace() => {}
            _ => self.keep(byte),
        }
    }

    fn end_value(&mut self) {
        let key = std::mem::take(&mut self.key);
        let value = std::mem::take(&mut self.token);
        if key == b"\"id\"" && self.id.is_none() {
            self.id = Some(value);
        }
    }

    fn keep(&mut self, byte: u8) {
        if self.depth == 1 && self.token.len() <= MAX_TOKEN_BYTES {
            self.token.push(byte);
        }
    }
}

/// A request's id: a string or a whole number that fits 64 bits. `1.0` is taken for `1`, since JSON
/// knows one kind of number and some clients write it so.
pub(super) fn read_id(value: &Value) -> Option<RequestId> {
    match value {
        Value::String(text) => Some(RequestId::String(text.as_str().into())),
        Value::Number(number) => number.as_i64().or_else(|| whole(number.as_f64()?)).map(RequestId::Number),
        _ => None,
    }
}

fn whole(number: f64) -> Option<i64> {
    // Beyond 2^53 a float does not name one integer.
    let exact = number.fract() == 0.0 && number.abs() <= 9_007_199_254_740_992.0;
    #[expect(clippy::cast_possible_truncation, reason = "a whole number within 2^53 fits")]
    exact.then_some(number as i64)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn scan(line: &str) -> Option<RequestId> {
        let mut scan = IdScan::default();
        scan.feed(line.as_bytes());
        scan.request_id()
    }

    #[test]
    fn the_id_is_found_in_lines_that_are_no_json() {
        for line in [
            r#"{"jsonrpc":"2.0","id":7,"method":"m","params":{"#,
            r#"{"id" : 7, "method" : "m", }"#,
            r#"{"method":"m","params":{"text":"\ud800"},"id":7}"#,
            r#"{"method":"m","params":[[["}"]]],"id":7}"#,
            r#"{"method":"m","params":{"id":1,"a":"\"id\":2,\\"},"id":7}"#,
            r#"{"id":7.0,"method":"m",,,}"#,
        ] {
            assert_eq!(scan(line), Some(RequestId::Number(7)), "{line}");
        }
        assert_eq!(scan(r#"{"id":"\u0061b","method":"m","#), Some(RequestId::String("ab".into())));
    }

    #[test]
    fn what_is_no_request_or_has_no_whole_id_has_none() {
        for line in [
            "",
            "hello",
            r#"{"id":7,"result":{}"#,
            r#"{"method":"m","id":7"#,
            r#"{"method":"m","id":null,"#,
            r#"{"method":"m","id":1.5,"#,
            r#"{"method":"m","params":{"id":7},"#,
            r#"[{"method":"m","id":7},"#,
        ] {
            assert_eq!(scan(line), None, "{line}");
        }
    }

    proptest! {
        #[test]
        fn in_a_good_line_it_finds_what_a_parser_finds(id in any::<i64>(), text in ".{0,40}", late in any::<bool>()) {
            let text = Value::from(text);
            let params = format!(r#""params":{{"id":"no","a":[{text}],"b":{text}}}"#);
            let line = if late {
                format!(r#"{{"method":"m",{params},"id":{id}}}"#)
            } else {
                format!(r#"{{"id":{id},{params},"method":"m"}}"#)
            };
            prop_assert_eq!(scan(&line), Some(RequestId::Number(id)));
        }

        #[test]
        fn no_bytes_make_it_panic(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
            let mut scan = IdScan::default();
            scan.feed(&bytes);
            scan.request_id();
        }
    }
}
