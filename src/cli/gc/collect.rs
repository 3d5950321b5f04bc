//! From what stands to what is gone.

use std::{
    collections::{BTreeMap, BTreeSet},
    path::Path,
};

use super::{
    bin::Bin,
    branches::remove_branches,
    choose::{Fate, Policy, Turn, Why, choose},
    held::held,
    patched::keep_patched,
    report::{Collected, Removed, Stays},
};
use crate::{
    cli::{
        context::Context,
        error::{CliError, ErrorKind},
        gather,
        opened::Opened,
        travel::clear_broken_off,
    },
    host::prepared,
    ids::{TaskNumber, Timestamp},
    protocol::remains::{KeptIn, Remains, RemainsReply, SweepRequest},
    sandbox::{self, Git},
};

/// Whether anything is done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mode {
    /// Only looked at.
    Look,
    /// Removed.
    Remove,
}

/// Removes, or says that it would, what `policy` lets go.
pub(crate) async fn collect(
    context: &Context,
    store: &mut Opened,
    policy: &Policy,
    mode: Mode,
) -> Result<Collected, CliError> {
    let state = prepared(context.state.root())?;
    let git = gather::git(context)?;
    let bin = Bin::of(&state);
    if mode == Mode::Remove {
        clear_broken_off(&state, store).await?;
    }
    let reply = store.look(async |operator| operator.remains().await).await?;
    dropped_are_there(store, policy, &reply).await?;
    let RemainsReply { tasks, given_up, kept, branches } = reply;
    let all: Vec<(Remains, u64)> = tasks.into_iter().map(measured).collect();
    let standing = sandbox::size(&state.sandboxes()).saturating_add(sandbox::size(&state.executions()));
    let unfinished = given_up.iter().map(|path| sandbox::size(path)).sum::<u64>().saturating_add(bin.size());
    let now = Timestamp::now();
    let merged = merged(&git, &all, policy, now);
    let turn = Turn { policy, merged: &merged, now };
    let fates = choose(&all, standing.saturating_sub(unfinished), turn, |remains| held(&git, remains));
    let mut collected = Collected {
        dry_run: mode == Mode::Look,
        removed: Vec::new(),
        stays: Vec::new(),
        unfinished,
        freed: unfinished,
        taken: 0,
        kept: still_kept(&git, &kept),
        branches: Vec::new(),
        failed: Vec::new(),
    };
    if mode == Mode::Remove {
        collected.failed(&bin.take(given_up.iter().map(AsRef::as_ref)));
    }
    for fate in &fates {
        let verdict = match &fate.verdict {
            // The first look may be long ago: a person may work in a sandbox while others are removed.
            Ok(why @ (Why::Age | Why::Merged | Why::Room)) if mode == Mode::Remove => {
                match held(&git, fate.remains) {
                    Some(reason) => Err(reason),
                    None => give_up(store, &git, fate, *why).await?,
                }
            }
            Ok(why) if mode == Mode::Remove => give_up(store, &git, fate, *why).await?,
            Ok(why) => Ok(Given { why: *why, kept: usize::from(fate.remains.patched.is_some()) }),
            Err(reason) => Err(reason.clone()),
        };
        match verdict {
            Ok(Given { why, kept }) => {
                collected.kept += kept;
                if mode == Mode::Remove {
                    bin.given_up();
                    collected.failed(&bin.take(paths(fate.remains)));
                }
                collected.freed = collected.freed.saturating_add(fate.size);
                collected.removed.push(Removed::of(fate, why));
            }
            Err(reason) => collected.stays.push(Stays::of(fate, reason)),
        }
    }
    if mode == Mode::Remove {
        collected.failed(&bin.empty());
    }
    if let Some(keep) = policy.keep_branches {
        // Behind the sandboxes: whether one holds work that stands nowhere else is asked of the branches too.
        let (removed, failed) = remove_branches(&git, &branches, (keep, now), mode);
        collected.branches = removed;
        collected.failed(&failed);
    }
    if !collected.failed.is_empty() {
        // What could not be removed takes its room as before.
        let left = sandbox::size(&state.sandboxes()).saturating_add(sandbox::size(&state.executions()));
        collected.freed = standing.saturating_sub(left);
    }
    collected.taken = standing.saturating_sub(collected.freed);
    Ok(collected)
}

