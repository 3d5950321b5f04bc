//! Ten ports for whatever a run wants to listen on, so that tasks that work at the same time do not meet.

use std::{
    net::{Ipv4Addr, TcpListener},
    ops::RangeInclusive,
};

use crate::ids::TaskNumber;

/// The name of the variable that holds the first of them.
pub(super) const PORT_VARIABLE: &str = "CALLBOX_PORT";
/// How many there are.
const PORTS: u16 = 10;
/// Where they are looked for: below the range from which the kernel gives out ports by itself.
const RANGE: RangeInclusive<u16> = 20_000..=29_999;

/// The first of ten ports that are free on this machine now. Tasks begin to look at different places, so that
/// even those that start at the same moment find different ones. Nobody holds the ports: whoever else takes one
/// before the run does has it.
pub(super) fn first_of_ten(task: TaskNumber) -> Option<u16> {
    first_of(task, |port| TcpListener::bind((Ipv4Addr::LOCALHOST, port)).is_ok())
}

fn first_of(task: TaskNumber, is_free: impl Fn(u16) -> bool) -> Option<u16> {
    let blocks = (RANGE.end() - RANGE.start() + 1) / PORTS;
    let begin = u16::try_from(task.value().unsigned_abs() % u64::from(blocks)).unwrap_or(0);
    let blocks = (begin..blocks).chain(0..begin).map(|block| RANGE.start() + block * PORTS);
    blocks.into_iter().find(|first| (*first..*first + PORTS).all(&is_free))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn tasks_have_ports_of_their_own_and_one_task_always_the_same() {
        let first = |task| first_of(TaskNumber::new(task), |_| true).unwrap();
        let firsts: BTreeSet<u16> = (1..=1000).map(first).collect();
        assert_eq!(firsts.len(), 1000);
        assert!(firsts.iter().all(|first| RANGE.contains(first) && RANGE.contains(&(first + 9))));
        assert_eq!(first(7), first(7));
        assert_eq!(first(1001), first(1));
    }

    #[test]
    fn a_port_that_is_taken_moves_all_ten_and_without_any_there_are_none() {
        let task = TaskNumber::new(999);
        let free = first_of(task, |_| true).unwrap();
        assert_eq!(first_of(task, |port| port != free + 9), Some(*RANGE.start()));
        assert_eq!(first_of(task, |_| false), None);
    }

    #[test]
    fn a_port_that_somebody_listens_on_is_not_given_out() {
        let task = TaskNumber::new(3);
        let first = first_of_ten(task).unwrap();
        let _held = TcpListener::bind((Ipv4Addr::LOCALHOST, first + 4)).unwrap();
        assert_ne!(first_of_ten(task), Some(first));
    }
}
