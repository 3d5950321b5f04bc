//! All that a process started, and all that those started.

use std::{
    collections::{HashMap, HashSet},
    io,
};

use super::{
    pid::Pid,
    running::{Process, all},
    stat::Stat,
};

/// Every living descendant of `pid`, of any session, without `pid` itself.
///
/// One look at `/proc`: what is started meanwhile may be missed, and an orphan has left the tree
/// unless `pid` is a child subreaper. Ended processes are left out, but what hangs below them is not.
pub fn descendants(pid: Pid) -> io::Result<Vec<Process>> {
    let all = all()?;
    Ok(below(&all, &[pid]).into_iter().filter(|(_, stat)| !stat.ended).map(|(process, _)| process).collect())
}

/// The processes among `all` that hang below one of `roots`, roots left out.
pub(super) fn below(all: &[(Process, Stat)], roots: &[Pid]) -> Vec<(Process, Stat)> {
    let mut children: HashMap<u32, Vec<&(Process, Stat)>> = HashMap::new();
    for entry in all {
        children.entry(entry.1.parent).or_default().push(entry);
    }
    let mut seen: HashSet<Pid> = roots.iter().copied().collect();
    let mut waiting: Vec<Pid> = roots.to_vec();
    let mut found = Vec::new();
    while let Some(parent) = waiting.pop() {
        for entry in children.get(&parent.get()).into_iter().flatten() {
            if seen.insert(entry.0.pid) {
                found.push(**entry);
                waiting.push(entry.0.pid);
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn entry(pid: u32, parent: u32) -> (Process, Stat) {
        let process = Process { pid: Pid::new(pid).unwrap(), started: 1 };
        (process, Stat { parent, group: 0, started: 1, worked: 0, waited: 0, ended: false })
    }

    #[test]
    fn grandchildren_are_found_and_neighbours_are_not() {
        let all = [entry(1, 0), entry(2, 1), entry(3, 2), entry(4, 3), entry(5, 1)];
        let mut pids: Vec<u32> =
            below(&all, &[Pid::new(2).unwrap()]).iter().map(|(process, _)| process.pid.get()).collect();
        pids.sort_unstable();
        assert_eq!(pids, [3, 4]);
    }

    proptest! {
        /// Reading `/proc` is no snapshot, so the parents may even form a ring.
        #[test]
        fn every_table_of_parents_is_walked_to_an_end(parents in proptest::collection::vec(0u32..20, 1..20)) {
            let all: Vec<_> = (1u32..).zip(&parents).map(|(pid, parent)| entry(pid, *parent)).collect();
            let found = below(&all, &[Pid::new(1).unwrap()]);
            prop_assert!(found.len() < all.len());
        }
    }
}
