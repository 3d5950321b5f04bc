//! The agent programs: found, their version, what they would log in with, and a rehearsal.

use std::path::Path;

use tokio::process::Command;

use super::{finding::Finding, program::printed, rehearsal::rehearse};
use crate::{
    agents::Adapter,
    cli::{
        context::Context,
        gather::{self, Programs},
    },
};

/// Which agents are looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Wanted<'a> {
    /// Each that callbox knows. One that is not installed is only worth a warning: others run without.
    All,
    /// The one of this name, which must be there.
    One(&'a str),
}

/// How far they are looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Depth {
    /// Their version and login.
    Version,
    /// A rehearsal besides.
    Rehearsal,
}

/// The findings about each agent that is wanted.
pub(crate) async fn check_agents(
    context: &Context,
    programs: &Programs,
    wanted: Wanted<'_>,
    depth: Depth,
) -> Vec<Finding> {
    let mut findings = Vec::new();
    for adapter in context.agents.all() {
        if wanted == Wanted::All || wanted == Wanted::One(adapter.name()) {
            findings.extend(check_agent(adapter, context, programs, (wanted, depth)).await);
        }
    }
    findings
}

async fn check_agent(
    adapter: &dyn Adapter,
    context: &Context,
    programs: &Programs,
    (wanted, depth): (Wanted<'_>, Depth),
) -> Vec<Finding> {
    let name = adapter.name();
    if gather::is_built_in(adapter) {
        return vec![Finding::ok(name, "built in; needs no login")];
    }
    let Some(program) = programs.of(adapter) else { return vec![missing(name, wanted)] };
    let version = match version(adapter, &program).await {
        Ok(version) => version,
        Err(reason) => {
            let message = format!("{}: {reason}", program.display());
            return vec![Finding::fail(name, message, "run it by hand to see why")];
        }
    };
    let mut findings = vec![login(adapter, context, &format!("{}, {version}", program.display()))];
    if depth == Depth::Rehearsal {
        let search = context.surroundings.value("PATH");
        findings.extend(rehearse(adapter, &program, search.map(AsRef::as_ref)).await);
    }
    findings
}

fn missing(name: &str, wanted: Wanted<'_>) -> Finding {
    let (message, hint) = (
        "its program is not on the PATH",
        "install it if you want to use it, or name its path in the configuration",
    );
    match wanted {
        Wanted::All => Finding::warn(name, message, hint),
        Wanted::One(_) => Finding::fail(name, message, hint),
    }
}

async fn version(adapter: &dyn Adapter, program: &Path) -> Result<String, String> {
    let mut command = Command::new(program);
    let scratch = tempfile::tempdir().map_err(|error| format!("there is no place to ask it in: {error}"))?;
    command.args(adapter.version_arguments()).envs(adapter.version_variables(scratch.path()));
    let text = printed(&mut command).await?;
    Ok(match adapter.parse_version(text.trim()) {
        Some(version) => format!("version {version}"),
        None => "a version that could not be read".to_owned(),
    })
}

fn login(adapter: &dyn Adapter, context: &Context, found: &str) -> Finding {
    let name = adapter.name();
    let environment = gather::environment(context, &[]).unwrap_or_default();
    let file = adapter.login_file(&environment).and_then(|path| std::fs::read_to_string(path).ok());
    match adapter.credential(&environment, file.as_deref()) {
        Some(kind) => Finding::ok(name, format!("{found}, login by {kind}")),
        None => Finding::warn(
            name,
            format!("{found}, no login in the environment"),
            format!("fine if `{name}` was logged in by hand; else set one of its variables"),
        ),
    }
}
