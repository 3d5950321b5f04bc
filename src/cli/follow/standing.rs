//! Whether anything of some trees can still run.

use crate::{ids::Timestamp, protocol::report::TaskLine, vocabulary::UNBOUND_WAIT};

/// How trees of tasks stand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Standing {
    /// Something runs, or will without anybody's doing.
    Active,
    /// Nothing runs before a provider serves again.
    RateLimited {
        /// The earliest time; `None` where the store named none.
        until: Option<Timestamp>,
    },
    /// Whatever is left waits for a person or for something outside.
    Over,
}

/// How the trees with these lines stand.
///
/// A task that waits for another one counts for nothing by itself: either that one is active, or
/// both wait for ever.
pub(crate) fn standing<'a>(lines: impl IntoIterator<Item = &'a TaskLine>) -> Standing {
    let mut whole = Standing::Over;
    for line in lines {
        whole = match (one(line), whole) {
            (Standing::Active, _) => return Standing::Active,
            (Standing::RateLimited { until }, Standing::RateLimited { until: other }) => {
                Standing::RateLimited { until: until.into_iter().chain(other).min() }
            }
            (limited @ Standing::RateLimited { .. }, _) => limited,
            (Standing::Over, whole) => whole,
        };
    }
    whole
}

fn one(line: &TaskLine) -> Standing {
    match line.state.as_str() {
        // Nobody here waits for an agent that nobody watches.
        "running" if line.wait.as_deref() == Some(UNBOUND_WAIT) => Standing::Over,
        "running" => Standing::Active,
        "queued" => {
            let wait = line.wait.as_deref().unwrap_or_default();
            let (what, when) = wait.split_once(" until ").unwrap_or((wait, ""));
            match what.split(' ').next().unwrap_or_default() {
                "rate_limit" => Standing::RateLimited { until: Timestamp::parse(when) },
                "dependency" | "auth" | "failures" | "budget" | "attach" => Standing::Over,
                _ => Standing::Active,
            }
        }
        _ => Standing::Over,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::render::samples::line;

    fn of(tasks: &[(&str, Option<&str>)]) -> Standing {
        let lines: Vec<TaskLine> = tasks
            .iter()
            .map(|(state, wait)| TaskLine { wait: wait.map(str::to_owned), ..line(1, "task", state) })
            .collect();
        standing(&lines)
    }

    #[test]
    fn a_tree_is_active_while_anything_of_it_can_run() {
        for active in [
            ("running", None),
            ("queued", Some("slot")),
            ("queued", None),
            ("queued", Some("no store running")),
            ("queued", Some("retry until 2026-11-30T04:00:00.000Z")),
        ] {
            assert_eq!(of(&[("blocked", Some("answer to q1")), active]), Standing::Active, "{active:?}");
        }
    }

    #[test]
    fn a_tree_is_over_when_all_of_it_waits_for_something_outside() {
        for over in [
            ("completed", None),
            ("blocked", Some("answer to q1")),
            ("blocked", Some("subtasks t2")),
            ("queued", Some("dependency t9")),
            ("queued", Some("auth")),
            ("queued", Some("failures")),
            ("queued", Some("budget")),
            ("queued", Some("attach")),
            ("running", Some(UNBOUND_WAIT)),
            ("pending", Some("start")),
            ("ready", Some("review")),
            ("cancelled", None),
        ] {
            assert_eq!(of(&[("failed", None), over]), Standing::Over, "{over:?}");
        }
        assert_eq!(of(&[]), Standing::Over);
    }

    #[test]
    fn a_tree_that_only_waits_for_providers_waits_for_the_first_of_them() {
        let late = ("queued", Some("rate_limit until 2026-11-30T05:00:00.000Z"));
        let soon = ("queued", Some("rate_limit until 2026-11-30T04:00:00.000Z"));
        let until = Timestamp::parse("2026-11-30T04:00:00Z");
        assert_eq!(of(&[late, soon, ("blocked", None)]), Standing::RateLimited { until });
        assert_eq!(of(&[late, ("running", None)]), Standing::Active);
    }
}
