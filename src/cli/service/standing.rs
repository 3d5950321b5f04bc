//! How the service stands, for a person and as JSON.

use std::path::{Path, PathBuf};

use serde::Serialize;

use super::{
    manager,
    unit::{Author, Unit},
    unit_file::{Found, find},
};
use crate::cli::{context::Context, error::CliError, sanitise};

/// The JSON of `callbox service install` and `status`.
#[derive(Debug, Serialize)]
pub(crate) struct Standing {
    /// The file of the unit.
    pub(crate) unit: PathBuf,
    /// Who wrote it.
    pub(crate) written_by: Option<&'static str>,
    /// How it stands with systemd.
    pub(crate) active: Option<String>,
    /// Whether systemd starts it by itself.
    pub(crate) enabled: Option<String>,
    /// Whether it goes on while its person is not logged in.
    pub(crate) lingering: Option<bool>,
    /// Whether the unit starts this very program.
    pub(crate) program_matches: Option<bool>,
    /// Whether the unit gives it this PATH.
    pub(crate) path_matches: Option<bool>,
    /// Why systemd's user manager was not asked.
    pub(crate) unreachable: Option<String>,
}

/// Looks at the unit at `file`, at what `wanted` would say, and asks the manager.
pub(crate) async fn look(context: &Context, file: &Path, wanted: &Unit) -> Result<Standing, CliError> {
    let found = find(file).map_err(CliError::unavailable)?;
    let written_by = match &found {
        Found::Nothing => None,
        Found::Unit { author: Author::Callbox, .. } => Some("callbox"),
        Found::Unit { author: Author::Changed, .. } => Some("callbox, and changed since"),
        Found::Unit { author: Author::Another, .. } | Found::Other => Some("another"),
    };
    let text = match &found {
        Found::Unit { text, .. } => Some(text),
        Found::Nothing | Found::Other => None,
    };
    let (state, unreachable) = match manager::state().await {
        Ok(state) => (Some(state), None),
        Err(reason) => (None, Some(reason)),
    };
    let user = context.surroundings.value("USER").and_then(|user| user.to_str());
    Ok(Standing {
        unit: file.to_owned(),
        written_by,
        active: state.as_ref().map(|state| state.active.clone()),
        enabled: state.map(|state| state.enabled).filter(|enabled| !enabled.is_empty()),
        lingering: manager::lingers(user).await,
        program_matches: text.map(|text| wanted.starts_this_program(text)),
        path_matches: text.map(|text| wanted.gives_this_path(text)),
        unreachable,
    })
}

/// A line for each thing that a person wants to know.
pub(crate) fn words(standing: &Standing) -> String {
    let unit = sanitise::line(&standing.unit.to_string_lossy());
    let mut lines = vec![match standing.written_by {
        None => format!("not installed: {unit} is not there; `callbox service install` writes it"),
        Some(author) => format!("unit       {unit}, written by {author}"),
    }];
    match (&standing.active, &standing.unreachable) {
        (Some(active), _) if standing.written_by.is_some() => {
            let enabled = standing.enabled.as_deref().unwrap_or("not known to systemd");
            lines.push(format!("service    {}, {}", sanitise::line(active), sanitise::line(enabled)));
            lines.extend(advice(active).map(str::to_owned));
        }
        (None, Some(reason)) => lines.push(format!("service    not known: {}", sanitise::line(reason))),
        _ => {}
    }
    if standing.written_by.is_some() {
        lines.push(lingering(standing.lingering).to_owned());
    }
    if standing.program_matches == Some(false) {
        lines.push(
            "program    another than this one; `callbox service install` has it start this one".to_owned(),
        );
    }
    if standing.path_matches == Some(false) {
        lines.push(
            "PATH       another than yours here; `callbox service install` records this one".to_owned(),
        );
    }
    lines.join("\n") + "\n"
}

fn advice(active: &str) -> Option<&'static str> {
    match active {
        "activating" => Some(
            "           it waits for another store to end, or is begun again and again: \
             `journalctl --user --unit callbox` has its words",
        ),
        "failed" => Some("           `journalctl --user --unit callbox` has its words"),
        _ => None,
    }
}

fn lingering(lingers: Option<bool>) -> &'static str {
    match lingers {
        Some(true) => "lingering  yes: it starts with the machine and goes on while you are not logged in",
        Some(false) => {
            "lingering  no: it and all its runs end when you log out; `loginctl enable-linger` has it go on"
        }
        None => "lingering  not known: `loginctl enable-linger` has it go on while you are not logged in",
    }
}
