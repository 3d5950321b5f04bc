//! The tasks that belong to some roots.

use std::collections::HashSet;

use crate::{ids::TaskNumber, protocol::report::TaskLine};

/// The lines of `roots` and of everything below them, in the order given.
pub fn tree<'a>(lines: &'a [TaskLine], roots: &[TaskNumber]) -> Vec<&'a TaskLine> {
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
}
