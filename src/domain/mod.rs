//! The pure core: what a task, an execution, a signal is and what may happen to it.
//!
//! No I/O, no clock, no randomness: every function here is a decision from values to values, so that
//! its laws can be tested by the thousand.
//!
//! ```text
//!            start                 claim                     question open
//!  pending ─────────▶ queued ─────────────────▶ running ───────────────────▶ blocked(question)
//!                     ▲  ▲ ▲                    │ │ │ │  subtasks open           │
//!                     │  │ └─ retry, rate limit,┘ │ │ └────────▶ blocked(subtasks)│
//!                     │  │    lost, undelivered   │ │                   │         │
//!                     │  └── the last subtask ended, told ◀────────────┘          │
//!                     └──── the last answer ◀─────────────────────────────────────┘
//!                                               │ └─ delivered ─▶ ready ─ accept ─▶ completed
//!                                               └─▶ keeping ─▶ failed, timed_out, budget_exceeded
//!   any state but an end ── cancel ─▶ keeping ─▶ cancelled
//!   an end ── a person's resume ─▶ queued
//!   running ── told now: its turn is ended ─▶ queued
//! ```
//!
//! Keeping is shown as running and is left out where a run left nothing to keep: the end behind it is decided.

mod agent_health;
mod budget;
mod decide;
mod demands;
mod event;
mod finish;
mod fold;
mod hold;
mod limit_reached;
mod message;
mod outcome;
mod pick;
mod refusal;
mod remains;
mod run_end;
mod schedule;
mod state;
mod subtask;
mod told;
mod view;
mod why;

#[cfg(test)]
mod laws;

pub use agent_health::{AgentHealth, Cooling, Pause, PauseReason, Sign};
pub use budget::{dollars_left, unmeasured, used_up};
pub use decide::{Decision, Effect, decide};
pub use demands::{Demands, Met};
pub use event::{TaskEvent, Urgency};
pub use fold::{Summary, SummarySource, fold};
pub use hold::{AgentPlace, Candidate, Fleet, Hold, ProjectPlace, Role, Sharers, Slots, Spender};
pub use limit_reached::{LONGEST_UNBOUND, limit_reached};
pub use message::{
    Author, Exchange, History, REMINDER, Unsaid, Whereabouts, along, continued, fresh, retold,
};
pub use outcome::Outcome;
pub use pick::{EarlierRun, bound_to};
pub use refusal::Refusal;
pub use remains::{Needed, RemainsView, may_go};
pub use schedule::{Claim, Schedule, schedule};
pub use state::{BlockedOn, End, Phase, Start, TaskState, Wait};
pub use subtask::{Caps, Family, Sibling, SpawnRefusal, Spawned, spawn};
pub use view::TaskView;
pub use why::{Circumstances, wait, why};
