//! What stands on the screen, as a pure function of what the store says.

use std::{collections::HashMap, time::Duration};

use crate::{
    cli::{
        render::{self, Tone, paint},
        sanitise,
    },
    ids::{TaskNumber, Timestamp},
    protocol::{report::TaskLine, status::Status},
};

/// Which tasks are shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Shown {
    /// Those that have not ended, and those that ended a short while ago.
    Current,
    /// All there are.
    All,
}

/// How long a task that has ended is still shown.
const A_WHILE: Duration = Duration::from_secs(10 * 60);

/// A picture of `rows` lines of at most `columns` columns: a headline, a line for each task, and how many had no room.
pub(super) fn picture(
    status: &Status,
    lines: &[TaskLine],
    shown: Shown,
    now: Timestamp,
    (rows, columns): (usize, usize),
) -> String {
    let lines = chosen(lines, shown, now);
    let table = render::tasks(&lines, now, Some(columns));
    // The headline, an empty line and the last one, which says how many are left out.
    let room = rows.saturating_sub(3);
    let mut text = format!("{}\n\n", cut(&render::headline(status), columns));
    let all: Vec<&str> = table.lines().collect();
    for line in all.iter().take(room) {
        text.push_str(line);
        text.push('\n');
    }
    if let Some(left) = all.len().checked_sub(room).filter(|left| *left > 0) {
        text.push_str(&paint(Tone::Faint, &cut(&format!("and {left} more; Ctrl-C ends this"), columns)));
    } else {
        text.push_str(&paint(Tone::Faint, &cut("Ctrl-C ends this; runs go on", columns)));
    }
    text
}

/// Cut without its colours where it is too long for the screen.
fn cut(text: &str, columns: usize) -> String {
    let plain = anstream::adapter::strip_str(text).to_string();
    if sanitise::columns(&plain) <= columns { text.to_owned() } else { sanitise::cut(&plain, columns) }
}

/// A tree is shown whole as long as anything of it is.
fn chosen(lines: &[TaskLine], shown: Shown, now: Timestamp) -> Vec<TaskLine> {
    let current = |line: &TaskLine| {
        let ended = matches!(
            line.state.as_str(),
            "completed" | "failed" | "timed_out" | "cancelled" | "budget_exceeded"
        );
        !ended || now.since(line.updated_at) < A_WHILE
    };
    let root = |line: &TaskLine| {
        let mut root: &TaskLine = line;
        let parent_of = |number: TaskNumber| lines.iter().find(|other| other.number == number);
        while let Some(parent) = root.parent.and_then(parent_of) {
            root = parent;
        }
        root.number
    };
    // The rank of a tree is that of the liveliest of it: what a person has to see stands where there is room.
    let mut ranks: HashMap<TaskNumber, u8> = HashMap::new();
    for line in lines.iter().filter(|line| shown == Shown::All || current(line)) {
        let rank = ranks.entry(root(line)).or_insert(u8::MAX);
        *rank = (*rank).min(rank_of(&line.state));
    }
    let ranked = lines.iter().filter_map(|line| Some((*ranks.get(&root(line))?, line)));
    let mut ranked: Vec<(u8, &TaskLine)> = ranked.collect();
    ranked.sort_by_key(|(rank, _)| *rank);
    ranked.into_iter().map(|(_, line)| line.clone()).collect()
}

/// What runs, then what waits for a person, then what waits for its turn, then what is over.
fn rank_of(state: &str) -> u8 {
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
    use crate::cli::render::samples;

    fn status() -> Status {
        Status {
            version: "0.1.0".to_owned(),
            pid: 1,
            generation: 1,
            resident: true,
            running: 1,
            slots: 4,
            tasks: [("queued".to_owned(), 1)].into(),
            questions: 1,
            agents: Vec::new(),
            day: None,
            last_event: 0,
        }
    }

    fn drawn(shown: Shown, minutes: i64, size: (usize, usize)) -> String {
        let now = Timestamp::from_millis(samples::START + minutes * 60_000);
        let text = picture(&status(), &samples::lines(), shown, now, size);
        anstream::adapter::strip_str(&text).to_string()
    }

    #[test]
    fn a_picture_never_runs_over_the_screen_and_says_what_it_left_out() {
        for rows in 3..12 {
            for columns in [1, 10, 40, 80, 200] {
                let text = drawn(Shown::All, 3, (rows, columns));
                assert!(text.lines().count() <= rows, "{rows}×{columns}:\n{text}");
                assert!(
                    text.lines().all(|line| sanitise::columns(line) <= columns),
                    "{rows}×{columns}:\n{text}"
                );
            }
        }
        assert!(drawn(Shown::All, 3, (6, 80)).ends_with("and 3 more; Ctrl-C ends this"));
    }

    #[test]
    fn what_runs_and_what_waits_for_a_person_stand_first_where_there_is_little_room() {
        let of = |number: i64, state: &str| samples::line(number, "x", state);
        let lines =
            [of(1, "completed"), of(2, "queued"), of(3, "blocked"), of(4, "running"), of(5, "failed")];
        let chosen = chosen(&lines, Shown::All, Timestamp::from_millis(samples::START));
        let order: Vec<i64> = chosen.iter().map(|line| line.number.value()).collect();
        assert_eq!(order, [4, 3, 2, 1, 5]);
    }

    #[test]
    fn what_ended_a_while_ago_is_left_out_unless_it_is_asked_for() {
        let (before, later) = (drawn(Shown::Current, 3, (40, 120)), drawn(Shown::Current, 300, (40, 120)));
        assert!(before.contains("t4") && before.contains("t1"), "{before}");
        assert!(!later.contains("t4") && later.contains("t1") && later.contains("t2"), "{later}");
        assert!(drawn(Shown::All, 300, (40, 120)).contains("t4"));
        assert!(before.starts_with("1 of 4 running, 1 queued, 1 question open"), "{before}");
    }
}
