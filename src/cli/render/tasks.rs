//! `callbox ls`: tasks as a tree.

use std::collections::{HashMap, HashSet};

use super::{
    amounts::{ago, counted, dollars},
    standing,
    style::Tone,
    table::{Cell, Column, table},
};
use crate::{
    ids::{TaskNumber, Timestamp},
    protocol::report::TaskLine,
};

/// A table of tasks, one a line, cut to `width` columns where there is a terminal.
pub(crate) fn tasks(lines: &[TaskLine], now: Timestamp, width: Option<usize>) -> String {
    if lines.is_empty() {
        return "no tasks\n".to_owned();
    }
    let columns = [
        Column { heading: "TASK", limit: 8 },
        Column { heading: "STATE", limit: 16 },
        Column { heading: "NAME", limit: 40 },
        Column { heading: "AGENT", limit: 16 },
        Column { heading: "AGE", limit: 8 },
        Column { heading: "COST", limit: 10 },
        Column { heading: "NOW", limit: 120 },
    ];
    let rows: Vec<_> = in_trees(lines).into_iter().map(|(depth, line)| row(line, depth, now)).collect();
    table(&columns, &rows, width)
}

/// The lines with each subtask below its parent, and how deep it stands there. One whose parent is not among the lines
/// stands for itself.
fn in_trees(lines: &[TaskLine]) -> Vec<(usize, &TaskLine)> {
    let listed: HashSet<TaskNumber> = lines.iter().map(|line| line.number).collect();
    let mut children: HashMap<Option<TaskNumber>, Vec<&TaskLine>> = HashMap::new();
    for line in lines {
        children.entry(line.parent.filter(|parent| listed.contains(parent))).or_default().push(line);
    }
    let mut ordered = Vec::with_capacity(lines.len());
    let mut next: Vec<(usize, &TaskLine)> = Vec::new();
    let add = |next: &mut Vec<_>, of: Option<TaskNumber>, depth: usize| {
        next.extend(children.get(&of).into_iter().flatten().rev().map(|line| (depth, *line)));
    };
    add(&mut next, None, 0);
    while let Some((depth, line)) = next.pop() {
        ordered.push((depth, line));
        add(&mut next, Some(line.number), depth + 1);
    }
    ordered
}

fn row(line: &TaskLine, depth: usize, now: Timestamp) -> [Cell; 7] {
    let name = match (line.parent, depth) {
        (Some(parent), 0) => format!("{parent} › {}", line.name),
        (_, 0) => line.name.clone(),
        (_, depth) => format!("{}└ {}", "  ".repeat(depth - 1), line.name),
    };
    [
        Cell::toned(Tone::Name, &line.number.to_string()),
        Cell::toned(standing::tone(&line.state), &standing::words(&line.state)),
        Cell::plain(&name),
        Cell::plain(&agent(line)),
        Cell::toned(Tone::Faint, &ago(line.created_at, now)),
        Cell::plain(&line.cost_usd.map(dollars).unwrap_or_default()),
        Cell::plain(&now_doing(line)),
    ]
}

/// Which agent it is for, and which one that came to.
fn agent(line: &TaskLine) -> String {
    match &line.picked_agent {
        Some(picked) => format!("{}: {picked}", line.agent),
        None => line.agent.clone(),
    }
}

/// What it waits for, else what it does, else what it left behind.
fn now_doing(line: &TaskLine) -> String {
    let mut words = line
        .wait
        .as_ref()
        .map(|wait| format!("waits: {wait}"))
        .or_else(|| line.activity.clone().filter(|_| line.state == "running"))
        .or_else(|| line.branch.clone())
        .unwrap_or_default();
    if line.questions > 0 && line.state != "blocked" {
        let separator = if words.is_empty() { "" } else { ", " };
        words = format!("{words}{separator}{} open", counted(line.questions, "question"));
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::{render::samples, sanitise};

    fn printed(lines: &[TaskLine], width: Option<usize>) -> String {
        let now = Timestamp::from_millis(samples::START + 200_000);
        anstream::adapter::strip_str(&tasks(lines, now, width)).to_string()
    }

    #[test]
    fn tasks_stand_in_columns_with_what_they_wait_for() {
        insta::assert_snapshot!(printed(&samples::lines(), None), @"
        TASK  STATE      NAME                      AGENT     AGE    COST   NOW
        t1    running    greet in three languages  scripted  3 min  $0.25  Bash: cargo test
        t2    queued     └ translate               scripted  3 min         waits: slot
        t3    blocked    mend the parser           scripted  3 min         waits: answer to q1
        t4    completed  日本語の名前              scripted  3 min         callbox/4-task
        t5    timed out  too slow                  scripted  3 min
        ");
    }

    #[test]
    fn subtasks_stand_below_their_parents_in_order_and_without_them_for_themselves() {
        let of = |number: i64, parent: Option<i64>| TaskLine {
            parent: parent.map(TaskNumber::new),
            ..samples::line(number, "x", "queued")
        };
        let lines = [
            of(1, None),
            of(2, None),
            of(3, Some(1)),
            of(4, Some(2)),
            of(5, Some(3)),
            of(6, Some(1)),
            of(8, Some(7)),
        ];
        let ordered: Vec<_> =
            in_trees(&lines).iter().map(|(depth, line)| (line.number.value(), *depth)).collect();
        assert_eq!(ordered, [(1, 0), (3, 1), (5, 2), (6, 1), (2, 0), (4, 1), (8, 0)]);
        let printed = printed(&lines, None);
        assert!(printed.contains("  └ x") && printed.contains("t7 › x"), "{printed}");
    }

    #[test]
    fn a_table_never_runs_over_the_terminal() {
        for width in 0..140 {
            for line in printed(&samples::lines(), Some(width)).lines() {
                assert!(sanitise::columns(line) <= width, "{width}: {line:?}");
            }
        }
    }

    #[test]
    fn a_hostile_name_moves_no_terminal() {
        let mut lines = samples::lines();
        lines[0].name = "x\u{1b}[2J\u{202e}\r\nt9  completed".to_owned();
        let printed = printed(&lines, None);
        assert_eq!(printed.lines().count(), lines.len() + 1);
        assert!(printed.chars().all(|letter| letter == '\n' || !letter.is_control()));
    }

    #[test]
    fn no_tasks_are_said_in_words() {
        assert_eq!(tasks(&[], Timestamp::from_millis(0), None), "no tasks\n");
    }
}
