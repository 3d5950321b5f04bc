//! What rows from elsewhere must be before one of them is stored. Whoever made them may have made up anything.

use std::{
    collections::{BTreeMap, BTreeSet},
    path::{Component, Path},
};

use super::submit;
use crate::{
    database::rows::{
        execution::{ExecutionRow, ExecutionState},
        question::QuestionState,
        task::TaskRow,
        tree::Rows,
    },
    domain::{BlockedOn, TaskState},
    ids::{ExecutionNumber, QuestionNumber, TaskNumber},
    vocabulary::{ATTACHED, BaseChoice},
};

/// The highest count of anything, such as of attempts.
const HIGHEST: u32 = 1_000_000;
/// The longest span of time, in seconds: ten years.
const LONGEST: u64 = 10 * 366 * 24 * 3600;
/// The highest number of a task, an execution or a question.
const LAST: i64 = 1 << 40;
/// The most dollars of one run.
const DEAREST: f64 = 1e9;
/// Characters of a name that an agent program gave something.
const NAME: usize = 500;

/// What is wrong, as the end of a sentence that begins with the task or execution.
type Wrong = String;

/// Refuses rows that no store would have written.
pub(super) fn check(rows: &Rows) -> Result<(), Wrong> {
    let mut tasks: BTreeMap<TaskNumber, &TaskRow> = BTreeMap::new();
    let mut names = BTreeSet::new();
    if rows.tasks.is_empty() {
        return Err("there are no tasks".to_owned());
    }
    for row in &rows.tasks {
        let number = row.number;
        let wrong = |what: &str| Err(format!("`{number}` {what}"));
        let last = tasks.last_key_value().map(|(last, _)| *last);
        if last.is_some_and(|last| last >= number) || number.value() > LAST {
            return wrong("is out of order");
        }
        if tasks.values().any(|other| other.id == row.id) {
            return wrong("has the identity of another");
        }
        place(row, &tasks).or_else(wrong)?;
        if row.parent.is_some_and(|parent| !names.insert((parent, row.spec.name.as_str()))) {
            return wrong("has the name of another subtask");
        }
        submit::check(0, &row.spec).map_err(|_| format!("`{number}` is no task that can be queued"))?;
        spec(row).or_else(wrong)?;
        tasks.insert(number, row);
    }
    for dependency in &rows.dependencies {
        let known = tasks.contains_key(&dependency.task) && tasks.contains_key(&dependency.predecessor);
        if !known || dependency.predecessor >= dependency.task {
            return Err(format!("`{}` comes after a task that cannot be before it", dependency.task));
        }
    }
    let runs = executions(rows, &tasks)?;
    signals(rows, &runs)?;
    let questions = questions(rows, &tasks, &runs)?;
    for row in &rows.tasks {
        let open =
            rows.questions.iter().any(|asked| asked.task == row.number && asked.state == QuestionState::Open);
        if row.state == (TaskState::Blocked { on: BlockedOn::Question }) && !open {
            return Err(format!("`{}` is blocked on a question, and none is open", row.number));
        }
    }
    messages(rows, &tasks, &runs, &questions)
}

/// Where it hangs in its tree.
fn place(row: &TaskRow, before: &BTreeMap<TaskNumber, &TaskRow>) -> Result<(), &'static str> {
    let (root, depth) = match row.parent {
        None => (row.number, 0),
        Some(parent) => {
            let parent = before.get(&parent).ok_or("has a parent that is not there")?;
            (parent.root, parent.depth + 1)
        }
    };
    if (row.root, row.depth) != (root, depth) {
        return Err("does not hang where it says");
    }
    Ok(())
}

