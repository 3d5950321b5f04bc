//! Where tasks come from: files, or words on the command line.

use std::{collections::BTreeMap, path::PathBuf};

use clap::Args;

use super::task_flags::TaskFlags;

/// Flags of the commands that queue tasks.
#[derive(Debug, Default, Args)]
pub(crate) struct SourceFlags {
    /// Task files: YAML, or Markdown whose body is the instructions
    #[arg(value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,
    /// What to do: the words themselves, - for stdin, or @FILE
    #[arg(
        short = 'p',
        long = "prompt",
        value_name = "TEXT",
        allow_hyphen_values = true,
        conflicts_with = "files"
    )]
    pub(crate) prompt: Option<String>,
    /// A value for {{name}} in the instructions of task files; may be repeated
    #[arg(long = "var", value_name = "NAME=VALUE", value_parser = var, conflicts_with = "prompt")]
    vars: Vec<(String, String)>,
    /// What the task is.
    #[command(flatten)]
    pub(crate) task: TaskFlags,
}

impl SourceFlags {
    /// The values by name; of a name given twice the last one.
    pub(crate) fn vars(&self) -> BTreeMap<String, String> {
        self.vars.iter().cloned().collect()
    }
}

fn var(text: &str) -> Result<(String, String), String> {
    let pair = text.split_once('=').filter(|(name, _)| !name.is_empty());
    pair.map(|(name, value)| (name.to_owned(), value.to_owned()))
        .ok_or_else(|| "must be `name=value`".to_owned())
}
