//! The supervisor plane's one act: a numbered report is taken once and answered from what is stored.

use super::{
    budget,
    failure::Failure,
    health,
    news::News,
    spawn_base,
    transition::{Occasion, apply},
};
use crate::{
    database::{
        Read, Write,
        rows::{
            execution::{self, ExecutionRow, ExecutionState},
            message, signal, task,
        },
    },
    domain::{Sign, TaskEvent, TaskState, fold, unmeasured},
    ids::ExecutionNumber,
    protocol::{
        error::{ApiError, ErrorCode},
        supervise::{Report, ReportBody, Verdict},
    },
    vocabulary::{Denial, Ending, Fact, Finish, Verified},
};

/// Facts that are kept of one kind for one execution.
const MAX_DENIALS: usize = 100;
const MAX_NOTICES: usize = 50;

/// Takes `report` for the execution `number`, unless its number was taken before.
pub(super) fn take_report(
    write: &mut Write<'_>,
    number: ExecutionNumber,
    report: &Report,
    occasion: &Occasion,
) -> Result<Verdict, Failure> {
    let mut run = load(write, number)?;
    if report.number <= run.last_report {
        return verdict(write, &run);
    }
    if report.number != run.last_report + 1 {
        let expected = run.last_report + 1;
        return Err(Failure::refused(
            ErrorCode::Conflict,
            format!("report {} came before report {expected}", report.number),
        ));
    }
    if run.state == ExecutionState::Ended {
        return Err(over(number));
    }
    run.last_report = report.number;
    match &report.body {
        ReportBody::Started { pid, .. } => {
            if started(write, run, *pid, occasion)? == Begun::Never {
                return Ok(Verdict::Keep);
            }
        }
        ReportBody::Facts { facts } => learn(write, run, facts, occasion)?,
        ReportBody::AgentEnded { ending } => agent_ended(write, run, ending, occasion)?,
        ReportBody::ToVerify => to_verify(write, &run, occasion)?,
        ReportBody::Verified { verified } => found(write, run, verified, occasion)?,
        ReportBody::Ended { finish } => ended(write, run, finish, occasion)?,
    }
    let run = load(write, number)?;
    verdict(write, &run)
}

fn load(write: &Write<'_>, number: ExecutionNumber) -> Result<ExecutionRow, Failure> {
    execution::get(write, number)?.ok_or_else(|| Failure::unknown(number))
}

fn verdict(read: &Read<'_>, run: &ExecutionRow) -> Result<Verdict, Failure> {
    Ok(match run.state {
        ExecutionState::Starting | ExecutionState::Running => Verdict::Go,
        ExecutionState::Delivering if is_kept(read, run)? => Verdict::KeepWork,
        ExecutionState::Delivering => Verdict::Deliver,
        ExecutionState::Ended => Verdict::Keep,
    })
}

/// Whether the end of the task is decided, and only what `run` left is still to be kept.
fn is_kept(read: &Read<'_>, run: &ExecutionRow) -> Result<bool, Failure> {
    let row = task::get(read, run.task)?.ok_or_else(|| Failure::unknown(run.task))?;
    Ok(matches!(row.state, TaskState::Keeping { .. }))
}

/// Whether a run has begun.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Begun {
    /// Its supervisor goes on.
    Now,
    /// It was given up before; what runs before it left is kept by a supervisor of its own.
    Never,
}

fn over(number: ExecutionNumber) -> Failure {
    Failure::Refused(ApiError::new(ErrorCode::Refused, format!("execution `{number}` has already ended")))
}

/// Refused, the supervisor starts nothing: its task was cancelled before it began.
fn started(
    write: &mut Write<'_>,
    mut run: ExecutionRow,
    pid: u32,
    occasion: &Occasion,
) -> Result<Begun, Failure> {
    let row = task::get(write, run.task)?.ok_or_else(|| Failure::unknown(run.task))?;
    let at_work = row.state.execution() == Some(run.number);
    run.details.supervisor = Some(pid);
    match (run.state, &row.state) {
        (ExecutionState::Delivering, _) if at_work => {}
        (ExecutionState::Starting, TaskState::Running { phase, .. }) if at_work && phase.goes_on() => {
            run.state = ExecutionState::Running;
            run.started_at = Some(occasion.now);
        }
        (ExecutionState::Starting, TaskState::Running { .. }) if at_work => {
            execution::save(write, &run)?;
            apply(write, run.task, &TaskEvent::NeverStarted, occasion)?;
            return Ok(Begun::Never);
        }
        _ => return Err(over(run.number)),
    }
    execution::save(write, &run)?;
    Ok(Begun::Now)
}

