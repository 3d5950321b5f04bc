//! How what was read is written down for people.

use super::{
    Read,
    shorten::{cut, shorten},
    telling::SHOWN,
};
use crate::vocabulary::Fact;

/// How much of a line that is no event is kept, in characters.
const STRAY: usize = 2000;

/// What the agent does now.
pub(super) fn activity(text: &str) -> Read {
    Read::Fact(Fact::Activity { text: shorten(text, SHOWN) })
}

/// A line that is no event may be words of the program all the same.
pub(super) fn stray(line: &[u8]) -> Vec<Read> {
    if line.first() == Some(&b'{') || line.trim_ascii().is_empty() {
        return Vec::new();
    }
    let head = &line[..line.len().min(4 * STRAY)];
    vec![Read::Text(cut(&String::from_utf8_lossy(head), STRAY))]
}
