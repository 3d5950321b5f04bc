//! Cutting bytes into lines of bounded length.

use rmcp::model::RequestId;

use super::{MAX_LINE_BYTES, id_scan::IdScan};

/// One line.
#[derive(Debug, PartialEq)]
pub(super) enum Line {
    /// Its bytes, without the line end.
    Whole(Vec<u8>),
    /// It was longer than [`MAX_LINE_BYTES`] and is gone but for the id of the request in it.
    TooLong(Option<RequestId>),
}

/// The line that has begun.
#[derive(Default)]
pub(super) struct LineCutter {
    begun: Vec<u8>,
    /// Looks for the id in a line that is too long to be kept.
    overflow: Option<IdScan>,
}

impl LineCutter {
    /// Takes bytes up to and with the next line end. Says how many it took, and gives the line they
    /// ended.
    pub(super) fn take(&mut self, bytes: &[u8]) -> (usize, Option<Line>) {
        if let Some(end) = bytes.iter().position(|&byte| byte == b'\n') {
            self.keep(&bytes[..end]);
            (end + 1, Some(self.end_line()))
        } else {
            self.keep(bytes);
            (bytes.len(), None)
        }
    }

    /// What stood behind the last line end, at the end of the input.
    pub(super) fn finish(&mut self) -> Option<Line> {
        let nothing = self.begun.is_empty() && self.overflow.is_none();
        (!nothing).then(|| self.end_line())
    }

    fn keep(&mut self, bytes: &[u8]) {
        if let Some(scan) = &mut self.overflow {
            scan.feed(bytes);
        } else if self.begun.len() + bytes.len() <= MAX_LINE_BYTES {
            self.begun.extend_from_slice(bytes);
        } else {
            let mut scan = IdScan::default();
            scan.feed(&std::mem::take(&mut self.begun));
            scan.feed(bytes);
            self.overflow = Some(scan);
        }
    }

    fn end_line(&mut self) -> Line {
        match self.overflow.take() {
            Some(scan) => Line::TooLong(scan.request_id()),
            None => Line::Whole(std::mem::take(&mut self.begun)),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn cut(pieces: &[&[u8]]) -> Vec<Line> {
        let mut cutter = LineCutter::default();
        let mut lines = Vec::new();
        for piece in pieces {
            let mut rest = *piece;
            while !rest.is_empty() {
                let (taken, line) = cutter.take(rest);
                rest = &rest[taken..];
                lines.extend(line);
            }
        }
        lines.extend(cutter.finish());
        lines
    }

    #[test]
    fn a_last_line_without_its_end_is_a_line() {
        let whole = |text: &str| Line::Whole(text.as_bytes().to_vec());
        assert_eq!(cut(&[b"one\ntw", b"o"]), [whole("one"), whole("two")]);
        assert_eq!(cut(&[b"one\n"]), [whole("one")]);
    }

    #[test]
    fn a_line_over_the_limit_keeps_nothing_but_its_id() {
        let long = "x".repeat(MAX_LINE_BYTES);
        let line = format!(r#"{{"method":"m","params":{{"id":1,"x":"{long}"}},"id":7}}"#);
        let lines = cut(&[line.as_bytes(), b"\nnext"]);
        assert_eq!(lines, [Line::TooLong(Some(RequestId::Number(7))), Line::Whole(b"next".to_vec())]);
    }

    #[test]
    fn a_line_at_the_limit_is_whole() {
        let lines = cut(&[&vec![b'x'; MAX_LINE_BYTES], b"\n"]);
        assert_eq!(lines, [Line::Whole(vec![b'x'; MAX_LINE_BYTES])]);
    }

    proptest! {
        #[test]
        fn however_the_bytes_are_cut_the_lines_are_the_same(
            bytes in prop::collection::vec(prop::sample::select(b"ab\n".to_vec()), 0..30),
            at in 0usize..30,
        ) {
            let (one, two) = bytes.split_at(at.min(bytes.len()));
            prop_assert_eq!(cut(&[one, two]), cut(&[&bytes]));
        }
    }
}
