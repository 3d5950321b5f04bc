//! The agent programs: found, their version, and what they would log in with.

use tokio::process::Command;

use super::{finding::Finding, program::printed};
use crate::{
    agents::{self, Adapter},
    cli::{
        context::Context,
        gather::{self, Programs},
    },
};

/// One finding for each agent program callbox knows, but for the scripted one, which it is itself.
/// None of them installed is only worth a warning: the scripted agent runs without.
pub(crate) async fn check_agents(context: &Context, programs: &Programs) -> Vec<Finding> {
    let mut findings = Vec::new();
    for adapter in agents::all() {
        findings.extend(check_agent(*adapter, context, programs).await);
    }
    findings
}

async fn check_agent(adapter: &dyn Adapter, context: &Context, programs: &Programs) -> Option<Finding> {
    let name = adapter.name();
    if gather::is_built_in(adapter) {
        return Some(Finding::ok(name, "built in; needs no login"));
    }
    let Some(program) = programs.of(adapter) else {
        return Some(Finding::warn(
            name,
            "its program is not on the PATH",
            "install it if you want to use it, or name its path in the configuration",
        ));
    };
    let mut command = Command::new(&program);
    command.args(adapter.version_arguments());
    let version = match printed(&mut command).await {
        Ok(text) => match adapter.parse_version(text.trim()) {
            Some(version) => format!("version {version}"),
            None => "a version that could not be read".to_owned(),
        },
        Err(reason) => {
            let message = format!("{}: {reason}", program.display());
            return Some(Finding::warn(name, message, "run it by hand to see why"));
        }
    };
    let environment = gather::environment(&context.surroundings, &context.settings, &[]).unwrap_or_default();
    Some(match adapter.credential(&environment) {
        Some(kind) => Finding::ok(name, format!("{}, {version}, login by {kind}", program.display())),
        None => Finding::warn(
            name,
            format!("{}, {version}, no login in the environment", program.display()),
            format!("fine if `{name}` was logged in by hand; else set one of its variables"),
        ),
    })
}
