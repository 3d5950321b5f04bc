//! The one table of what a task may say: every field's name and how its value is read.

use std::path::Path;

use super::{
    PartialSpec,
    agent_wish::agent,
    limits, preparation,
    retry::{retry, seconds},
    strings::{check_variable, line, lines, map},
};
use crate::{
    document::{Entry, Faults, Node, Value, flag, text, unknown, whole, word},
    vocabulary::{BaseChoice, Deliver, IsolationChoice, OnRateLimit, Permissions, Priority},
};

/// The longest instructions, in characters.
pub(super) const MAX_INSTRUCTIONS: usize = 200_000;

/// The longest command, in characters.
const MAX_COMMAND: usize = 4096;

/// A task that is being read.
#[derive(Debug)]
pub struct Reading<'a> {
    /// What was read so far.
    pub spec: PartialSpec,
    /// What relative paths are relative to; absolute.
    pub directory: &'a Path,
    /// What was wrong so far.
    pub faults: &'a mut Faults,
}

type Read = fn(&Node, &mut Reading<'_>);

/// Every field but `after`, which is not a value of the task but its place among others.
const FIELDS: [(&str, Read); 31] = [
    ("name", |node, task| task.spec.name = line(node, "name", 200, task.faults)),
    ("instructions", |node, task| task.spec.instructions = instructions(node, task.faults)),
    ("project", project),
    ("base", |node, task| task.spec.base = base(node, task.faults)),
    ("agent", |node, task| task.spec.agent = agent(node, task.faults)),
    ("model", |node, task| task.spec.model = line(node, "model", 200, task.faults)),
    ("permissions", |node, task| {
        let words = [("read", Permissions::Read), ("edit", Permissions::Edit), ("full", Permissions::Full)];
        task.spec.permissions = word(node, "permissions", &words, task.faults);
    }),
    ("isolation", |node, task| task.spec.isolation = isolation(node, task.faults)),
    ("options", |node, task| task.spec.options = map(node, "options", task.faults)),
    ("env", |node, task| task.spec.env = env(node, task.faults)),
    ("env_names", |node, task| task.spec.env_names = env_names(node, task.faults)),
    ("priority", |node, task| {
        let words = [("high", Priority::High), ("normal", Priority::Normal), ("low", Priority::Low)];
        task.spec.priority = word(node, "priority", &words, task.faults);
    }),
    ("tags", |node, task| task.spec.tags = lines(node, "tags", 100, task.faults)),
    ("copy", |node, task| task.spec.copy = preparation::paths(node, "copy", task.faults)),
    ("sparse", |node, task| task.spec.sparse = preparation::paths(node, "sparse", task.faults)),
    ("submodules", |node, task| task.spec.submodules = flag(node, "submodules", task.faults)),
    ("setup", |node, task| task.spec.setup = command(node, "setup", task.faults)),
    ("setup_timeout", |node, task| {
        task.spec.setup_timeout_seconds = seconds(node, "setup_timeout", task.faults);
    }),
    ("timeout", |node, task| task.spec.timeout_seconds = seconds(node, "timeout", task.faults)),
    ("idle_timeout", |node, task| task.spec.idle_timeout = limits::idle_timeout(node, task.faults)),
    ("max_cost_usd", |node, task| task.spec.max_cost_usd = limits::max_cost_usd(node, task.faults)),
    ("max_tokens", |node, task| task.spec.max_tokens = limits::max_tokens(node, task.faults)),
    ("retry", |node, task| task.spec.retry = retry(node, task.faults)),
    ("on_rate_limit", |node, task| {
        let words = [("wait", OnRateLimit::Wait), ("fail", OnRateLimit::Fail)];
        task.spec.on_rate_limit = word(node, "on_rate_limit", &words, task.faults);
    }),
    ("deliver", |node, task| {
        let words = [
            ("branch", Deliver::Branch),
            ("merge", Deliver::Merge),
            ("patch", Deliver::Patch),
            ("none", Deliver::None),
        ];
        task.spec.deliver = word(node, "deliver", &words, task.faults);
    }),
    ("review", |node, task| task.spec.review = flag(node, "review", task.faults)),
    ("verify", |node, task| task.spec.verify = command(node, "verify", task.faults)),
    ("verify_tries", |node, task| task.spec.verify_tries = tries(node, task.faults)),
    ("require_summary", |node, task| {
        task.spec.require_summary = flag(node, "require_summary", task.faults);
    }),
    ("require_changes", |node, task| {
        task.spec.require_changes = flag(node, "require_changes", task.faults);
    }),
    ("resume_after_subtasks", |node, task| {
        task.spec.resume_after_subtasks = flag(node, "resume_after_subtasks", task.faults);
    }),
];

/// The names of all fields this version has, except `after`.
pub fn field_names() -> impl Iterator<Item = &'static str> {
    FIELDS.iter().map(|(name, _)| *name)
}

