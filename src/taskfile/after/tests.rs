use proptest::prelude::*;

use super::*;

fn named(tasks: &[(&str, &[&str])]) -> Vec<Named> {
    let one = |(place, (name, after)): (usize, &(&str, &[&str]))| Named {
        name: Some((*name).to_owned()),
        line: place + 1,
        after: after.iter().map(|name| ((*name).to_owned(), place + 1)).collect(),
    };
    tasks.iter().enumerate().map(one).collect()
}

fn faults(tasks: &[(&str, &[&str])]) -> Vec<String> {
    let mut faults = Faults::default();
    order(&named(tasks), &mut faults);
    faults.into_result(()).unwrap_err().iter().map(ToString::to_string).collect()
}

#[test]
fn a_task_stands_behind_its_predecessors_and_else_where_it_was() {
    let mut faults = Faults::default();
    let tasks = named(&[("c", &["a", "b"]), ("a", &[]), ("b", &["a", "t12"]), ("d", &[])]);
    let (sequence, after) = order(&tasks, &mut faults);
    assert_eq!(sequence, [1, 2, 0, 3]);
    let place = AfterName::Place;
    let expected =
        [vec![], vec![place(0), AfterName::Task(TaskNumber::new(12))], vec![place(0), place(1)], vec![]];
    assert_eq!(after, expected);
    assert_eq!(faults.count(), 0);
}

#[test]
fn a_name_of_the_file_wins_over_a_number() {
    let mut faults = Faults::default();
    let (_, after) = order(&named(&[("t12", &[]), ("x", &["t12"])]), &mut faults);
    assert_eq!(after[1], [AfterName::Place(0)]);
}

#[test]
fn every_circle_is_named_once() {
    let found = faults(&[("a", &["b"]), ("b", &["a"]), ("c", &["c"]), ("d", &["a", "c"])]);
    assert_eq!(
        found,
        [
            "1: `after` goes round in a circle: `a` after `b` after `a`",
            "3: `after` goes round in a circle: `c` after `c`",
        ]
    );
}

#[test]
fn names_that_stand_twice_or_nowhere_are_refused() {
    let found = faults(&[("build", &[]), ("build", &["biuld"])]);
    assert_eq!(
        found,
        [
            "2: `after` names `biuld`, which is no task of this file: did you mean `build`?",
            "2: `name` `build` is already that of the task on line 1",
        ]
    );
}

proptest! {
    #[test]
    fn what_is_ordered_only_looks_back(edges in proptest::collection::vec((0usize..12, 0usize..12), 0..30)) {
        let names: Vec<String> = (0..12).map(|place| format!("n{place}")).collect();
        let mut tasks: Vec<Named> =
            names.iter().map(|name| Named { name: Some(name.clone()), line: 1, after: vec![] }).collect();
        for (task, before) in edges {
            tasks[task].after.push((names[before].clone(), 1));
        }
        let mut faults = Faults::default();
        let (sequence, after) = order(&tasks, &mut faults);
        prop_assert_eq!(sequence.len() == tasks.len(), faults.count() == 0);
        if faults.count() == 0 {
            for (place, after) in after.iter().enumerate() {
                for before in after {
                    prop_assert!(matches!(before, AfterName::Place(before) if *before < place));
                }
            }
        }
    }
}
