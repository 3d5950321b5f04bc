//! `callbox import`.

use std::path::PathBuf;

use clap::Args;

use crate::{
    archive::{Demand, unpack},
    cli::{
        context::Context,
        error::{CliError, ErrorKind},
        exit::ExitStatus,
        opened::Opened,
        travel::{KeyFlag, Taken, Wish, read_archive, take_in},
    },
};

/// Flags of `callbox import`.
#[derive(Debug, Args)]
pub(crate) struct Import {
    /// The archive
    #[arg(value_name = "FILE")]
    file: PathBuf,
    #[command(flatten)]
    key: KeyFlag,
    /// Take an archive that nobody signed: whoever made it decides what its tasks may run
    #[arg(long)]
    unsigned: bool,
    /// Where the project of its tasks stands here [default: where it stood there]
    #[arg(short = 'C', long, value_name = "DIR")]
    project: Option<PathBuf>,
}

impl Import {
    /// Takes the tasks of an archive in, all or none.
    pub(crate) async fn run(self, context: &Context) -> Result<ExitStatus, CliError> {
        let key = self.key.key(context)?;
        let directory = context.surroundings.directory();
        let demand = if self.unsigned { Demand::Anybody } else { Demand::Signed };
        let bytes = read_archive(&directory.join(&self.file))?;
        let contents = unpack(&bytes, key.as_ref(), demand).map_err(|refusal| {
            let message = format!("`{}` is not taken: {refusal}", self.file.display());
            CliError::new(ErrorKind::Refused, message).hinted(refusal.hint())
        })?;
        drop(bytes);
        let wish = Wish { project: self.project.map(|project| directory.join(project)) };
        let mut store = Opened::open(context).await?;
        let taken = take_in(context, &mut store, &contents, &wish).await;
        store.close().await;
        context.answer(&taken?, Taken::text)?;
        Ok(ExitStatus::Success)
    }
}
