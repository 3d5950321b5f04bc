//! Puts together what a person or a program sees of tasks.

use std::path::{Path, PathBuf};

use super::{around::Around, budget, failure::Failure, outlook::Outlook, view::count};
use crate::{
    database::{
        Read,
        rows::{
            execution::{self, ExecutionRow},
            message::{self, MessageRow},
            question::{self, QuestionRow},
            signal,
            task::{self, TaskRow},
        },
    },
    domain::{Circumstances, TaskState, Unsaid, wait},
    ids::Timestamp,
    layout::StateDir,
    protocol::report::{
        ExecutionReport, MessageReport, QuestionReport, SCHEMA, SignalReport, SubtaskReport, TaskHead,
        TaskLine, TaskReport, Totals, VerifyReport,
    },
    vocabulary::{Deliver, Delivery, Fault, Usage, Verified},
};

/// One task, whole.
pub(super) fn task_report(
    read: &Read<'_>,
    row: &TaskRow,
    outlook: &Outlook,
    state: &StateDir,
) -> Result<TaskReport, Failure> {
    let runs = execution::of_task(read, row.number)?;
    let last = runs.last();
    let finished = runs.iter().rev().find(|run| run.details.settled || run.details.not_kept.is_some());
    let tree = subtree(read, row)?;
    let mut questions = Vec::new();
    let mut totals = Totals::default();
    for member in &tree {
        for question in question::of_task(read, member.number)? {
            questions.push(question_report(&question, member));
        }
        for run in execution::of_task(read, member.number)? {
            add(&mut totals, &run);
        }
    }
    questions.sort_by_key(|question| question.number);
    let swept = last.is_some_and(|run| row.is_swept(run.number));
    // Outside of the state directory it is a person's own.
    let stands = |path: &&PathBuf| !swept || path.is_absolute();
    let sandbox = last.and_then(|run| run.sandbox.as_ref()).filter(stands).map(|path| state.resolve(path));
    let summary = runs.iter().rev().find_map(|run| run.details.summary.clone());
    let delivery = execution::last_delivery(read, row.number)?;
    // Under review it stands on a branch of its own until it is accepted.
    let into = row.spec.merge_into.as_ref().filter(|_| row.spec.deliver == Deliver::Merge);
    let merged =
        into.filter(|into| delivery.as_ref().is_some_and(|delivery| delivery.branch.as_ref() == Some(into)));
    let not_merged =
        last.filter(|_| row.state == TaskState::Ready).and_then(|run| run.details.fault.as_ref());
    Ok(TaskReport {
        schema: SCHEMA,
        task: head(read, row, outlook)?,
        instructions: row.spec.instructions.clone(),
        deliver: row.spec.deliver,
        budget: budget::of_tree(read, &row.terms())?,
        execution: last.map(execution_report),
        summary,
        questions,
        messages: message::of_person(read, row.number)?
            .iter()
            .filter_map(|message| message_report(message, &row.state))
            .collect(),
        subtasks: task::children(read, row.number)?
            .iter()
            .map(|child| subtask(read, child))
            .collect::<Result<_, _>>()?,
        denied: last.map(|run| run.details.denials.clone()).unwrap_or_default(),
        verify: last.and_then(|run| run.details.verified.as_ref()).map(verify_report),
        merged_into: merged.cloned(),
        delivery: delivery.map(|delivery| Delivery {
            patch: delivery.patch.as_ref().map(|path| state.resolve(path)),
            ..delivery
        }),
        kept: finished.and_then(|run| run.details.kept.clone()),
        not_kept: finished.filter(|_| !swept).and_then(|run| run.details.not_kept.clone()),
        error: row.state.fault().or(not_merged).map(|fault| pointing_to(sandbox.as_deref(), fault)),
        sandbox,
        swept,
        totals,
        executions: runs.iter().map(execution_report).collect(),
        signals: signal::of_task(read, row.number)?.iter().map(signal_report).collect(),
    })
}

/// The fault with the place where the work of the failed run still is. It is said here and not stored,
/// because the state directory may move and the sandbox may be removed.
fn pointing_to(sandbox: Option<&Path>, fault: &Fault) -> Fault {
    let Some(sandbox) = sandbox.filter(|path| path.is_dir()) else { return fault.clone() };
    let kept = format!("the sandbox is kept in {}", sandbox.display());
    let hint = fault.hint.as_ref().map_or(kept.clone(), |hint| format!("{hint}; {kept}"));
    fault.clone().hinted(hint)
}

/// The lines of a list of tasks.
pub(super) fn task_lines(
    read: &Read<'_>,
    rows: Vec<TaskRow>,
    outlook: &Outlook,
) -> Result<Vec<TaskLine>, Failure> {
    let around = Around::of(read, &rows)?;
    Ok(rows.into_iter().map(|row| task_line(row, &around, outlook)).collect())
}

fn task_line(row: TaskRow, around: &Around, outlook: &Outlook) -> TaskLine {
    let wait = wait(&around.circumstances(&row, outlook));
    let runs = around.runs(row.number);
    let costs: Vec<f64> = runs.iter().filter_map(|run| run.cost_usd).collect();
    TaskLine {
        number: row.number,
        id: row.id,
        name: row.spec.name,
        state: row.state.name().to_owned(),
        wait,
        agent: row.spec.agent,
        picked_agent: around.picked(row.number).map(str::to_owned),
        project: row.spec.project,
        priority: row.spec.priority,
        tags: row.spec.tags,
        comparison: row.spec.comparison,
        parent: row.parent,
        branch: runs.iter().rev().find_map(|run| run.branch.clone()).flatten(),
        activity: runs.last().and_then(|run| run.activity.clone()),
        cost_usd: (!costs.is_empty()).then(|| costs.iter().sum()),
        questions: count(around.questions(row.number).len()),
        created_at: row.created_at,
        updated_at: row.updated_at,
    }
}

