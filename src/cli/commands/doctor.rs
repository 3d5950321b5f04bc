//! `callbox doctor`.

use clap::Args;

use crate::cli::{
    context::{Context, Format},
    doctor::{self, Level},
    error::CliError,
    exit::ExitStatus,
    gather::Programs,
    output, render,
};

/// Flags of `callbox doctor`.
#[derive(Debug, Args)]
pub(crate) struct Doctor {}

impl Doctor {
    /// Checks everything, prints what was found, and fails if anything needed does not work.
    pub(crate) async fn run(self, context: &Context) -> Result<ExitStatus, CliError> {
        let programs = Programs::of_person(&context.surroundings, &context.settings);
        let mut findings = vec![doctor::check_configuration(context)];
        findings.extend(doctor::check_store(context).await);
        findings.push(doctor::check_git(context));
        findings.push(doctor::check_shim().await);
        findings.push(doctor::check_isolation(context));
        findings.extend(doctor::check_agents(context, &programs).await);
        output::print(match context.format {
            Format::Json => render::object(&findings)?,
            Format::Text => {
                format!("{}not checked: {}\n", doctor::findings(&findings), doctor::NOT_CHECKED)
            }
        })?;
        let worst = findings.iter().map(|finding| finding.level).max();
        Ok(if worst == Some(Level::Fail) { ExitStatus::Unavailable } else { ExitStatus::Success })
    }
}
