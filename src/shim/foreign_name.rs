//! Names that somebody else made up, fit to be repeated in a message.

const MAX_CHARACTERS: usize = 60;

/// `name` shortened, and without control characters.
pub(super) fn foreign_name(name: &str) -> String {
    name.chars().take(MAX_CHARACTERS).flat_map(char::escape_debug).collect()
}