/// One question with the task it belongs to.
pub(super) fn question_report(question: &QuestionRow, row: &TaskRow) -> QuestionReport {
    QuestionReport {
        number: question.number,
        task: row.number,
        task_name: row.spec.name.clone(),
        project: row.spec.project.clone(),
        question: question.asked.question.clone(),
        options: question.asked.options.clone(),
        context: question.asked.context.clone(),
        asked_at: question.asked_at,
        state: question.state.name().to_owned(),
        answer: question.answer.clone(),
    }
}

/// What stands around a task.
pub(super) fn circumstances(
    read: &Read<'_>,
    row: &TaskRow,
    outlook: &Outlook,
) -> Result<Circumstances, Failure> {
    Ok(Around::of(read, std::slice::from_ref(row))?.circumstances(row, outlook))
}

fn subtree(read: &Read<'_>, row: &TaskRow) -> Result<Vec<TaskRow>, Failure> {
    let mut members = vec![row.clone()];
    // A child's number is higher than its parent's, and the tree is sorted by number.
    for member in task::tree(read, row.root)? {
        if member.parent.is_some_and(|parent| members.iter().any(|known| known.number == parent)) {
            members.push(member);
        }
    }
    Ok(members)
}

fn head(read: &Read<'_>, row: &TaskRow, outlook: &Outlook) -> Result<TaskHead, Failure> {
    let around = circumstances(read, row, outlook)?;
    Ok(TaskHead {
        number: row.number,
        id: row.id,
        name: row.spec.name.clone(),
        state: row.state.name().to_owned(),
        wait: wait(&around),
        project: row.spec.project.clone(),
        agent: row.spec.agent.clone(),
        picked_agent: around.picked,
        tags: row.spec.tags.clone(),
        comparison: row.spec.comparison.clone(),
        parent: row.parent,
        branch: execution::last_branch(read, row.number)?,
    })
}

fn subtask(read: &Read<'_>, child: &TaskRow) -> Result<SubtaskReport, Failure> {
    let runs = execution::of_task(read, child.number)?;
    Ok(SubtaskReport {
        number: child.number,
        name: child.spec.name.clone(),
        state: child.state.name().to_owned(),
        summary: runs.iter().rev().find_map(|run| run.details.summary.clone()),
        branch: execution::last_branch(read, child.number)?,
    })
}

fn execution_report(run: &ExecutionRow) -> ExecutionReport {
    ExecutionReport {
        number: run.number,
        attempt: run.attempt,
        outcome: run.outcome.map(|outcome| outcome.name().to_owned()),
        agent: run.details.agent.clone(),
        agent_version: run.details.agent_version.clone(),
        model: run.details.model.clone(),
        credential: run.details.credential.clone(),
        isolation: run.details.isolation.clone(),
        unbound_until: run.unbound_until,
        session_id: run.session.clone(),
        activity: run.details.activity.clone(),
        exit: run.details.exit,
        error: run.details.fault.clone(),
        started_at: run.started_at,
        ended_at: run.ended_at,
        cost_usd: run.usage.cost_usd,
        tokens_in: run.usage.tokens_in,
        tokens_out: run.usage.tokens_out,
    }
}

fn verify_report(verified: &Verified) -> VerifyReport {
    let Verified { command, exit, tail, .. } = verified.clone();
    VerifyReport { command, exit, tail }
}

/// `None` for what no person said. `task` is the state of its task: nobody is left to hear it where that has ended.
fn message_report(row: &MessageRow, task: &TaskState) -> Option<MessageReport> {
    let given = row.carried_by.max(row.handed_by);
    let state = match (row.taken_at, given) {
        (Some(_), _) => "taken",
        (None, _) if task.is_end() => "unheard",
        (None, Some(_)) => "handed",
        (None, None) => "waiting",
    };
    Some(MessageReport {
        kind: if matches!(row.unsaid, Unsaid::Rejection(_)) { "rejection" } else { "message" }.to_owned(),
        text: row.words()?.to_owned(),
        actor: row.actor.clone(),
        at: row.created_at,
        state: state.to_owned(),
        execution: given,
        taken_at: row.taken_at,
    })
}

fn signal_report(row: &signal::SignalRow) -> SignalReport {
    let value = serde_json::to_value(&row.call).unwrap_or_default();
    SignalReport {
        execution: row.execution,
        seq: row.seq,
        tool: row.call.tool().to_owned(),
        arguments: value.get("arguments").cloned().unwrap_or_default(),
        at: row.at,
    }
}

fn add(totals: &mut Totals, run: &ExecutionRow) {
    let Usage { cost_usd, tokens_in, tokens_out } = &run.usage;
    totals.cost_usd = sum(totals.cost_usd, *cost_usd, |one, other| one + other);
    totals.tokens_in = sum(totals.tokens_in, *tokens_in, u64::saturating_add);
    totals.tokens_out = sum(totals.tokens_out, *tokens_out, u64::saturating_add);
    totals.executions += 1;
    if let Some(started) = run.started_at {
        let until = run.ended_at.unwrap_or_else(Timestamp::now);
        totals.seconds += until.since(started).as_secs_f64();
    }
}

fn sum<T>(total: Option<T>, more: Option<T>, add: impl FnOnce(T, T) -> T) -> Option<T> {
    match (total, more) {
        (Some(total), Some(more)) => Some(add(total, more)),
        (one, other) => one.or(other),
    }
}
