//! What a person may have meant by a name that does not exist.

/// The one of `known` that is nearest to `given`, if any is near enough to be a slip: at most a
/// third of its letters differ.
pub fn nearest<'a>(given: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let given: Vec<char> = given.chars().take(64).flat_map(char::to_lowercase).collect();
    known
        .into_iter()
        .map(|name| (distance(&given, &name.chars().collect::<Vec<_>>()), name))
        .filter(|(distance, name)| *distance * 3 <= name.chars().count().max(3))
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, name)| name)
}

/// How many letters must be changed, added, left out or swapped with their neighbour.
fn distance(left: &[char], right: &[char]) -> usize {
    let mut before: Vec<usize> = Vec::new();
    let mut above: Vec<usize> = (0..=right.len()).collect();
    for (i, a) in left.iter().enumerate() {
        let mut row = vec![i + 1];
        for (j, b) in right.iter().enumerate() {
            let mut best = (above[j] + usize::from(a != b)).min(above[j + 1] + 1).min(row[j] + 1);
            if i > 0 && j > 0 && *a == right[j - 1] && left[i - 1] == *b {
                best = best.min(before[j - 1] + 1);
            }
            row.push(best);
        }
        before = std::mem::replace(&mut above, row);
    }
    above[right.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    const NAMES: [&str; 4] = ["name", "timeout", "instructions", "idle_timeout"];

    #[test]
    fn a_slip_finds_the_name_that_was_meant() {
        for (given, meant) in [
            ("tiemout", "timeout"),
            ("time_out", "timeout"),
            ("Timeout", "timeout"),
            ("instruction", "instructions"),
            ("nmae", "name"),
        ] {
            assert_eq!(nearest(given, NAMES), Some(meant), "{given}");
        }
    }

    #[test]
    fn what_resembles_nothing_finds_nothing() {
        for given in ["", "x", "colour", &"n".repeat(10_000)] {
            assert_eq!(nearest(given, NAMES), None);
        }
    }
}
