//! What the configuration says, as far as commands need it.

use super::{
    context::Context,
    error::CliError,
    gather::{Defaults, Programs, SearchPath},
};
use crate::host::{Residency, StoreSettings};

/// Defaults of tasks and where agent programs are.
pub fn defaults(context: &Context) -> Result<Defaults, CliError> {
    let search = SearchPath::new(context.surroundings.value("PATH"));
    Ok(Defaults { programs: Programs { search, ..Programs::default() }, ..Defaults::default() })
}

/// How a store that this program opens is set.
pub fn store(residency: Residency) -> StoreSettings {
    StoreSettings::new(residency)
}