/// A slip in a number must not pass for something that was done.
async fn dropped_are_there(
    store: &mut Opened,
    policy: &Policy,
    reply: &RemainsReply,
) -> Result<(), CliError> {
    let there: BTreeSet<_> = reply.tasks.iter().map(|remains| remains.task).collect();
    match policy.drop.iter().find(|task| !there.contains(task)) {
        None => Ok(()),
        Some(task) => {
            // One that never was is refused as everywhere.
            store.look(async |operator| operator.task(*task).await).await?;
            Err(CliError::new(ErrorKind::Refused, format!("`{task}` has left nothing that could be dropped"))
                .hinted(format!(
                    "only what an ended task left can be; `callbox why {task}` says how it stands"
                )))
        }
    }
}

fn paths(remains: &Remains) -> impl Iterator<Item = &Path> {
    remains.sandboxes.iter().chain(&remains.others).map(AsRef::as_ref)
}

fn measured(remains: Remains) -> (Remains, u64) {
    let size = paths(&remains).map(sandbox::size).fold(0, u64::saturating_add);
    (remains, size)
}

/// The tasks whose turn it is once all their work is merged, and for which that is so. What git cannot tell is not.
fn merged(git: &Git, all: &[(Remains, u64)], policy: &Policy, now: Timestamp) -> BTreeSet<TaskNumber> {
    let Some(keep) = policy.keep_merged else { return BTreeSet::new() };
    let all = all.iter().map(|(remains, _)| remains);
    let old = all.filter(|remains| now.since(remains.ended_at) >= keep && remains.state == "completed");
    let is_merged = |remains: &&Remains| {
        let heads: Vec<&str> = remains.handed.iter().map(|handed| handed.head.as_str()).collect();
        remains
            .project
            .as_deref()
            .is_some_and(|project| sandbox::is_merged(git, project, &heads).unwrap_or(false))
    };
    old.filter(is_merged).map(|remains| remains.task).collect()
}

/// What was given up.
struct Given {
    why: Why,
    /// Works of it that were kept in its project.
    kept: usize,
}

/// Keeps what must be, and has the store record it; it refuses where the task has gone on since it was looked at.
async fn give_up(
    store: &mut Opened,
    git: &Git,
    fate: &Fate<'_>,
    why: Why,
) -> Result<Result<Given, String>, CliError> {
    let kept = match (keep_patched(git, fate.remains), why) {
        (Ok(kept), _) => kept,
        // Whoever wants it gone has the patch.
        (Err(_), Why::Wish) => None,
        (Err(reason), Why::Age | Why::Merged | Why::Room) => return Ok(Err(reason)),
    };
    let given = Given { why, kept: usize::from(kept.is_some()) };
    let (task, request) = (fate.remains.task, SweepRequest { ended_at: fate.remains.ended_at, kept });
    match store.act(async |operator| operator.sweep(task, &request).await).await {
        Ok(_) => Ok(Ok(given)),
        Err(error) if error.kind() == ErrorKind::Refused => Ok(Err(error.sentence())),
        Err(error) => Err(error),
    }
}

/// How many of them are still there: a person may have taken and removed them.
fn still_kept(git: &Git, kept: &[KeptIn]) -> usize {
    let mut projects: BTreeMap<&Path, Vec<(String, String)>> = BTreeMap::new();
    for one in kept {
        projects
            .entry(&one.project)
            .or_insert_with(|| sandbox::kept_references(git, &one.project).unwrap_or_default());
    }
    let stands = |one: &&KeptIn| {
        let there = projects.get(one.project.as_path());
        there.is_some_and(|all| all.iter().any(|(name, head)| *name == one.reference && *head == one.head))
    };
    kept.iter().filter(stands).count()
}

impl Collected {
    fn failed<E: ToString>(&mut self, reasons: &[E]) {
        self.failed.extend(reasons.iter().map(ToString::to_string));
    }
}