fn spec(row: &TaskRow) -> Result<(), &'static str> {
    let spec = &row.spec;
    if matches!(row.state, TaskState::Running { .. } | TaskState::Keeping { .. }) {
        return Err("is running");
    }
    if spec.agent == ATTACHED || !is_name(&spec.agent) {
        return Err("is for no agent that callbox starts");
    }
    let counts =
        [row.failures, row.losses, row.rate_limits, row.mendings, row.sandboxes, row.swept_sandboxes];
    let counts = counts.into_iter().chain([spec.verify_tries, spec.retry.max_attempts, spec.retry.backoff]);
    if counts.max().is_some_and(|count| count > HIGHEST) || row.swept_sandboxes > row.sandboxes {
        return Err("counts too far");
    }
    let spans = [spec.timeout_seconds, spec.idle_timeout_seconds].into_iter().flatten();
    let mut spans = spans.chain([spec.setup_timeout_seconds, spec.retry.delay_seconds]);
    if spans.any(|span| span > LONGEST) {
        return Err("may take longer than ten years");
    }
    if spec.max_cost_usd.is_some_and(|dollars| !(0.0..=DEAREST).contains(&dollars)) {
        return Err("has a budget that is none");
    }
    if spec.copy.iter().chain(&spec.sparse).any(|path| !leads_down(path)) {
        return Err("takes files from outside of its project");
    }
    let revision = match &spec.base {
        BaseChoice::Revision(name) => Some(name),
        BaseChoice::Head | BaseChoice::Worktree | BaseChoice::After => None,
    };
    if revision.into_iter().chain(&spec.merge_into).any(|name| !is_revision(name)) {
        return Err("starts from what is no branch");
    }
    let spawned = row.spawn_base.as_ref().is_some_and(|base| {
        row.parent.is_none_or(|parent| place_in(&base.sandbox, "sandboxes", parent.value()).is_none())
            || base.commit.as_ref().is_some_and(|commit| !is_commit(commit))
    });
    if spawned {
        return Err("starts from another place than its parent's");
    }
    if row.variables.iter().chain(&spec.env_names).any(|name| !is_name(name)) {
        return Err("names a variable that can be none");
    }
    Ok(())
}

type Tasks<'r> = BTreeMap<TaskNumber, &'r TaskRow>;
type Runs<'r> = BTreeMap<ExecutionNumber, &'r ExecutionRow>;

fn executions<'r>(rows: &'r Rows, tasks: &Tasks<'_>) -> Result<Runs<'r>, Wrong> {
    let mut runs = Runs::new();
    for run in &rows.executions {
        let wrong = |what: &str| format!("`{}` {what}", run.number);
        let row = tasks.get(&run.task).ok_or_else(|| wrong("is of a task that is not there"))?;
        if runs.insert(run.number, run).is_some() || run.number.value() > LAST {
            return Err(wrong("is there twice"));
        }
        if run.state != ExecutionState::Ended || run.outcome.is_none() || run.ended_at.is_none() {
            return Err(wrong("has not ended"));
        }
        execution(run, row).map_err(wrong)?;
    }
    let swept =
        rows.tasks.iter().find(|row| row.swept_executions.is_some_and(|last| !runs.contains_key(&last)));
    match swept {
        Some(row) => Err(format!("`{}` has given up an execution that is not there", row.number)),
        None => Ok(runs),
    }
}

fn execution(run: &ExecutionRow, row: &TaskRow) -> Result<(), &'static str> {
    let details = &run.details;
    if let Some(sandbox) = &run.sandbox {
        let place =
            place_in(sandbox, "sandboxes", run.task.value()).and_then(|place| place.parse::<u32>().ok());
        if place.is_none_or(|place| !(1..=row.sandboxes).contains(&place)) {
            return Err("worked in a place that is no sandbox of its task");
        }
    }
    let delivery = details.delivery.as_ref();
    let patch = delivery.and_then(|delivery| delivery.patch.as_ref());
    if patch.is_some_and(|patch| place_in(patch, "executions", run.number.value()) != Some("work.patch")) {
        return Err("delivered a patch that is none");
    }
    let delivered = delivery.map(|delivery| [&delivery.base, &delivery.head]);
    let kept = details.kept.as_ref().map(|kept| [&kept.base, &kept.head]);
    let commits = delivered.into_iter().chain(kept).flatten().chain(&details.base);
    if commits.into_iter().any(|commit| !is_commit(commit)) {
        return Err("names a commit that is none");
    }
    let branch = delivery.and_then(|delivery| delivery.branch.as_ref());
    if branch.is_some_and(|branch| !is_revision(branch)) {
        return Err("delivered a branch that can be none");
    }
    if details
        .kept
        .as_ref()
        .is_some_and(|kept| !is_revision(&kept.reference) || !kept.reference.starts_with("refs/callbox/"))
    {
        return Err("keeps its work where callbox keeps none");
    }
    if run.session.as_ref().is_some_and(|session| !is_name(session)) || !is_name(&details.agent) {
        return Err("has the conversation of no program");
    }
    if run.attempt > HIGHEST || details.finishes > HIGHEST || run.last_report > u64::from(HIGHEST) {
        return Err("counts too far");
    }
    if run.usage.cost_usd.is_some_and(|dollars| !(0.0..=DEAREST).contains(&dollars)) {
        return Err("cost what nothing costs");
    }
    Ok(())
}

