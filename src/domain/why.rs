//! What a task waits for and which command moves it, in words.

use super::{BlockedOn, End, Phase, TaskState, Wait};
use crate::{
    ids::{QuestionNumber, TaskNumber, Timestamp},
    vocabulary::{ATTACHED, StopReason, UNBOUND_WAIT},
};

/// What stands around a task that the task itself does not say.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Circumstances {
    /// The task.
    pub task: TaskNumber,
    /// Where it stands.
    pub state: TaskState,
    /// Its questions without an answer.
    pub questions: Vec<QuestionNumber>,
    /// Predecessors that are not completed.
    pub predecessors: Vec<TaskNumber>,
    /// Subtasks that have not ended.
    pub subtasks: Vec<TaskNumber>,
    /// Whether some store will run it without a person's further act.
    pub served: bool,
    /// When its run ends by itself, where no process of callbox's is with it.
    pub unbound_until: Option<Timestamp>,
    /// The agent program's name.
    pub agent: String,
    /// Now.
    pub now: Timestamp,
}

/// What a task waits for, in a few words for a table; `None` where it waits for nothing.
pub fn wait(around: &Circumstances) -> Option<String> {
    match &around.state {
        TaskState::Pending => Some("start".to_owned()),
        TaskState::Queued { wait, .. } => Some(queued_for(around, *wait)),
        TaskState::Blocked { on: BlockedOn::Question } => {
            Some(format!("answer to {}", list(&around.questions)))
        }
        TaskState::Blocked { on: BlockedOn::Subtasks } => {
            Some(format!("subtasks {}", list(&around.subtasks)))
        }
        TaskState::Ready => Some("review".to_owned()),
        TaskState::Running { phase: Phase::Unbound, .. } => Some(UNBOUND_WAIT.to_owned()),
        TaskState::Running { .. } if is_alone(around) => Some("no store running".to_owned()),
        TaskState::Running { .. } | TaskState::Keeping { .. } | TaskState::Ended { .. } => None,
    }
}

fn queued_for(around: &Circumstances, wait: Wait) -> String {
    if !around.predecessors.is_empty() {
        return format!("dependency {}", list(&around.predecessors));
    }
    if around.agent == ATTACHED {
        return "attach".to_owned();
    }
    match wait {
        Wait::Auth => "auth".to_owned(),
        Wait::Budget => "budget".to_owned(),
        _ if !around.served => "no store running".to_owned(),
        Wait::RateLimit { until } if until > around.now => format!("rate_limit until {until}"),
        Wait::Retry { until } if until > around.now => format!("retry until {until}"),
        Wait::Turn | Wait::RateLimit { .. } | Wait::Retry { .. } => "slot".to_owned(),
    }
}

