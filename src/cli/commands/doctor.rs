//! `callbox doctor`.

use clap::Args;

use crate::cli::{
    context::{Context, Format},
    doctor::{self, Depth, Level, Wanted},
    error::CliError,
    exit::ExitStatus,
    gather::{self, Programs},
    offered, output, render,
};

/// Flags of `callbox doctor`.
#[derive(Debug, Args)]
pub(crate) struct Doctor {
    /// Look at this agent alone, which must be there
    #[arg(long, value_name = "NAME", value_parser = offered::AGENTS, hide_possible_values = true)]
    agent: Option<String>,
    /// Rehearse no agent: look at versions and logins alone
    #[arg(long)]
    quick: bool,
}

impl Doctor {
    /// Checks everything, prints what was found, and fails if anything needed does not work.
    pub(crate) async fn run(self, context: &Context) -> Result<ExitStatus, CliError> {
        let wanted = match &self.agent {
            None => Wanted::All,
            Some(name) => {
                let agents = &context.agents;
                Wanted::One(agents.find(name).ok_or_else(|| gather::no_such_agent(name, agents))?.name())
            }
        };
        let depth = if self.quick { Depth::Version } else { Depth::Rehearsal };
        let programs = Programs::of_person(context);
        let mut findings = vec![doctor::check_configuration(context)];
        findings.extend(doctor::check_store(context).await);
        findings.push(doctor::check_git(context));
        findings.push(doctor::check_shim().await);
        findings.push(doctor::check_isolation(context));
        findings.extend(doctor::check_agents(context, &programs, wanted, depth).await);
        output::print(match context.format {
            Format::Json => render::object(&findings)?,
            Format::Text => {
                format!("{}not checked: {}\n", doctor::findings(&findings), doctor::not_checked(depth))
            }
        })?;
        let worst = findings.iter().map(|finding| finding.level).max();
        Ok(if worst == Some(Level::Fail) { ExitStatus::Unavailable } else { ExitStatus::Success })
    }
}