/// Reads one field into `task`, or notes what is wrong with it; `also` names what else could stand
/// in its place, for the suggestion to a slip.
pub fn read_field(entry: &Entry, also: &[&'static str], task: &mut Reading<'_>) {
    let name = entry.key.as_str();
    if let Some((_, read)) = FIELDS.iter().find(|(field, _)| *field == name) {
        read(&entry.value, task);
    } else {
        unknown(entry, "", field_names().chain(also.iter().copied()), task.faults);
    }
}

fn instructions(node: &Node, faults: &mut Faults) -> Option<String> {
    let given = text(node, "instructions", faults)?;
    if given.trim().is_empty() {
        faults.field(node.line, "instructions", "is empty");
    } else if given.chars().count() > MAX_INSTRUCTIONS {
        let message = format!("must be at most {MAX_INSTRUCTIONS} characters long");
        faults.field(node.line, "instructions", message);
    } else {
        return Some(given.to_owned());
    }
    None
}

fn command(node: &Node, field: &str, faults: &mut Faults) -> Option<String> {
    let given = text(node, field, faults)?;
    if given.trim().is_empty() || given.chars().count() > MAX_COMMAND {
        faults.field(node.line, field, format!("must be a command of 1 to {MAX_COMMAND} characters"));
        return None;
    }
    Some(given.to_owned())
}

fn tries(node: &Node, faults: &mut Faults) -> Option<u32> {
    let number = whole(node, "verify_tries", (0, 100), faults)?;
    u32::try_from(number).ok()
}

fn project(node: &Node, task: &mut Reading<'_>) {
    let Some(path) = line(node, "project", 4096, task.faults) else { return };
    if path.starts_with('~') {
        task.faults.field(node.line, "project", "begins with `~`, which only a shell expands");
        return;
    }
    let joined = task.directory.join(path);
    task.spec.project = Some(std::path::absolute(&joined).unwrap_or(joined));
}

fn base(node: &Node, faults: &mut Faults) -> Option<BaseChoice> {
    let given = line(node, "base", 250, faults)?;
    match given.as_str() {
        "head" => Some(BaseChoice::Head),
        "after" => Some(BaseChoice::After),
        "worktree" => Some(BaseChoice::Worktree),
        _ if given.starts_with('-') || given.contains(char::is_whitespace) => {
            faults.field(
                node.line,
                "base",
                "must be `head`, `worktree`, `after`, or a branch, tag or commit",
            );
            None
        }
        _ => Some(BaseChoice::Revision(given)),
    }
}

/// Anything but the three words is a launcher's command line; whether there is such a program is seen
/// where the task is to run.
fn isolation(node: &Node, faults: &mut Faults) -> Option<IsolationChoice> {
    let given = line(node, "isolation", 4096, faults)?;
    let choice = IsolationChoice::parse(&given);
    choice.map_err(|error| faults.field(node.line, "isolation", error.to_string())).ok()
}

fn env(node: &Node, faults: &mut Faults) -> std::collections::BTreeMap<String, String> {
    if matches!(node.value, Value::List(_)) {
        faults.field(
            node.line,
            "env",
            "must be a map of names to values; names whose values are looked up at launch go in `env_names`",
        );
        return std::collections::BTreeMap::new();
    }
    let map = map(node, "env", faults);
    for name in map.keys() {
        check_variable(name, node.line, "env", faults);
    }
    map
}

fn env_names(node: &Node, faults: &mut Faults) -> Vec<String> {
    let names = lines(node, "env_names", 200, faults);
    for name in &names {
        check_variable(name, node.line, "env_names", faults);
    }
    names
}