/// One sentence: what the task waits for, and which command moves it.
pub fn why(around: &Circumstances) -> String {
    let task = around.task;
    match &around.state {
        TaskState::Pending => format!("{task} is held back; `callbox start {task}` lets it run"),
        TaskState::Queued { wait, .. } => why_queued(around, *wait),
        TaskState::Running { execution, phase } => match phase {
            Phase::Agent if is_alone(around) => format!(
                "{task} runs on as {execution} and nobody is there for what it says; `callbox run --queued` or `callbox serve` is"
            ),
            Phase::Agent => {
                format!("{task} is running as {execution}; `callbox logs {task} -f` follows it")
            }
            Phase::Unbound => format!(
                "{task} is worked on as {execution} by an agent that you configured by hand, and nobody watches it: `callbox end {task}` ends the run{}",
                around.unbound_until.map(|until| format!(", else {until} does")).unwrap_or_default()
            ),
            Phase::Verifying => format!(
                "{task} is done and the work of {execution} is being verified; `callbox cancel {task}` ends that"
            ),
            Phase::Delivering => format!("{task} is done and {execution} is being delivered"),
            Phase::Merging if is_alone(around) => format!(
                "{task} is accepted and nobody is there to merge the work of {execution}; `callbox run --queued` or `callbox serve` is"
            ),
            Phase::Merging => format!("{task} is accepted and the work of {execution} is being merged"),
            Phase::Stopping { reason: StopReason::Told } | Phase::Killing { reason: StopReason::Told } => {
                format!("the turn of {task} is being ended so that it goes on with your message")
            }
            Phase::Stopping { reason } | Phase::Killing { reason } => {
                format!("{task} is being ended because {}", stop_words(*reason))
            }
        },
        TaskState::Keeping { execution, end } => format!(
            "{task} has ended as {} and what {execution} left is being kept in the project; it takes a moment",
            end.name()
        ),
        TaskState::Blocked { on: BlockedOn::Question } => {
            let example = around.questions.first().map_or_else(|| task.to_string(), ToString::to_string);
            format!(
                "{task} waits for an answer to {}; `callbox answer {example} TEXT` gives it",
                list(&around.questions)
            )
        }
        TaskState::Blocked { on: BlockedOn::Subtasks } => {
            format!("{task} waits for its subtasks {}; it goes on by itself", list(&around.subtasks))
        }
        TaskState::Ready => {
            format!(
                "{task} is delivered and waits for a review: `callbox diff {task}` shows the work, `callbox accept {task}` completes it"
            )
        }
        TaskState::Ended { end } => why_ended(around, end),
    }
}

fn why_queued(around: &Circumstances, wait: Wait) -> String {
    let task = around.task;
    if !around.predecessors.is_empty() {
        let names = list(&around.predecessors);
        return format!("{task} waits until {names} is completed; `callbox why {}`", around.predecessors[0]);
    }
    if around.agent == ATTACHED {
        return format!("{task} waits for its command to be started by hand; {}", again(around));
    }
    match wait {
        Wait::Auth => format!(
            "{task} waits because the provider of `{}` refused the login; log in, then `callbox resume {task} --run`",
            around.agent
        ),
        Wait::Budget => format!("{task} waits because the budget is used up"),
        _ if !around.served => format!(
            "{task} waits because no store is running it; `callbox resume {task} --run` or `callbox serve` runs it"
        ),
        Wait::RateLimit { until } if until > around.now => format!(
            "{task} waits until {until} because the provider refuses for now; `callbox resume {task}` tries at once"
        ),
        Wait::Retry { until } if until > around.now => {
            format!(
                "{task} waits until {until} before another attempt; `callbox resume {task}` tries at once"
            )
        }
        Wait::Turn | Wait::RateLimit { .. } | Wait::Retry { .. } => {
            format!("{task} waits for a free slot; `callbox ls` shows what runs")
        }
    }
}

fn why_ended(around: &Circumstances, end: &End) -> String {
    let task = around.task;
    match end {
        End::Completed => format!("{task} is completed; `callbox show {task}` prints its result"),
        End::Cancelled => format!("{task} was cancelled; {}", again(around)),
        End::Failed { fault } | End::TimedOut { fault } | End::BudgetExceeded { fault } => {
            format!("{task} ended because {}; {}", fault.message, again(around))
        }
    }
}

/// Whether it runs although no store stays with it: most likely the command that ran it was killed. A
/// command that a person started by hand needs none that stays.
fn is_alone(around: &Circumstances) -> bool {
    !around.served && around.agent != ATTACHED
}

fn again(around: &Circumstances) -> String {
    let task = around.task;
    if around.agent == ATTACHED {
        format!(
            "`callbox attach --task {task} -- COMMAND` or `callbox mcp-config {task} --for AGENT` goes on with it"
        )
    } else {
        format!("`callbox resume {task}` takes it up again")
    }
}

fn stop_words(reason: StopReason) -> &'static str {
    match reason {
        StopReason::Cancelled => "a person cancelled it",
        StopReason::Budget => "its budget is used up",
        StopReason::Asked => "it asked a question and worked on",
        StopReason::Told => "a person's message is to be heard at once",
    }
}

fn list<T: ToString>(items: &[T]) -> String {
    items.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
}
