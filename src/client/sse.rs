//! Reading server-sent events (HTML Living Standard, §9.2.6): bytes in, the `data` of whole events out.
//!
//! Only `data` is kept: the store repeats the event's place and kind inside it.

/// The longest event, in bytes.
const MAX_EVENT_BYTES: usize = 1 << 20;

/// An event longer than [`MAX_EVENT_BYTES`].
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error("the store sent an event of more than {MAX_EVENT_BYTES} bytes")]
pub(super) struct EventTooLong;

/// Collects lines to events, however the bytes are cut.
#[derive(Default)]
pub(super) struct EventParser {
    line: Vec<u8>,
    data: Vec<u8>,
    has_data: bool,
    after_return: bool,
}

impl EventParser {
    /// Takes the next bytes and gives the data of the events they complete.
    pub(super) fn push(&mut self, bytes: &[u8]) -> Result<Vec<Vec<u8>>, EventTooLong> {
        let mut events = Vec::new();
        for &byte in bytes {
            let follows_return = std::mem::replace(&mut self.after_return, byte == b'\r');
            match byte {
                b'\n' if follows_return => {}
                b'\n' | b'\r' => events.extend(self.end_line()),
                _ if self.line.len() + self.data.len() >= MAX_EVENT_BYTES => return Err(EventTooLong),
                _ => self.line.push(byte),
            }
        }
        Ok(events)
    }

    fn end_line(&mut self) -> Option<Vec<u8>> {
        let line = std::mem::take(&mut self.line);
        if line.is_empty() {
            let complete = std::mem::take(&mut self.has_data);
            let data = std::mem::take(&mut self.data);
            return complete.then_some(data);
        }
        if let Some(value) = line.strip_prefix(b"data:") {
            if self.has_data {
                self.data.push(b'\n');
            }
            self.has_data = true;
            self.data.extend_from_slice(value.strip_prefix(b" ").unwrap_or(value));
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn read(text: &str) -> Vec<String> {
        let events = EventParser::default().push(text.as_bytes()).unwrap();
        events.into_iter().map(|data| String::from_utf8(data).unwrap()).collect()
    }

    #[test]
    fn an_event_is_its_data_lines_up_to_an_empty_line() {
        assert_eq!(read("id: 4\nevent: state\ndata: {\"a\":1}\n\n"), ["{\"a\":1}"]);
        assert_eq!(read("data: one\ndata:two\n\ndata: three\n\n"), ["one\ntwo", "three"]);
        assert_eq!(read("data: one\r\n\r\ndata: two\r\r"), ["one", "two"]);
    }

    #[test]
    fn comments_unknown_fields_and_unfinished_events_are_passed_over() {
        assert_eq!(read(": alive\n\nretry: 5\n\ndata: one\n\ndata: cut off"), ["one"]);
    }

    #[test]
    fn an_event_without_end_is_refused() {
        let flood = vec![b'x'; MAX_EVENT_BYTES + 1];
        assert_eq!(EventParser::default().push(&flood), Err(EventTooLong));
    }

    proptest! {
        #[test]
        fn however_the_bytes_are_cut_the_events_are_the_same(
            text in "(data: [a-z]{0,3}|: c|id: 1|\r\n|\n|\r){0,12}",
            cuts in prop::collection::vec(0usize..60, 0..6),
        ) {
            let whole = EventParser::default().push(text.as_bytes()).unwrap();
            let mut parser = EventParser::default();
            let mut cuts: Vec<usize> = cuts.into_iter().map(|cut| cut.min(text.len())).collect();
            cuts.extend([0, text.len()]);
            cuts.sort_unstable();
            let mut pieces = Vec::new();
            for pair in cuts.windows(2) {
                pieces.extend(parser.push(&text.as_bytes()[pair[0]..pair[1]]).unwrap());
            }
            prop_assert_eq!(pieces, whole);
        }
    }
}
