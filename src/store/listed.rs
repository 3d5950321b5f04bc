//! Which tasks a list of limited length shows. Pure.

use std::cmp::Reverse;

use crate::ids::TaskNumber;

/// The numbers of the `limit` most telling of the tasks `all`, each with the name of its state.
pub(super) fn most_telling<'a>(
    all: impl IntoIterator<Item = (TaskNumber, &'a str)>,
    limit: u32,
) -> Vec<TaskNumber> {
    let mut ranked: Vec<_> = all.into_iter().map(|(number, state)| (rank(state), Reverse(number))).collect();
    let limit = usize::try_from(limit).unwrap_or(usize::MAX).min(ranked.len());
    if limit < ranked.len() {
        ranked.select_nth_unstable(limit);
    }
    ranked.truncate(limit);
    ranked.into_iter().map(|(_, Reverse(number))| number).collect()
}

/// What runs, what a person has to do something about, what waits by itself, what is over.
fn rank(state: &str) -> u8 {
    match state {
        "running" => 0,
        "blocked" | "ready" => 1,
        "queued" | "pending" => 2,
        _ => 3,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_runs_and_what_waits_for_a_person_come_before_all_other_and_the_newest_among_equals() {
        let states = ["running", "completed", "blocked", "queued", "failed", "blocked", "pending", "ready"];
        let all = || states.iter().zip(1..).map(|(state, number)| (TaskNumber::new(number), *state));
        let listed = |limit| {
            let mut listed: Vec<i64> =
                most_telling(all(), limit).into_iter().map(TaskNumber::value).collect();
            listed.sort_unstable();
            listed
        };
        assert_eq!(listed(0), [0; 0]);
        assert_eq!(listed(1), [1]);
        assert_eq!(listed(3), [1, 6, 8]);
        assert_eq!(listed(5), [1, 3, 6, 7, 8]);
        assert_eq!(listed(7), [1, 3, 4, 5, 6, 7, 8]);
        assert_eq!(listed(99).len(), 8);
    }
}
