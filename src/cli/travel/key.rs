//! The key of an archive: named on the command line, and read from the environment.

use clap::Args;

use crate::{
    archive::Key,
    cli::{context::Context, error::CliError},
    ids::Secret,
};

/// Where the key is.
#[derive(Debug, Args)]
pub(crate) struct KeyFlag {
    /// The variable that holds the key
    #[arg(long, value_name = "NAME", default_value = "CALLBOX_ARCHIVE_KEY")]
    key_env: String,
}

impl KeyFlag {
    /// The key; `None` where the variable is not set.
    pub(crate) fn key(&self, context: &Context) -> Result<Option<Key>, CliError> {
        let name = &self.key_env;
        let Some(value) = context.surroundings.value(name).filter(|value| !value.is_empty()) else {
            return Ok(None);
        };
        let text = value.to_str().ok_or_else(|| {
            CliError::usage(format!("the variable `{name}` holds something else than text"))
        })?;
        let key = Key::new(&Secret::new(text)).map_err(|error| {
            CliError::usage(format!("the variable `{name}` holds no key: {error}"))
                .hinted("`head -c 32 /dev/urandom | base64` makes one")
        })?;
        Ok(Some(key))
    }

    /// The name of the variable.
    pub(crate) fn name(&self) -> &str {
        &self.key_env
    }
}
