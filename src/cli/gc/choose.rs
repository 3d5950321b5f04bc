//! Which remains go: by age, and beyond that for room. Pure, but for the look into sandboxes that it asks for.

use std::{collections::BTreeSet, time::Duration};

use crate::{
    ids::{TaskNumber, Timestamp},
    protocol::remains::Remains,
};

/// What a person keeps, and for how long.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Policy {
    /// How long behind its end what a task left stays.
    pub(crate) keep: Duration,
    /// What all sandboxes and logs may take, in bytes.
    pub(crate) max_disk: Option<u64>,
    /// How long it stays whose work is merged; as all other where absent.
    pub(crate) keep_merged: Option<Duration>,
    /// How long callbox's own branches stay that are merged; for ever where absent.
    pub(crate) keep_branches: Option<Duration>,
    /// What these left goes at any age, whatever stands in it.
    pub(crate) drop: Vec<TaskNumber>,
}

/// Why something goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Why {
    /// It is old enough.
    Age,
    /// Its work is merged, and it is old enough for that.
    Merged,
    /// Something has to, and of what may go it is the oldest.
    Room,
    /// The person named it.
    Wish,
}

impl Why {
    /// As the JSON says it.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Age => "age",
            Self::Merged => "merged",
            Self::Room => "room",
            Self::Wish => "wish",
        }
    }
}

/// Whose turn it is.
#[derive(Debug, Clone, Copy)]
pub(super) struct Turn<'a> {
    pub(super) policy: &'a Policy,
    /// Tasks all of whose work is merged.
    pub(super) merged: &'a BTreeSet<TaskNumber>,
    pub(super) now: Timestamp,
}

impl Turn<'_> {
    fn why(&self, remains: &Remains) -> Option<Why> {
        let Self { policy, merged, now } = *self;
        let age = now.since(remains.ended_at);
        let may_be_merged = policy.keep_merged.is_some_and(|keep| age >= keep);
        if policy.drop.contains(&remains.task) {
            Some(Why::Wish)
        } else if age >= policy.keep {
            Some(Why::Age)
        } else {
            (may_be_merged && merged.contains(&remains.task)).then_some(Why::Merged)
        }
    }
}

/// What becomes of the remains of one task.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Fate<'a> {
    pub(super) remains: &'a Remains,
    /// In bytes.
    pub(super) size: u64,
    /// Why it goes, or why it stays although it is its turn.
    pub(super) verdict: Result<Why, String>,
}

/// Decides about `all`, the oldest first, of which each takes so many bytes of `taken`. `held` says what would be
/// lost with a task's sandboxes; it takes a while and is only asked of what would go.
pub(super) fn choose<'a>(
    all: &'a [(Remains, u64)],
    taken: u64,
    turn: Turn<'_>,
    mut held: impl FnMut(&Remains) -> Option<String>,
) -> Vec<Fate<'a>> {
    let mut taken = taken;
    let mut fates = Vec::new();
    let mut later = Vec::new();
    for (remains, size) in all {
        let Some(why) = turn.why(remains) else {
            later.push((remains, *size));
            continue;
        };
        fates.push(fate(remains, *size, why, &mut held));
        taken = left(taken, fates.last());
    }
    for (remains, size) in later {
        if turn.policy.max_disk.is_none_or(|most| taken <= most) {
            break;
        }
        fates.push(fate(remains, size, Why::Room, &mut held));
        taken = left(taken, fates.last());
    }
    fates
}

fn fate<'a>(
    remains: &'a Remains,
    size: u64,
    why: Why,
    held: &mut impl FnMut(&Remains) -> Option<String>,
) -> Fate<'a> {
    let reason = match (&remains.needed, why) {
        (Some(needed), _) => Some(needed.clone()),
        (None, Why::Wish) => None,
        (None, Why::Age | Why::Merged | Why::Room) => held(remains),
    };
    Fate { remains, size, verdict: reason.map_or(Ok(why), Err) }
}

fn left(taken: u64, fate: Option<&Fate<'_>>) -> u64 {
    let gone = fate.filter(|fate| fate.verdict.is_ok()).map_or(0, |fate| fate.size);
    taken.saturating_sub(gone)
}

#[cfg(test)]
mod tests {
    use super::*;

    const DAY: Duration = Duration::from_secs(86_400);

    fn now() -> Timestamp {
        Timestamp::from_millis(100 * 86_400_000)
    }

