//! Plans a launch: where the agent works, which conversation it holds, what it is told.

use std::{
    collections::BTreeSet,
    path::{Path, PathBuf},
};

use super::{budget, failure::Failure, history::history};
use crate::{
    database::{
        Read, Write,
        rows::{dependency, execution, message, task},
    },
    domain::{Phase, Start, TaskState, Unsaid, Whereabouts, continued, fresh, retold},
    ids::{ExecutionNumber, TaskNumber, UniqueId},
    protocol::launch::{Base, CommandPlan, Conversation, Handover, LaunchPlan, Standing, Workplace},
    vocabulary::{AgentSetup, BaseChoice, Deliver, Delivery, McpServer, Quotas, SandboxRules, Usage, slug},
};

/// How long the command that decides about the work may run where the task has no limit, in seconds.
const VERIFY_LIMIT: u64 = 600;

/// What every plan of one store shares.
#[derive(Debug, Clone)]
pub(super) struct Planning {
    /// How much goes on at once and on one day.
    pub(super) quotas: Quotas,
    /// How agent programs are launched, by name.
    pub(super) agents: std::collections::BTreeMap<String, AgentSetup>,
    /// The standing instructions of agents without any of their own, in the place of callbox's.
    pub(super) preamble: Option<String>,
    /// What isolated agents may write to besides their own; absolute.
    pub(super) caches: Vec<PathBuf>,
    /// What holds for every new sandbox.
    pub(super) sandbox: SandboxRules,
    /// How long a run goes on without a store, in seconds.
    pub(super) patience_seconds: Option<u64>,
}

/// The plan of the execution `number`, which was just claimed or is to be delivered.
pub(super) fn plan(
    write: &mut Write<'_>,
    number: ExecutionNumber,
    planning: &Planning,
) -> Result<LaunchPlan, Failure> {
    let run = execution::get(write, number)?.ok_or_else(|| Failure::unknown(number))?;
    let mut row = task::get(write, run.task)?.ok_or_else(|| Failure::unknown(run.task))?;
    // A run that never came to its sandbox leaves what the one before it left.
    let worked = match run.sandbox {
        Some(_) => None,
        None => execution::last_with_sandbox(write, row.number)?,
    };
    let (workplace, conversation) = match run.state {
        execution::ExecutionState::Delivering => {
            (finished_workplace(write, &row, worked.as_ref().unwrap_or(&run))?, Conversation::Finished)
        }
        _ => begin(write, &mut row, &run.details)?,
    };
    let option = row.spec.launched_with(&run.details.agent);
    let setup = planning.agents.get(&option.name).cloned().unwrap_or_default();
    Ok(LaunchPlan {
        execution: number,
        reports: run.last_report,
        worked: worked
            .filter(|worked| worked.sandbox.as_deref() == Some(directory(&workplace)))
            .map(|worked| worked.number),
        task: row.number,
        task_id: row.id,
        name: row.spec.name.clone(),
        agent: option.name.clone(),
        program: setup.program,
        description: setup.description,
        preamble: setup.preamble.or_else(|| planning.preamble.clone()),
        servers: setup.servers,
        withheld: withheld(planning, &option.name, &option.env_names),
        model: option.model,
        permissions: row.spec.permissions,
        isolation: row.spec.isolation.clone(),
        caches: planning.caches.clone(),
        sandbox: planning.sandbox,
        options: option.options,
        env: row.spec.env.clone(),
        copy: row.spec.copy.clone(),
        sparse: row.spec.sparse.clone(),
        submodules: row.spec.submodules,
        setup: setup_command(&row),
        verify: verify(&row),
        handover: handover(write, &row)?,
        timeout_seconds: row.spec.timeout_seconds,
        idle_timeout_seconds: row.spec.idle_timeout_seconds,
        used_before: used_before(write, run.task, &conversation)?,
        cost_left_usd: budget::left(write, &row.terms())?,
        patience_seconds: planning.patience_seconds,
        workplace,
        conversation,
    })
}

/// What the runs of `task` used in the conversation that goes on, those also that broke off without a word of
/// theirs: whoever tells only totals of a conversation tells of them in the next one.
fn used_before(read: &Read<'_>, task: TaskNumber, conversation: &Conversation) -> Result<Usage, Failure> {
    let Conversation::Resume { session, .. } = conversation else { return Ok(Usage::default()) };
    let runs = execution::of_task(read, task)?;
    let of_session = runs.iter().filter(|run| run.session.as_ref() == Some(session));
    Ok(of_session.fold(Usage::default(), |sum, run| sum.and(&run.usage)))
}