fn learn(
    write: &mut Write<'_>,
    mut run: ExecutionRow,
    facts: &[Fact],
    occasion: &Occasion,
) -> Result<(), Failure> {
    for fact in facts {
        match fact {
            Fact::Sandbox { directory, base } => {
                run.sandbox = Some(directory.clone());
                run.details.base.clone_from(base);
            }
            Fact::SpawnBase { task, commit } => spawn_base::name(write, &run, *task, commit)?,
            Fact::Retold { reason } => {
                let text = format!("{reason}; a new conversation begins");
                say(write, &mut run, Some(&text), occasion)?;
            }
            Fact::Isolated { isolation } => run.details.isolation = Some(isolation.clone()),
            Fact::AgentStarted { version, credential, .. } => {
                if version.is_some() {
                    run.details.agent_version.clone_from(version);
                }
                if credential.is_some() {
                    run.details.credential.clone_from(credential);
                }
                run.details.agent_started = true;
                News::of_run(&run, "started").tell(write, "the agent works", occasion)?;
            }
            Fact::Session { id } => run.session = Some(id.clone()),
            Fact::Model { name } => run.details.model = Some(name.clone()),
            Fact::TurnTaken => {
                run.turn_taken = true;
                message::take(write, run.number, occasion.now)?;
            }
            Fact::ResultTaken { key } => {
                if let Some(call) = signal::by_key(write, run.number, key)? {
                    message::take_handed(write, run.number, call.seq..=call.seq, occasion.now)?;
                }
            }
            Fact::Activity { text } => {
                run.details.activity = Some(text.clone());
                // Before, it is the sandbox that is set up. And a turn alone may be the program's own words about a
                // login that was refused.
                if run.details.agent_started {
                    run.details.worked = true;
                    health::note(write, &run, &Sign::Served, occasion)?;
                }
                News::of_run(&run, "activity").tell(write, text, occasion)?;
            }
            Fact::Usage { usage } => run.usage = usage.clone(),
            Fact::Denied { denial } => deny(&mut run, denial),
            Fact::ProviderRetry { message } => {
                News::of_run(&run, "provider").tell(write, message, occasion)?;
            }
            Fact::Notice { text } => say(write, &mut run, Some(text), occasion)?,
        }
    }
    execution::save(write, &run)?;
    if facts.iter().any(|fact| matches!(fact, Fact::Usage { .. })) {
        budget::enforce(write, run.task, occasion)?;
    }
    Ok(())
}

/// Tells people of something, and keeps it.
fn say(
    write: &mut Write<'_>,
    run: &mut ExecutionRow,
    text: Option<&str>,
    occasion: &Occasion,
) -> Result<(), Failure> {
    let Some(text) = text else { return Ok(()) };
    if run.details.notices.len() < MAX_NOTICES {
        run.details.notices.push(text.to_owned());
    }
    News::of_run(run, "notice").tell(write, text, occasion)
}

fn deny(run: &mut ExecutionRow, denial: &Denial) {
    let same = |known: &&mut Denial| known.tool == denial.tool && known.input == denial.input;
    if let Some(known) = run.details.denials.iter_mut().find(same) {
        known.count = denial.count;
    } else if run.details.denials.len() < MAX_DENIALS {
        run.details.denials.push(denial.clone());
    }
}

