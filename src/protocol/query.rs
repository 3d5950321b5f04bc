//! What stands behind the question mark: the parameters of the routes that only look.

use std::{fmt, path::PathBuf, str::FromStr};

use serde::{Deserialize, Serialize};

use crate::ids::{ParseNumberError, TaskNumber, Timestamp};

/// `GET /v1/tasks`: which tasks. Absent means any.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TaskFilter {
    /// Those in this state.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub state: Option<String>,
    /// Those of this project; absolute.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub project: Option<PathBuf>,
    /// Those with this tag.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tag: Option<String>,
    /// Those submitted then or later.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub since: Option<Timestamp>,
    /// Those of the trees that these tasks belong to; of all trees when empty.
    #[serde(default, skip_serializing_if = "Trees::is_empty")]
    pub tree: Trees,
    /// At most so many: those that run and those that a person has to do something about before those that wait, and
    /// these before those that have ended; the newest among equals.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<u32>,
}

impl TaskFilter {
    /// Everything in `state`.
    pub fn in_state(state: &str) -> Self {
        Self { state: Some(state.to_owned()), ..Self::default() }
    }

    /// The `limit` most telling of all tasks.
    pub fn most_telling(limit: u32) -> Self {
        Self { limit: Some(limit), ..Self::default() }
    }

    /// Everything in the trees of `tasks`.
    pub fn of_trees(tasks: &[TaskNumber]) -> Self {
        Self { tree: Trees(tasks.to_vec()), ..Self::default() }
    }
}

/// `GET /v1/questions`: which questions.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct QuestionFilter {
    /// By state.
    #[serde(default)]
    pub state: QuestionChoice,
    /// Those of this task.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub task: Option<TaskNumber>,
    /// At most so many, the oldest.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<u32>,
}

/// Questions that wait for an answer, or all there were.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum QuestionChoice {
    /// Those without an answer.
    #[default]
    Open,
    /// All of them.
    All,
}

/// `GET /v1/events`: what to follow.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EventsQuery {
    /// Tasks that are followed with all their subtasks; all tasks when empty.
    #[serde(default)]
    pub tree: Trees,
    /// Only events behind this place.
    #[serde(default)]
    pub after: i64,
    /// Whether the store may run these trees while they are followed.
    #[serde(default)]
    pub claim: Claim,
}

/// Roots of trees of tasks, written `t1,t2`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub struct Trees(pub Vec<TaskNumber>);

impl Trees {
    /// Whether none is named.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl fmt::Display for Trees {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let numbers: Vec<String> = self.0.iter().map(TaskNumber::to_string).collect();
        f.write_str(&numbers.join(","))
    }
}

impl FromStr for Trees {
    type Err = ParseNumberError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let numbers = text.split(',').filter(|number| !number.is_empty());
        numbers.map(str::parse).collect::<Result<_, _>>().map(Self)
    }
}

impl From<Trees> for String {
    fn from(trees: Trees) -> Self {
        trees.to_string()
    }
}

impl TryFrom<String> for Trees {
    type Error = ParseNumberError;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        text.parse()
    }
}

/// Whether a store that does not run everything may run the trees a client follows.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Claim {
    /// Only look.
    #[default]
    No,
    /// Run them for as long as this client follows.
    Yes,
}

/// `GET /v1/executions/{execution}/log`: which bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LogQuery {
    /// Which file.
    pub kind: LogKind,
    /// From this byte on.
    #[serde(default)]
    pub offset: u64,
}

/// The logs of one execution.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LogKind {
    /// What the agent said and did, for people.
    Transcript,
    /// The bytes its program wrote.
    Raw,
}

/// `GET /v1/supervise/orders`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OrdersQuery {
    /// The level seen last; 0 when none was.
    #[serde(default)]
    pub seen: u64,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn trees_are_written_with_commas_and_read_back() {
        let trees = Trees(vec![TaskNumber::new(1), TaskNumber::new(12)]);
        assert_eq!(trees.to_string(), "t1,t12");
        assert_eq!("t1,t12".parse(), Ok(trees));
        assert_eq!("".parse(), Ok(Trees(Vec::new())));
        assert!("t1,x2".parse::<Trees>().is_err());
    }
}