/// What the person's MCP servers need, those of other agents too, and what other programs than `agent` are described
/// to read, unless the task names it for its agent.
fn withheld(planning: &Planning, agent: &str, for_agent: &[String]) -> Vec<String> {
    let servers = planning.agents.values().flat_map(|setup| &setup.servers);
    let others = planning.agents.iter().filter(|(name, _)| *name != agent);
    let described = others.filter_map(|(_, setup)| setup.description.as_ref());
    let names = servers.flat_map(McpServer::variables).chain(described.flat_map(|other| &other.variables));
    let withheld: BTreeSet<&String> = names.filter(|name| !for_agent.contains(name)).collect();
    withheld.into_iter().cloned().collect()
}

fn begin(
    write: &mut Write<'_>,
    row: &mut task::TaskRow,
    run: &execution::Details,
) -> Result<(Workplace, Conversation), Failure> {
    let history = history(write, row)?;
    let unsaid: Vec<Unsaid> =
        message::unsaid(write, row.number)?.into_iter().map(message::MessageRow::to_say).collect();
    let earlier = match run.start {
        Start::Fresh => None,
        Start::Continue => conversation_to_go_on_with(write, row, &run.agent)?,
    };
    if let Some((session, sandbox)) = earlier {
        let base = base_of_more_work(write, row)?;
        // Where the old one was given up, nothing is found in the new one and all is told again.
        let directory = match sandbox {
            Some(standing) => standing,
            None => next_sandbox(write, row)?,
        };
        let conversation = Conversation::Resume {
            session,
            message: continued(&unsaid),
            retold: retold(&history, &unsaid, Whereabouts::Kept),
            moved: retold(&history, &unsaid, Whereabouts::New),
            fallback: UniqueId::mint(),
        };
        return Ok((workplace(row, directory, base), conversation));
    }
    let directory = next_sandbox(write, row)?;
    let has_past = history.has_past();
    let message =
        if has_past { retold(&history, &unsaid, Whereabouts::New) } else { fresh(&history, &unsaid) };
    let base = match run.start {
        // What is done anew is not built on what was not good enough.
        Start::Continue if has_past => base_of_more_work(write, row)?,
        Start::Continue | Start::Fresh => base(write, row)?,
    };
    Ok((workplace(row, directory, base), Conversation::Fresh { message, session: UniqueId::mint() }))
}

/// The session of the last execution by `agent` whose session is known, and its sandbox unless that was given up.
/// Another program knows nothing of it.
fn conversation_to_go_on_with(
    read: &Read<'_>,
    row: &task::TaskRow,
    agent: &str,
) -> Result<Option<(String, Option<PathBuf>)>, Failure> {
    let runs = execution::of_task(read, row.number)?;
    let own = runs.into_iter().filter(|run| run.details.agent == agent);
    let last = own.rev().find_map(|run| Some((run.number, run.session?, run.sandbox?)));
    Ok(last.map(|(number, session, sandbox)| (session, Some(sandbox).filter(|_| !row.is_swept(number)))))
}

fn next_sandbox(write: &mut Write<'_>, row: &mut task::TaskRow) -> Result<PathBuf, Failure> {
    row.sandboxes += 1;
    task::save(write, row)?;
    Ok(sandbox_path(row))
}

fn sandbox_path(row: &task::TaskRow) -> PathBuf {
    Path::new("sandboxes").join(row.number.value().to_string()).join(row.sandboxes.to_string())
}

fn workplace(row: &task::TaskRow, directory: PathBuf, base: Base) -> Workplace {
    match &row.spec.project {
        Some(project) => Workplace::Clone { directory, project: project.clone(), base },
        None => Workplace::Empty { directory },
    }
}

fn directory(workplace: &Workplace) -> &Path {
    match workplace {
        Workplace::Clone { directory, .. }
        | Workplace::Empty { directory }
        | Workplace::Own { directory } => directory,
    }
}

fn finished_workplace(
    read: &Read<'_>,
    row: &task::TaskRow,
    run: &execution::ExecutionRow,
) -> Result<Workplace, Failure> {
    let directory = run.sandbox.clone().unwrap_or_else(|| sandbox_path(row));
    let base = match &run.details.base {
        Some(commit) => Base::Revision { name: commit.clone() },
        None => base(read, row)?,
    };
    Ok(workplace(row, directory, base))
}