fn signals(rows: &Rows, runs: &Runs<'_>) -> Result<(), Wrong> {
    let (mut places, mut keys) = (BTreeSet::new(), BTreeSet::new());
    for signal in &rows.signals {
        let (run, key) = (signal.execution, signal.key.as_str());
        if !runs.contains_key(&run) || signal.seq == 0 || signal.seq > HIGHEST {
            return Err(format!("a call of `{run}` has no place in it"));
        }
        if !places.insert((run, signal.seq)) || !keys.insert((run, key)) {
            return Err(format!("a call of `{run}` is there twice"));
        }
    }
    Ok(())
}

fn questions(
    rows: &Rows,
    tasks: &Tasks<'_>,
    runs: &Runs<'_>,
) -> Result<BTreeMap<QuestionNumber, TaskNumber>, Wrong> {
    let (mut questions, mut places) = (BTreeMap::new(), BTreeSet::new());
    for asked in &rows.questions {
        let wrong = |what: &str| Err(format!("`{}` {what}", asked.number));
        let run = runs.get(&asked.execution).filter(|run| run.task == asked.task);
        if run.is_none() || !tasks.contains_key(&asked.task) {
            return wrong("was asked by nobody");
        }
        if asked.number.value() > LAST || questions.insert(asked.number, asked.task).is_some() {
            return wrong("is there twice");
        }
        if asked.ordinal == 0 || !places.insert((asked.task, asked.ordinal)) {
            return wrong("has the place of another");
        }
        if (asked.state == QuestionState::Answered) != asked.answer.is_some() {
            return wrong("is answered and has no answer, or the other way round");
        }
    }
    Ok(questions)
}

fn messages(
    rows: &Rows,
    tasks: &Tasks<'_>,
    runs: &Runs<'_>,
    questions: &BTreeMap<QuestionNumber, TaskNumber>,
) -> Result<(), Wrong> {
    let mut answered = BTreeSet::new();
    for message in &rows.messages {
        let wrong = |what: &str| Err(format!("a message for `{}` {what}", message.task));
        if !tasks.contains_key(&message.task) {
            return wrong("is for a task that is not there");
        }
        if let Some(question) = message.question
            && (questions.get(&question) != Some(&message.task) || !answered.insert(question))
        {
            return wrong("answers what nobody asked");
        }
        if message
            .subtask
            .is_some_and(|subtask| tasks.get(&subtask).is_none_or(|row| row.parent != Some(message.task)))
        {
            return wrong("tells of no subtask of its");
        }
        let mut carriers = [message.carried_by, message.handed_by].into_iter().flatten();
        if carriers.any(|run| runs.get(&run).is_none_or(|run| run.task != message.task)) {
            return wrong("was carried by no run of its");
        }
    }
    Ok(())
}

/// What stands behind `folder/number/`, where that is one name.
fn place_in<'p>(path: &'p Path, folder: &str, number: i64) -> Option<&'p str> {
    let rest = path.strip_prefix(folder).ok()?.strip_prefix(number.to_string()).ok()?.to_str()?;
    let is_whole = path.as_os_str().len() == format!("{folder}/{number}/{rest}").len();
    let mut parts = Path::new(rest).components();
    (is_whole && matches!(parts.next(), Some(Component::Normal(_))) && parts.next().is_none()).then_some(rest)
}

fn leads_down(path: &Path) -> bool {
    path.components().all(|part| matches!(part, Component::Normal(_) | Component::CurDir))
}

fn is_commit(text: &str) -> bool {
    matches!(text.len(), 40 | 64) && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// What git takes for a name and never for a flag, a range or a pattern.
fn is_revision(name: &str) -> bool {
    is_name(name)
        && !name.starts_with(['-', '/', '.'])
        && !name.ends_with(['/', '.'])
        && !name.contains("..")
        && !name.contains(|letter: char| letter.is_whitespace() || "?*[\\:^".contains(letter))
}

fn is_name(text: &str) -> bool {
    (1..=NAME).contains(&text.chars().count()) && !text.chars().any(char::is_control)
}
