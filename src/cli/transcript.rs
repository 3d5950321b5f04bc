//! A log as it comes in pieces, made harmless line by line.

use super::sanitise;

/// The longest line that is held back until its end comes, in bytes.
const MAX_HELD: usize = 1 << 16;

/// Holds what has no line end yet: a piece may end within a character or a control sequence.
#[derive(Debug, Default)]
pub(crate) struct Transcript {
    held: Vec<u8>,
}

impl Transcript {
    /// The whole lines within what came so far, harmless to print.
    pub(crate) fn push(&mut self, bytes: &[u8]) -> String {
        self.held.extend_from_slice(bytes);
        let end = match self.held.iter().rposition(|byte| *byte == b'\n') {
            Some(place) => place + 1,
            None if self.held.len() > MAX_HELD => self.held.len(),
            None => return String::new(),
        };
        let rest = self.held.split_off(end);
        let lines = std::mem::replace(&mut self.held, rest);
        sanitise::text(&String::from_utf8_lossy(&lines))
    }

    /// What is left when nothing more comes, with a line end.
    pub(crate) fn finish(&mut self) -> String {
        let rest = std::mem::take(&mut self.held);
        if rest.is_empty() { String::new() } else { sanitise::text(&String::from_utf8_lossy(&rest)) + "\n" }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_sequence_that_comes_in_two_pieces_is_not_obeyed() {
        let mut transcript = Transcript::default();
        let mut printed = transcript.push(b"one\ntwo \x1b");
        assert_eq!(printed, "one\n");
        printed.push_str(&transcript.push(b"[2J"));
        printed.push_str(&transcript.finish());
        assert_eq!(printed, "one\ntwo ␛[2J\n");
    }

    #[test]
    fn a_line_without_end_is_printed_before_it_fills_the_memory() {
        let mut transcript = Transcript::default();
        assert_eq!(transcript.push(&vec![b'x'; 2 * MAX_HELD]).len(), 2 * MAX_HELD);
    }

    proptest! {
        #[test]
        fn however_a_text_is_cut_it_reads_the_same(text in "(\\PC|\n|\u{1b}){0,40}", at in 0usize..40) {
            let bytes = text.as_bytes();
            let (head, tail) = bytes.split_at(at.min(bytes.len()));
            let mut cut = Transcript::default();
            let printed = cut.push(head) + &cut.push(tail) + &cut.finish();
            let mut whole = Transcript::default();
            prop_assert_eq!(printed, whole.push(bytes) + &whole.finish());
        }
    }
}