    /// Tasks that ended so many days ago, the oldest first, of ten bytes each.
    fn ended(days: &[u32]) -> Vec<(Remains, u64)> {
        let remains = |(place, days): (usize, &u32)| Remains {
            task: TaskNumber::new(i64::try_from(place).unwrap() + 1),
            name: "n".to_owned(),
            state: "completed".to_owned(),
            ended_at: Timestamp::from_millis((100 - i64::from(*days)) * 86_400_000),
            project: None,
            submodules: false,
            needed: None,
            sandboxes: Vec::new(),
            others: Vec::new(),
            handed: Vec::new(),
            patched: None,
        };
        days.iter().enumerate().map(|pair| (remains(pair), 10)).collect()
    }

    fn policy(days: u32, max_disk: Option<u64>) -> Policy {
        Policy { keep: DAY * days, max_disk, keep_merged: None, keep_branches: None, drop: Vec::new() }
    }

    /// The fates of `all` where nothing is merged.
    fn chosen<'a>(
        all: &'a [(Remains, u64)],
        taken: u64,
        policy: &Policy,
        held: impl FnMut(&Remains) -> Option<String>,
    ) -> Vec<Fate<'a>> {
        choose(all, taken, Turn { policy, merged: &BTreeSet::new(), now: now() }, held)
    }

    fn numbers(fates: &[Fate<'_>]) -> Vec<(i64, Result<Why, String>)> {
        fates.iter().map(|fate| (fate.remains.task.value(), fate.verdict.clone())).collect()
    }

    #[test]
    fn what_is_old_enough_goes_and_nothing_younger() {
        let all = ended(&[30, 8, 7, 6, 0]);
        let fates = chosen(&all, 50, &policy(7, None), |_| None);
        assert_eq!(numbers(&fates), [1, 2, 3].map(|number| (number, Ok(Why::Age))));
    }

    #[test]
    fn for_room_the_oldest_go_until_the_rest_fits_and_no_more() {
        let all = ended(&[30, 6, 5, 4, 3]);
        let fates = chosen(&all, 50, &policy(7, Some(20)), |_| None);
        let expected = [(1, Ok(Why::Age)), (2, Ok(Why::Room)), (3, Ok(Why::Room))];
        assert_eq!(numbers(&fates), expected);
        // Other things take room too, and go no sooner for it.
        let fates = chosen(&all, 1000, &policy(7, Some(20)), |_| None);
        assert_eq!(fates.len(), 5);
    }

    #[test]
    fn work_that_stands_nowhere_else_stays_and_frees_no_room() {
        let all = ended(&[30, 6, 5, 4]);
        let held = |remains: &Remains| matches!(remains.task.value(), 1 | 3).then(|| "work".to_owned());
        let fates = chosen(&all, 40, &policy(7, Some(20)), held);
        let stays = || Err("work".to_owned());
        assert_eq!(numbers(&fates), [(1, stays()), (2, Ok(Why::Room)), (3, stays()), (4, Ok(Why::Room))]);
    }

    #[test]
    fn a_wish_goes_before_age_and_work_but_not_before_what_is_needed() {
        let mut all = ended(&[30, 1, 1]);
        all[2].0.needed = Some("it goes on".to_owned());
        let drop = [2, 3].map(TaskNumber::new).to_vec();
        let fates = chosen(&all, 30, &Policy { drop, ..policy(60, None) }, |_| Some("work".to_owned()));
        assert_eq!(numbers(&fates), [(2, Ok(Why::Wish)), (3, Err("it goes on".to_owned()))]);
    }

    #[test]
    fn no_sandbox_is_looked_into_that_stays_anyway() {
        let all = ended(&[30, 1]);
        let mut asked = Vec::new();
        chosen(&all, 20, &policy(7, Some(20)), |remains| {
            asked.push(remains.task.value());
            None
        });
        assert_eq!(asked, [1]);
    }

    #[test]
    fn what_is_merged_goes_earlier_and_only_where_that_is_wanted() {
        let all = ended(&[3, 3, 1, 1]);
        let merged = [2, 4].map(TaskNumber::new).into();
        let fates = |keep_merged| {
            let policy = Policy { keep_merged, ..policy(7, None) };
            numbers(&choose(&all, 40, Turn { policy: &policy, merged: &merged, now: now() }, |_| None))
        };
        assert_eq!(fates(None), []);
        assert_eq!(fates(Some(DAY * 2)), [(2, Ok(Why::Merged))]);
        let held = |remains: &Remains| Some(remains.name.clone());
        let policy = Policy { keep_merged: Some(DAY), ..policy(7, None) };
        let stays = choose(&all, 40, Turn { policy: &policy, merged: &merged, now: now() }, held);
        assert!(stays.iter().all(|fate| fate.verdict.is_err()), "what stands in a sandbox alone stays");
    }
}
