//! What a task waits for and which command moves it, in words.

use super::{BlockedOn, End, Hold, Phase, Sharers, Spender, TaskState};
use crate::{
    ids::{QuestionNumber, TaskNumber, Timestamp},
    vocabulary::{ATTACHED, STORE_WAIT, StopReason, UNBOUND_WAIT},
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
    /// Why it does not run yet, where it is queued and waits for no predecessor.
    pub hold: Option<Hold>,
    /// Whether some store will run it without a person's further act.
    pub served: bool,
    /// When its run ends by itself, where no process of callbox's is with it.
    pub unbound_until: Option<Timestamp>,
    /// The name of the agent program that runs it, or `any` where several may.
    pub agent: String,
    /// The agent that `any` came to in its last run, where the task asked for any.
    pub picked: Option<String>,
}

/// What a task waits for, in a few words for a table; `None` where it waits for nothing.
pub fn wait(around: &Circumstances) -> Option<String> {
    match &around.state {
        TaskState::Pending => Some("start".to_owned()),
        TaskState::Queued { .. } => Some(queued_for(around)),
        TaskState::Blocked { on: BlockedOn::Question } => {
            Some(format!("answer to {}", list(&around.questions)))
        }
        TaskState::Blocked { on: BlockedOn::Subtasks } => {
            Some(format!("subtasks {}", list(&around.subtasks)))
        }
        TaskState::Ready => Some("review".to_owned()),
        TaskState::Running { phase: Phase::Unbound, .. } => Some(UNBOUND_WAIT.to_owned()),
        TaskState::Running { .. } if is_alone(around) => Some(STORE_WAIT.to_owned()),
        TaskState::Running { .. } | TaskState::Keeping { .. } | TaskState::Ended { .. } => None,
    }
}

fn queued_for(around: &Circumstances) -> String {
    if !around.predecessors.is_empty() {
        return format!("dependency {}", list(&around.predecessors));
    }
    if around.agent == ATTACHED {
        return "attach".to_owned();
    }
    // Whoever reads this asks what is over first; `why` has all.
    let (of, hold) = around.hold.as_ref().map(Hold::nearest).unzip();
    let agent = of.flatten().unwrap_or(&around.agent);
    match hold {
        Some(Hold::Auth { .. }) => "auth".to_owned(),
        Some(Hold::Failures { .. }) => "failures".to_owned(),
        Some(Hold::DayBudget { until, .. }) => format!("budget until {until}"),
        _ if !around.served => STORE_WAIT.to_owned(),
        Some(Hold::RateLimit { until }) => format!("rate_limit until {until}"),
        Some(Hold::Retry { until }) => format!("retry until {until}"),
        Some(Hold::Slot { of: Sharers::Agent }) => format!("slot of {agent}"),
        Some(Hold::Slot { of: Sharers::Project }) => "slot of its project".to_owned(),
        Some(Hold::Slot { of: Sharers::All } | Hold::Agents { .. }) | None => "slot".to_owned(),
    }
}

