//! Sizes such as `20GiB`.

use crate::document::{Entry, Faults, text};

/// The units of a size, each 1024 times the one before.
const UNITS: [&str; 4] = ["KiB", "MiB", "GiB", "TiB"];

/// Reads a size in bytes; `within` is the table that `entry` stands in.
pub(super) fn size(entry: &Entry, within: &str, faults: &mut Faults) -> Option<u64> {
    let field = format!("{within}.{}", entry.key);
    let size = bytes(text(&entry.value, &field, faults)?);
    if size.is_none() {
        faults.field(entry.line, field, "must be a whole number and a unit, as in `500MiB` or `20GiB`");
    }
    size
}

/// A size such as `500MiB` in bytes.
fn bytes(text: &str) -> Option<u64> {
    let unit = UNITS.iter().position(|unit| text.ends_with(unit))?;
    let number = text[..text.len() - UNITS[unit].len()].trim_end();
    if !number.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    number.parse::<u64>().ok()?.checked_mul(1 << (10 * (unit + 1)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_size_is_a_whole_number_and_a_unit() {
        let sizes = ["1KiB", "500 MiB", "20GiB", "2TiB"].map(bytes);
        assert_eq!(sizes, [Some(1 << 10), Some(500 << 20), Some(20 << 30), Some(2 << 40)]);
        for wrong in ["", "5", "GiB", "5GB", "-1GiB", "1.5GiB", "99999999999TiB"] {
            assert_eq!(bytes(wrong), None, "{wrong}");
        }
    }
}
