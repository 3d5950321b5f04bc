//! What a task asks for and the description of its agent does not have: refused by its name, never left out.

use crate::vocabulary::{AgentDescription, Fault, Permissions};

/// The fault of a task that wants `what`, for which the description of the agent `name` would need `key`.
pub(super) fn lacking(name: &str, what: &str, key: &str) -> Fault {
    let message = format!("{what} is not supported: the description of `{name}` has no `{key}`");
    Fault::new("option_invalid", message)
        .hinted(format!("`[agents.{name}]` of the configuration describes it"))
}

/// The arguments that hold the agent `name` to `permissions`, as `description` has them.
pub(super) fn holding<'d>(
    name: &str,
    description: &'d AgentDescription,
    permissions: Permissions,
) -> Result<&'d [String], Fault> {
    let arguments = description.permissions.get(&permissions).map(Vec::as_slice);
    arguments.ok_or_else(|| {
        let word = permissions.word();
        let fault = lacking(name, &format!("`permissions: {word}`"), &format!("permissions.{word}"));
        Fault { code: "permissions_refused".into(), ..fault }
    })
}

/// The line of a task file with the permissions, of those that `description` has, under which something may have been
/// allowed that was denied: what each of them allows, the program alone knows.
pub(super) fn more_than_reading(description: &AgentDescription) -> String {
    let more = description.permissions.keys().filter(|permissions| **permissions != Permissions::Read);
    let words: Vec<&str> = more.map(|permissions| permissions.word()).collect();
    format!("permissions: {}", if words.is_empty() { "edit".to_owned() } else { words.join(" or ") })
}