/// The first phase of the end: the token is worth nothing from here on (only a running execution's
/// token is), the signals are folded, and the task's fate is decided, all in this transaction.
fn agent_ended(
    write: &mut Write<'_>,
    mut run: ExecutionRow,
    ending: &Ending,
    occasion: &Occasion,
) -> Result<(), Failure> {
    if run.state != ExecutionState::Running {
        return Err(Failure::refused(ErrorCode::Refused, "the agent's part is already over"));
    }
    if ending.turn_taken {
        run.turn_taken = true;
        message::take(write, run.number, occasion.now)?;
    }
    let signals = signal::of_execution(write, run.number)?;
    let summary = fold(signals.iter().map(|row| &row.call), ending.final_message.as_deref());
    run.usage = ending.usage.clone();
    if ending.session.is_some() {
        run.session.clone_from(&ending.session);
    }
    run.details.exit = ending.exit;
    run.details.denials = ending.denials.iter().take(MAX_DENIALS).cloned().collect();
    run.details.ending = Some(ending.clone());
    run.details.summary = summary.text;
    run.details.summary_source = Some(summary.source);
    run.details.reported = summary.outcome;
    if ending.turn_taken {
        say_unmeasured(write, &mut run, occasion)?;
    }
    execution::save(write, &run)?;
    let event = TaskEvent::AgentEnded { ending: Box::new(ending.clone()), reported: summary.outcome };
    apply(write, run.task, &event, occasion)?;
    if let Some(sign) = Sign::of(&ending.end, ending.turn_taken) {
        health::note(write, &run, &sign, occasion)?;
    }
    budget::enforce(write, run.task, occasion)
}

/// A limit that could not hold a run is not passed over in silence.
pub(super) fn say_unmeasured(
    write: &mut Write<'_>,
    run: &mut ExecutionRow,
    occasion: &Occasion,
) -> Result<(), Failure> {
    // Which costs nothing unless it says so.
    if run.details.agent == "scripted" {
        return Ok(());
    }
    let row = task::get(write, run.task)?.ok_or_else(|| Failure::unknown(run.task))?;
    let text = unmeasured(budget::of_tree(write, &row.terms())?, &run.usage);
    say(write, run, text, occasion)
}

fn to_verify(write: &mut Write<'_>, run: &ExecutionRow, occasion: &Occasion) -> Result<(), Failure> {
    if run.state != ExecutionState::Delivering {
        return Err(nothing_to_verify());
    }
    execution::save(write, run)?;
    apply(write, run.task, &TaskEvent::ToVerify, occasion)?;
    Ok(())
}

fn nothing_to_verify() -> Failure {
    Failure::refused(ErrorCode::Refused, "there is nothing to verify yet")
}

fn found(
    write: &mut Write<'_>,
    mut run: ExecutionRow,
    verified: &Verified,
    occasion: &Occasion,
) -> Result<(), Failure> {
    if run.state != ExecutionState::Delivering {
        return Err(nothing_to_verify());
    }
    run.details.verified = Some(verified.clone());
    execution::save(write, &run)?;
    let (event, words) = match verified.fault() {
        None => (TaskEvent::Verified, format!("`{}` passed", verified.command)),
        Some(fault) => (TaskEvent::NotVerified { fault: fault.clone() }, fault.message),
    };
    News::of_run(&run, "verify").tell(write, &words, occasion)?;
    apply(write, run.task, &event, occasion)?;
    Ok(())
}

fn ended(
    write: &mut Write<'_>,
    mut run: ExecutionRow,
    finish: &Finish,
    occasion: &Occasion,
) -> Result<(), Failure> {
    if run.state != ExecutionState::Delivering {
        return Err(Failure::refused(ErrorCode::Refused, "there is nothing to deliver yet"));
    }
    let kept = is_kept(write, &run)?;
    let event = match finish {
        Finish::Delivered { delivery, notice } => {
            run.details.delivery.clone_from(delivery);
            run.details.settled = true;
            say(write, &mut run, notice.as_deref(), occasion)?;
            TaskEvent::Delivered
        }
        Finish::Kept { kept, notice } => {
            run.details.kept.clone_from(kept);
            // An earlier try that failed does not stand beside work that is kept now.
            run.details.not_kept = None;
            run.details.settled = true;
            say(write, &mut run, notice.as_deref(), occasion)?;
            TaskEvent::Kept
        }
        Finish::Conflicted { conflict } => {
            let fault = conflict.fault();
            run.details.conflict = Some(conflict.clone());
            say(write, &mut run, Some(&fault.message), occasion)?;
            TaskEvent::Conflicted { fault }
        }
        // Nothing turns an end that is decided into another one.
        Finish::Failed { fault } if kept => {
            run.details.not_kept = Some(fault.message.clone());
            TaskEvent::Kept
        }
        Finish::Stopped => TaskEvent::FinishStopped,
        Finish::Failed { fault } => TaskEvent::DeliveryFailed { fault: fault.clone() },
    };
    execution::save(write, &run)?;
    apply(write, run.task, &event, occasion)?;
    Ok(())
}
