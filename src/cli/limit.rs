//! How many lines of a list are printed, and that there may be more.

use super::{context::Format, output};

/// What a person can look through. Ten thousand lines would scroll by and take their time.
const LINES: u32 = 500;

/// What is asked of the store: as many as `wanted`, all where that is 0. A person gets a screenful or ten, and a program
/// all, where nothing is said.
pub(crate) fn of(wanted: Option<u32>, format: Format) -> Option<u32> {
    match (wanted, format) {
        (Some(0), _) | (None, Format::Json) => None,
        (Some(wanted), _) => Some(wanted),
        (None, Format::Text) => Some(LINES),
    }
}

/// Says that `shown` are as many as `limit` allows, and which.
pub(crate) fn say_reached(limit: Option<u32>, shown: usize, which: &str) {
    if limit.is_some_and(|limit| usize::try_from(limit).is_ok_and(|limit| shown >= limit)) {
        output::say(format!("these are {which} {shown}; `--limit 0` lists all"));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_person_is_given_what_can_be_looked_through_and_a_program_all() {
        assert_eq!((of(None, Format::Text), of(None, Format::Json)), (Some(LINES), None));
        assert_eq!((of(Some(0), Format::Text), of(Some(7), Format::Json)), (None, Some(7)));
    }
}
