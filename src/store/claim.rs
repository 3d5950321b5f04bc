//! Gives free slots to the tasks that the scheduler picks.

use std::collections::HashSet;

use super::{
    budget,
    failure::Failure,
    fleet::{candidate, fleet},
    going_on::GoingOn,
    health,
    plan::{Planning, plan},
    spawn_base,
    transition::{Occasion, apply},
};
use crate::{
    database::{
        Write,
        rows::{dependency, execution, task},
    },
    domain::{Claim, Role, Start, TaskEvent, TaskState, schedule},
    ids::{ExecutionNumber, Secret, TaskNumber, Timestamp, TokenHash},
    isolation::{Kernel, decide},
    protocol::launch::LaunchPlan,
    vocabulary::{ATTACHED, McpServer},
};

/// One execution that is to be started now.
#[derive(Debug)]
pub(super) struct Launch {
    /// The execution.
    pub(super) execution: ExecutionNumber,
    /// The root of the task's tree.
    pub(super) root: TaskNumber,
    /// Everything that is not secret.
    pub(super) plan: LaunchPlan,
    /// What its supervisor proves itself with.
    pub(super) supervisor_secret: Secret,
    /// What its agent's shim proves itself with; absent where only the finish step is due.
    pub(super) token: Option<Secret>,
    /// Variables to look up.
    pub(super) variables: Vec<String>,
    /// Those of them without which the run can't begin.
    pub(super) required: Vec<String>,
}

/// What a look at the queue came to.
#[derive(Debug)]
pub(super) struct Claims {
    /// To be started now.
    pub(super) launches: Vec<Launch>,
    /// How many ended instead, since the budget of their tree is used up: others may wait for them.
    pub(super) refused: usize,
    /// When looking again is worth while.
    pub(super) wake_at: Option<Timestamp>,
}

/// Claims what is due among the trees for which `served` holds.
pub(super) fn claim_due(
    write: &mut Write<'_>,
    served: impl Fn(TaskNumber) -> bool,
    planning: &Planning,
) -> Result<Claims, Failure> {
    let occasion = Occasion::own();
    let fleet = fleet(write, &planning.quotas, occasion.now)?;
    if fleet.slots.is_full() {
        // Nothing can be claimed before a run ends, and then all of it is looked at.
        return Ok(Claims { launches: Vec::new(), refused: 0, wake_at: None });
    }
    let rows = task::in_state(write, "queued")?;
    let numbers: Vec<TaskNumber> = rows.iter().map(|row| row.number).collect();
    let waiting = dependency::unmet_among(write, &numbers)?;
    let waiting: HashSet<TaskNumber> = waiting.into_iter().map(|(task, _)| task).collect();
    let going_on = GoingOn::of(write, &rows)?;
    let (mut candidates, mut refused) = (Vec::new(), 0);
    for row in rows {
        let Some(candidate) = candidate(&row, going_on.earlier(row.number)) else { continue };
        // Only a person can start the command of a task that was begun by hand.
        let due = row.spec.agent != ATTACHED && served(row.root) && !waiting.contains(&row.number);
        if due && budget::over(write, &row.terms())?.is_some() {
            apply(write, row.number, &TaskEvent::BudgetSpent, &occasion)?;
            refused += 1;
        } else if due && spawn_base::is_settled(write, &row)? {
            candidates.push(candidate);
        }
    }
    let schedule = schedule(&candidates, fleet, occasion.now);
    let launches =
        schedule.claim.iter().map(|due| claim(write, due, planning, &occasion)).collect::<Result<_, _>>()?;
    Ok(Claims { launches, refused, wake_at: schedule.wake_at })
}

fn claim(
    write: &mut Write<'_>,
    due: &Claim,
    planning: &Planning,
    occasion: &Occasion,
) -> Result<Launch, Failure> {
    let number = due.task;
    let row = task::get(write, number)?.ok_or_else(|| Failure::unknown(number))?;
    let start = match row.state {
        TaskState::Queued { start, .. } => start,
        _ => Start::Continue,
    };
    let mut details = execution::Details::new(&due.agent, start);
    // Known before its agent can say a word; where it cannot be had, the supervisor starts none.
    details.isolation = decide(&row.spec.isolation, Kernel::running()).ok();
    let execution = execution::insert(write, number, row.failures + 1, &details, occasion.now)?;
    apply(write, number, &TaskEvent::Claim { execution }, occasion)?;
    if due.role == Role::Probe {
        health::probed(write, &due.agent, occasion.now)?;
    }
    launch(write, execution, planning)
}

/// Plans the launch of `number` and mints its secrets; from now on earlier ones are worth nothing.
pub(super) fn launch(
    write: &mut Write<'_>,
    number: ExecutionNumber,
    planning: &Planning,
) -> Result<Launch, Failure> {
    let plan = plan(write, number, planning)?;
    let mut run = execution::get(write, number)?.ok_or_else(|| Failure::unknown(number))?;
    let row = task::get(write, run.task)?.ok_or_else(|| Failure::unknown(run.task))?;
    let supervisor_secret = Secret::mint();
    run.supervisor_hash = Some(*TokenHash::of(&supervisor_secret).as_bytes());
    let token = (run.state == execution::ExecutionState::Starting).then(Secret::mint);
    if let Some(token) = &token {
        run.token_hash = Some(*TokenHash::of(token).as_bytes());
    }
    execution::save(write, &run)?;
    execution::supervisor_given(write, number)?;
    let of_servers = || plan.servers.iter().flat_map(McpServer::variables).cloned();
    let named = row.spec.launched_with(&plan.agent).env_names;
    // No value is needed to keep what a run left, and no server to hand it over.
    let required: Vec<String> = match row.state {
        TaskState::Keeping { .. } => Vec::new(),
        _ if token.is_none() => named,
        _ => named.into_iter().chain(of_servers()).collect(),
    };
    let variables = row.variables.into_iter().chain(of_servers()).collect();
    Ok(Launch { execution: number, root: row.root, supervisor_secret, token, variables, required, plan })
}
