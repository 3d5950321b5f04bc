//! The keys of the configuration that are no fields of a task.

use super::{agents, description, gc, limits, load, notify, quotas, sandbox};

/// Every one, those of a table behind its name: `limits.depth`, `agents.NAME.program`.
pub fn keys() -> Vec<String> {
    let within = |table: &str, names: &[&str]| names.iter().map(|name| format!("{table}.{name}")).collect();
    let keys = load::ALSO.iter().map(|key| match *key {
        "agents" => within("agents.NAME", &[&agents::NAMES[..], &description::NAMES].concat()),
        "limits" => within("limits", &limits::NAMES),
        "notify" => within("notify", &notify::NAMES),
        "gc" => within("gc", &gc::NAMES),
        "sandbox" => within("sandbox", &sandbox::NAMES),
        "budget" => within("budget", &quotas::BUDGET),
        "projects" => {
            let mut keys = vec!["projects.\"PATH\"".to_owned()];
            keys.extend(within("projects.\"PATH\"", &quotas::PROJECT));
            keys
        }
        key => vec![key.to_owned()],
    });
    keys.flat_map(|keys: Vec<String>| keys).collect()
}
