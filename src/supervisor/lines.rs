//! Output cut into lines, however it arrives and however long they are.

/// The longest line an adapter is given, in bytes; a longer one is left out whole.
pub(super) const MAX_LINE: usize = 16 << 20;

/// Holds what has no line end yet.
#[derive(Debug)]
pub(super) struct Lines {
    held: Vec<u8>,
    limit: usize,
    skipping: bool,
    left_out: u64,
}

impl Lines {
    /// Lines of at most [`MAX_LINE`] bytes.
    pub(super) fn new() -> Self {
        Self::of_at_most(MAX_LINE)
    }

    fn of_at_most(limit: usize) -> Self {
        Self { held: Vec::new(), limit, skipping: false, left_out: 0 }
    }

    /// Gives `each` the lines that end within `bytes`, without their ends.
    pub(super) fn push(&mut self, bytes: &[u8], mut each: impl FnMut(&[u8])) {
        let mut pieces = bytes.split(|byte| *byte == b'\n');
        let last = pieces.next_back().unwrap_or_default();
        for piece in pieces {
            self.hold(piece);
            if !self.skipping {
                each(&self.held);
            }
            self.held.clear();
            self.skipping = false;
        }
        self.hold(last);
        // What one long line took is given back.
        if self.held.is_empty() {
            self.held.shrink_to(1 << 16);
        }
    }

    /// Gives `each` what stands behind the last line end.
    pub(super) fn finish(&mut self, mut each: impl FnMut(&[u8])) {
        if !self.skipping && !self.held.is_empty() {
            each(&self.held);
        }
        self.held.clear();
        self.skipping = false;
    }

    /// How many lines were too long.
    pub(super) fn left_out(&self) -> u64 {
        self.left_out
    }

    fn hold(&mut self, piece: &[u8]) {
        if self.skipping {
            return;
        }
        if self.held.len() + piece.len() > self.limit {
            self.skipping = true;
            self.left_out += 1;
            self.held.clear();
            return;
        }
        self.held.extend_from_slice(piece);
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn cut(limit: usize, pieces: &[&[u8]]) -> (Vec<Vec<u8>>, u64) {
        let (mut lines, mut found) = (Lines::of_at_most(limit), Vec::new());
        for piece in pieces {
            lines.push(piece, |line| found.push(line.to_vec()));
        }
        lines.finish(|line| found.push(line.to_vec()));
        (found, lines.left_out())
    }

    #[test]
    fn a_last_line_without_an_end_is_a_line() {
        assert_eq!(cut(9, &[b"one\ntw", b"o"]), (vec![b"one".to_vec(), b"two".to_vec()], 0));
        assert_eq!(cut(9, &[b"one\n"]), (vec![b"one".to_vec()], 0));
    }

    #[test]
    fn a_line_beyond_the_limit_is_left_out_and_the_next_is_not() {
        assert_eq!(cut(3, &[b"ab", b"cd", b"ef\ngh\n"]), (vec![b"gh".to_vec()], 1));
        assert_eq!(cut(3, &[b"abcd"]), (vec![], 1));
    }

    proptest! {
        #[test]
        fn it_does_not_matter_how_output_arrives(
            bytes in proptest::collection::vec(prop_oneof![Just(b'\n'), any::<u8>()], 0..60),
            size in 1usize..10,
        ) {
            let pieces: Vec<&[u8]> = bytes.chunks(size).collect();
            prop_assert_eq!(cut(8, &pieces), cut(8, &[&bytes]));
        }
    }
}
