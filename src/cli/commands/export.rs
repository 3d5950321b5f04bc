//! `callbox export`.

use std::path::PathBuf;

use clap::Args;

use crate::{
    archive::{Secrecy, pack},
    cli::{
        context::Context,
        error::{CliError, ErrorKind},
        exit::ExitStatus,
        opened::Opened,
        output,
        travel::{Exported, KeyFlag, leave, write_archive},
    },
    ids::{TaskNumber, Timestamp},
};

/// Flags of `callbox export`.
#[derive(Debug, Args)]
pub(crate) struct Export {
    /// The tasks; their whole trees go along, and so does what they come after
    #[arg(value_name = "ID", required = true)]
    tasks: Vec<TaskNumber>,
    /// The new archive
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
    #[command(flatten)]
    key: KeyFlag,
    /// Encrypt it with the key too, in the format of age
    #[arg(long)]
    encrypt: bool,
    /// Make one that nobody can check, without a key
    #[arg(long, conflicts_with = "encrypt")]
    unsigned: bool,
}

impl Export {
    /// Writes tasks into an archive, with their sandboxes and conversations.
    pub(crate) async fn run(self, context: &Context) -> Result<ExitStatus, CliError> {
        if self.output.as_os_str() == "-" {
            return Err(CliError::usage("an archive cannot be written to standard output")
                .hinted("name a new file; one that is called `-` is `./-`"));
        }
        let key = self.key.key(context)?;
        let secrecy = match (&key, self.unsigned, self.encrypt) {
            (_, true, _) => Secrecy::Open,
            (Some(key), false, false) => Secrecy::Signed(key),
            (Some(key), false, true) => Secrecy::Encrypted(key),
            (None, false, _) => {
                let name = self.key.name();
                return Err(CliError::usage(format!("there is no key: the variable `{name}` is not set"))
                    .hinted(
                        "set it to a secret that whoever imports the archive has too; \
                     `head -c 32 /dev/urandom | base64` makes one",
                    ));
            }
        };
        let mut store = Opened::open(context).await?;
        let left = leave(context, &mut store, self.tasks.clone()).await;
        store.close().await;
        let (contents, tasks) = left?;
        let bytes = pack(&contents, secrecy, Timestamp::now()).map_err(|refusal| {
            CliError::new(ErrorKind::Refused, format!("the tasks do not go into one archive: {refusal}"))
                .hinted(refusal.hint())
        })?;
        let file = context.surroundings.directory().join(&self.output);
        write_archive(&file, &bytes)?;
        let (signed, encrypted) = (!self.unsigned, self.encrypt);
        let exported = Exported { file, bytes: bytes.len() as u64, signed, encrypted, tasks };
        context.answer(&exported, Exported::text)?;
        output::say("the tasks stay here as well: go on with them in one place alone");
        Ok(ExitStatus::Success)
    }
}
