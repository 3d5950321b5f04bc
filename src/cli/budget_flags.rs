//! Flags that raise the budget of a task that is there.

use clap::Args;

use super::error::CliError;
use crate::{taskfile, vocabulary::Budget};

/// New limits for a task's whole tree.
#[derive(Debug, Default, Args)]
pub(crate) struct BudgetFlags {
    /// What the task and its subtasks may cost from now on, in dollars, what was spent included
    #[arg(long, value_name = "DOLLARS")]
    max_cost_usd: Option<String>,
    /// How many tokens the task and its subtasks may use from now on, those that were used included
    #[arg(long, value_name = "NUMBER")]
    max_tokens: Option<String>,
}

impl BudgetFlags {
    /// The limits that were given, read and refused as those of a new task.
    pub(crate) fn budget(&self) -> Result<Budget, CliError> {
        let mut budget = Budget::default();
        for (field, text) in [("max_cost_usd", &self.max_cost_usd), ("max_tokens", &self.max_tokens)] {
            let Some(text) = text else { continue };
            let read = taskfile::flag(field, text, "/".as_ref()).map_err(CliError::usage)?;
            let read = Budget { max_cost_usd: read.max_cost_usd, max_tokens: read.max_tokens };
            budget = read.over(budget);
        }
        Ok(budget)
    }
}
