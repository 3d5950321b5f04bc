//! The tasks that belong to some roots.

use std::collections::{HashMap, HashSet};

use crate::{ids::TaskNumber, protocol::report::TaskLine};

/// The lines of `roots` and of everything below them, in the order given.
pub(crate) fn tree<'a>(lines: &'a [TaskLine], roots: &[TaskNumber]) -> Vec<&'a TaskLine> {
    let mut within: HashSet<TaskNumber> = roots.iter().copied().collect();
    // A parent is submitted before its children, so its number is smaller.
    let mut sorted: Vec<&TaskLine> = lines.iter().collect();
    sorted.sort_by_key(|line| line.number);
    for line in sorted {
        if line.parent.is_some_and(|parent| within.contains(&parent)) {
            within.insert(line.number);
        }
    }
    lines.iter().filter(|line| within.contains(&line.number)).collect()
}

/// The root above each of `tasks`, each once, in their order. A parent that is not among `lines`
/// counts as none.
pub(crate) fn roots(lines: &[TaskLine], tasks: &[TaskNumber]) -> Vec<TaskNumber> {
    let parents: HashMap<TaskNumber, TaskNumber> =
        lines.iter().filter_map(|line| Some((line.number, line.parent?))).collect();
    let known: HashSet<TaskNumber> = lines.iter().map(|line| line.number).collect();
    let mut roots = Vec::new();
    for task in tasks {
        let mut root = *task;
        // A parent's number is smaller, so this ends.
        while let Some(parent) = parents.get(&root).filter(|parent| **parent < root && known.contains(parent))
        {
            root = *parent;
        }
        if !roots.contains(&root) {
            roots.push(root);
        }
    }
    roots
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::render::samples::line;

    fn child(number: i64, parent: i64) -> TaskLine {
        TaskLine { parent: Some(TaskNumber::new(parent)), ..line(number, "child", "queued") }
    }

    #[test]
    fn a_tree_is_its_root_and_everything_below() {
        let lines =
            [child(4, 3), child(3, 1), child(5, 2), line(2, "other", "running"), line(1, "root", "running")];
        let numbers: Vec<i64> =
            tree(&lines, &[TaskNumber::new(1)]).iter().map(|line| line.number.value()).collect();
        assert_eq!(numbers, [4, 3, 1]);
        assert!(tree(&lines, &[]).is_empty());
    }

    #[test]
    fn the_root_of_a_task_is_the_one_above_all() {
        let lines = [line(1, "root", "blocked"), child(3, 1), child(4, 3), line(2, "other", "queued")];
        let found = roots(&lines, &[4, 2, 3].map(TaskNumber::new));
        assert_eq!(found, [1, 2].map(TaskNumber::new));
    }
}
