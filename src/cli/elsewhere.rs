//! A task goes on whose project stands in another place than before.

use std::path::PathBuf;

use clap::Args;

use super::{
    context::Context,
    error::{CliError, ErrorKind},
    gather,
    opened::Opened,
};
use crate::{ids::TaskNumber, protocol::operator::ProjectRequest, sandbox};

/// Where it stands.
#[derive(Debug, Args)]
pub(crate) struct Elsewhere {
    /// Where the task's project stands now
    #[arg(short = 'C', long, value_name = "DIR")]
    project: Option<PathBuf>,
}

impl Elsewhere {
    /// Whether that is said.
    pub(crate) fn is_named(&self) -> bool {
        self.project.is_some()
    }

    /// Has the store note it for the tree of `task`, once the place was seen to be the same project.
    pub(crate) async fn settle(
        &self,
        context: &Context,
        store: &mut Opened,
        task: TaskNumber,
    ) -> Result<(), CliError> {
        let Some(named) = &self.project else { return Ok(()) };
        let git = gather::git(context)?;
        let project = gather::inspected(&context.surroundings.directory().join(named), &git)?;
        let report = store.look(async |operator| operator.task(task).await).await?;
        let sandbox = report.sandbox.filter(|directory| report.task.project.is_some() && directory.is_dir());
        if let Some(sandbox) = sandbox
            && !sandbox::is_related(&git, &sandbox, &project).map_err(CliError::unavailable)?
        {
            let message = format!("`{}` is not the project of `{task}`", project.root.display());
            return Err(CliError::new(ErrorKind::Refused, message)
                .hinted("name a clone that has commits which the task's work builds on"));
        }
        let request = ProjectRequest { project: project.root };
        store.act(async |operator| operator.relocate(task, &request).await).await?;
        Ok(())
    }
}