/// One sentence: what the task waits for, and which command moves it.
pub fn why(around: &Circumstances) -> String {
    let task = around.task;
    match &around.state {
        TaskState::Pending => format!("{task} is held back; `callbox start {task}` lets it run"),
        TaskState::Queued { .. } => why_queued(around),
        TaskState::Running { execution, phase } => match phase {
            Phase::Agent if is_alone(around) => format!(
                "{task} runs on as {execution} and nobody is there for what it says; `callbox run --queued` or `callbox serve` is"
            ),
            Phase::Agent => {
                let with = around.picked.as_ref();
                let with =
                    with.map(|agent| format!(" with `{agent}`, which `any` came to")).unwrap_or_default();
                format!("{task} is running as {execution}{with}; `callbox logs {task} -f` follows it")
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

fn why_queued(around: &Circumstances) -> String {
    let task = around.task;
    if !around.predecessors.is_empty() {
        let names = list(&around.predecessors);
        let are = if around.predecessors.len() == 1 { "is" } else { "are" };
        return format!(
            "{task} waits until {names} {are} completed; `callbox why {}`",
            around.predecessors[0]
        );
    }
    if around.agent == ATTACHED {
        return format!("{task} waits for its command to be started by hand; {}", again(around));
    }
    match &around.hold {
        Some(Hold::Auth { again }) => why_no_login(around, *again),
        Some(Hold::Failures { message }) => format!(
            "{task} waits because `{}` failed several times in a row: {message}; mend that, then `callbox resume {task}` tries it again",
            around.agent
        ),
        Some(Hold::DayBudget { of, until }) => format!(
            "{task} waits until {until} because {} is spent; `per_day_usd` in the configuration raises it",
            match of {
                Spender::All => "the money for today",
                Spender::Project => "the money for its project and today",
            }
        ),
        Some(hold @ Hold::Agents { each }) if around.served || is_trouble(hold) => why_no_agent(task, each),
        _ if !around.served => format!(
            "{task} waits because no store is running it; `callbox resume {task} --run` or `callbox serve` runs it"
        ),
        Some(Hold::RateLimit { until }) => format!(
            "{task} waits until {until} because the provider refuses for now; `callbox resume {task}` tries at once"
        ),
        Some(Hold::Retry { until }) => {
            format!(
                "{task} waits until {until} before another attempt; `callbox resume {task}` tries at once"
            )
        }
        Some(Hold::Slot { of: Sharers::Agent }) => {
            let agent = &around.agent;
            format!(
                "{task} waits because as many runs of `{agent}` as may be are at work; `callbox ls` shows them"
            )
        }
        Some(Hold::Slot { of: Sharers::Project }) => {
            format!(
                "{task} waits because as many runs of its project as may be are at work; `callbox ls` shows them"
            )
        }
        Some(Hold::Slot { of: Sharers::All } | Hold::Agents { .. }) | None => {
            format!("{task} waits for a free slot; `callbox ls` shows what runs")
        }
    }
}

fn why_no_login(around: &Circumstances, again: Option<Timestamp>) -> String {
    let (task, agent) = (around.task, &around.agent);
    let tried = match again {
        Some(_) if !around.served => String::new(),
        Some(again) => format!(" One run tries it again by itself from {again} on."),
        None => " One run is trying it again now.".to_owned(),
    };
    format!(
        "{task} waits because the provider of `{agent}` refused the login; log in, then `callbox resume {task} --run` tries it at once.{tried}"
    )
}

/// Whether whatever comes first is a person's to mend.
fn is_trouble(hold: &Hold) -> bool {
    matches!(hold.nearest().1, Hold::Auth { .. } | Hold::Failures { .. })
}

/// What each of several agents is held by.
fn why_no_agent(task: TaskNumber, each: &[(String, Hold)]) -> String {
    let words = |(agent, hold): &(String, Hold)| {
        let why = match hold {
            Hold::RateLimit { until } => format!("its provider refuses until {until}"),
            Hold::Auth { .. } => "its provider refused the login".to_owned(),
            Hold::Failures { message } => format!("it failed several times in a row ({message})"),
            Hold::Slot { of: Sharers::Agent } => "as many runs of it as may be are at work".to_owned(),
            Hold::Retry { .. } | Hold::DayBudget { .. } | Hold::Slot { .. } | Hold::Agents { .. } => {
                "no slot is free".to_owned()
            }
        };
        format!("`{agent}`, since {why}")
    };
    let each: Vec<String> = each.iter().map(words).collect();
    format!(
        "{task} waits because none of its agents can run it now: {}; the first that can does, and `callbox resume {task}` tries at once",
        each.join("; ")
    )
}

fn why_ended(around: &Circumstances, end: &End) -> String {
    let task = around.task;
    match end {
        End::Completed => format!("{task} is completed; `callbox show {task}` prints its result"),
        End::Cancelled => format!("{task} was cancelled; {}", again(around)),
        End::Failed { fault } | End::TimedOut { fault } if !around.predecessors.is_empty() => format!(
            "{task} ended because {}; once {} {} completed, {}",
            fault.message,
            list(&around.predecessors),
            if around.predecessors.len() == 1 { "is" } else { "are" },
            again(around)
        ),
        End::Failed { fault } | End::TimedOut { fault } => {
            format!("{task} ended because {}; {}", fault.message, again(around))
        }
        End::BudgetExceeded { fault } => format!(
            "{task} ended because {}; `callbox resume {task}` with `--max-cost-usd DOLLARS` or `--max-tokens NUMBER` raises it and takes it up again",
            fault.message
        ),
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
