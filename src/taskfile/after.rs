//! The order of the tasks of one file: names of predecessors resolved, no task before them.

use std::collections::HashMap;

use crate::{document::Faults, document::nearest, ids::TaskNumber};

/// A predecessor of a task.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AfterName {
    /// A task that exists already.
    Task(TaskNumber),
    /// The task at this place, from 0, of what was read: always before the one that names it.
    Place(usize),
}

/// A task as the file names it and its predecessors.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Named {
    /// Its name, where it has one.
    pub name: Option<String>,
    /// Where it begins.
    pub line: usize,
    /// Predecessors: names of tasks of the file, or numbers of existing tasks; each with its line.
    pub after: Vec<(String, usize)>,
}

/// The places of `tasks` in an order in which each stands behind its predecessors, otherwise that of
/// the file, and the predecessors of each by the *new* places. What can't be ordered is noted.
pub(super) fn order(tasks: &[Named], faults: &mut Faults) -> (Vec<usize>, Vec<Vec<AfterName>>) {
    let places = places(tasks, faults);
    let resolved: Vec<Vec<AfterName>> = tasks
        .iter()
        .map(|task| task.after.iter().filter_map(|one| resolve(one, &places, faults)).collect())
        .collect();
    let sequence = sequence(&resolved);
    if sequence.len() < tasks.len() {
        name_circles(tasks, &resolved, &sequence, faults);
    }
    let mut moved = vec![0; tasks.len()];
    for (new, old) in sequence.iter().enumerate() {
        moved[*old] = new;
    }
    let after = sequence
        .iter()
        .map(|old| {
            let moved = |after: &AfterName| match after {
                AfterName::Place(place) => AfterName::Place(moved[*place]),
                AfterName::Task(number) => AfterName::Task(*number),
            };
            resolved[*old].iter().map(moved).collect()
        })
        .collect();
    (sequence, after)
}

fn places<'a>(tasks: &'a [Named], faults: &mut Faults) -> HashMap<&'a str, usize> {
    let mut places: HashMap<&str, usize> = HashMap::new();
    for (place, task) in tasks.iter().enumerate() {
        let Some(name) = &task.name else { continue };
        match places.get(name.as_str()) {
            Some(first) => {
                let line = tasks[*first].line;
                faults.field(
                    task.line,
                    "name",
                    format!("`{name}` is already that of the task on line {line}"),
                );
            }
            None => {
                places.insert(name, place);
            }
        }
    }
    places
}

fn resolve(
    (name, line): &(String, usize),
    places: &HashMap<&str, usize>,
    faults: &mut Faults,
) -> Option<AfterName> {
    if let Some(place) = places.get(name.as_str()) {
        return Some(AfterName::Place(*place));
    }
    if let Ok(number) = name.parse() {
        return Some(AfterName::Task(number));
    }
    let hint = match nearest(name, places.keys().copied()) {
        Some(meant) => format!(": did you mean `{meant}`?"),
        None => " and is no task number such as `t12`".to_owned(),
    };
    faults.field(*line, "after", format!("names `{name}`, which is no task of this file{hint}"));
    None
}

/// Places in order, as far as they can be ordered.
fn sequence(resolved: &[Vec<AfterName>]) -> Vec<usize> {
    let mut waits: Vec<usize> = vec![0; resolved.len()];
    let mut followers: Vec<Vec<usize>> = vec![Vec::new(); resolved.len()];
    for (place, after) in resolved.iter().enumerate() {
        for before in after.iter().filter_map(place_of) {
            waits[place] += 1;
            followers[before].push(place);
        }
    }
    let free = waits.iter().enumerate().filter(|(_, count)| **count == 0);
    let mut ready: std::collections::BTreeSet<usize> = free.map(|(place, _)| place).collect();
    let mut sequence = Vec::new();
    while let Some(place) = ready.pop_first() {
        sequence.push(place);
        for follower in &followers[place] {
            waits[*follower] -= 1;
            if waits[*follower] == 0 {
                ready.insert(*follower);
            }
        }
    }
    sequence
}

/// Notes each circle once, in the words of the file.
fn name_circles(tasks: &[Named], resolved: &[Vec<AfterName>], ordered: &[usize], faults: &mut Faults) {
    let mut done = vec![false; tasks.len()];
    for place in ordered {
        done[*place] = true;
    }
    for start in 0..tasks.len() {
        // What could not be ordered has a predecessor that could not be either, so the walk comes
        // back to where it was, or ends in a circle that was named before.
        let mut walked: Vec<usize> = Vec::new();
        let mut at = Some(start).filter(|place| !done[*place]);
        while let Some(place) = at {
            if let Some(begin) = walked.iter().position(|seen| *seen == place) {
                note(tasks, &walked[begin..], faults);
                break;
            }
            walked.push(place);
            at = resolved[place].iter().filter_map(place_of).find(|before| !done[*before]);
        }
        for place in walked {
            done[place] = true;
        }
    }
}

fn note(tasks: &[Named], circle: &[usize], faults: &mut Faults) {
    let shown =
        |place: &usize| format!("`{}`", tasks[*place].name.as_deref().unwrap_or("a task without a name"));
    let mut names: Vec<String> = circle.iter().take(20).map(shown).collect();
    if circle.len() > names.len() {
        names.push("…".to_owned());
    }
    names.push(shown(&circle[0]));
    let first = &tasks[circle[0]];
    let line = first.after.first().map_or(first.line, |(_, line)| *line);
    faults.field(line, "after", format!("goes round in a circle: {}", names.join(" after ")));
}

fn place_of(after: &AfterName) -> Option<usize> {
    match after {
        AfterName::Place(place) => Some(*place),
        AfterName::Task(_) => None,
    }
}

#[cfg(test)]
mod tests;