fn base(read: &Read<'_>, row: &task::TaskRow) -> Result<Base, Failure> {
    if let Some(spawned) = &row.spawn_base {
        let (sandbox, commit) = (spawned.sandbox.clone(), spawned.commit.clone());
        return Ok(Base::Sandbox { sandbox, commit });
    }
    match &row.spec.base {
        BaseChoice::Revision(name) => Ok(Base::Revision { name: name.clone() }),
        BaseChoice::Head => Ok(Base::Head),
        BaseChoice::Worktree => Ok(Base::Worktree),
        BaseChoice::After => {
            let mut heads = Vec::new();
            for predecessor in dependency::predecessors(read, row.number)? {
                heads.extend(delivered(read, predecessor)?.map(|delivery| delivery.head));
            }
            Ok(if heads.is_empty() { Base::Head } else { Base::After { heads } })
        }
    }
}

/// What a new sandbox starts from when work of this task was delivered before, or kept since.
fn base_of_more_work(read: &Read<'_>, row: &task::TaskRow) -> Result<Base, Failure> {
    let runs = execution::of_task(read, row.number)?;
    // One that failed before it had a sandbox has settled nothing.
    let worked = runs.into_iter().rev().find(|run| run.details.settled && run.sandbox.is_some());
    let kept = worked.and_then(|run| run.details.kept);
    let delivery = delivered(read, row.number)?;
    let work = kept.map(|kept| (kept.base, kept.head));
    let work =
        work.or_else(|| delivery.as_ref().map(|delivery| (delivery.base.clone(), delivery.head.clone())));
    let Some((started, head)) = work else { return base(read, row) };
    // What was merged is nobody's work any more but the branch's. What waits for its review is.
    let own = delivery.as_ref().and_then(|delivery| delivery.branch.as_ref());
    let waits = own.is_some_and(|branch| row.spec.merge_into.as_ref() != Some(branch));
    if row.spec.deliver == Deliver::Merge && !waits {
        return Ok(Base::After { heads: vec![head] });
    }
    let left = delivery.and_then(|delivery| Some(Standing { branch: delivery.branch?, head: delivery.head }));
    Ok(Base::More { base: started, head, delivered: left })
}

fn setup_command(row: &task::TaskRow) -> Option<CommandPlan> {
    let command = row.spec.setup.clone()?;
    Some(CommandPlan { command, limit_seconds: row.spec.setup_timeout_seconds })
}

/// What of `task` was delivered last and stands in the project; a patch does not.
fn delivered(read: &Read<'_>, task: TaskNumber) -> Result<Option<Delivery>, Failure> {
    Ok(execution::last_delivery(read, task)?.filter(|delivery| delivery.branch.is_some()))
}

/// What is still to decide about the work.
fn verify(row: &task::TaskRow) -> Option<CommandPlan> {
    // What is merged may have to be put on top of another commit, and is then verified there again.
    let decided = match row.state {
        TaskState::Running { phase: Phase::Delivering, .. } => !is_to_be_merged(row),
        TaskState::Keeping { .. } => true,
        _ => false,
    };
    let command = row.spec.verify.clone().filter(|_| !decided)?;
    Some(CommandPlan { command, limit_seconds: row.spec.timeout_seconds.unwrap_or(VERIFY_LIMIT) })
}

/// Whether the step behind the agent merges: under review that is one that a person gave the word for.
fn is_to_be_merged(row: &task::TaskRow) -> bool {
    let accepted = matches!(row.state, TaskState::Running { phase: Phase::Merging, .. });
    row.spec.deliver == Deliver::Merge && (accepted || !row.spec.review)
}

fn handover(read: &Read<'_>, row: &task::TaskRow) -> Result<Handover, Failure> {
    match row.spec.deliver {
        _ if row.spec.project.is_none() => Ok(Handover::None),
        Deliver::None => Ok(Handover::None),
        Deliver::Merge if is_to_be_merged(row) => Ok(match row.spec.merge_into.clone() {
            Some(into) => Handover::Merge { into },
            None => Handover::None,
        }),
        Deliver::Patch => Ok(Handover::Patch),
        Deliver::Branch | Deliver::Merge => {
            let earlier = execution::last_branch(read, row.number)?;
            // It was merged, and is the person's.
            let earlier = earlier.filter(|branch| row.spec.merge_into.as_ref() != Some(branch));
            let new = || format!("callbox/{}-{}", row.number, slug(&row.spec.name));
            Ok(Handover::Branch { branch: earlier.unwrap_or_else(new) })
        }
    }
}
