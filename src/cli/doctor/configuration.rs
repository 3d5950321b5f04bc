//! Whether the configuration file can be used.

use super::finding::Finding;
use crate::cli::context::Context;

/// What is wrong with it stops every other command.
pub(crate) fn check_configuration(context: &Context) -> Finding {
    const CHECK: &str = "configuration";
    match (&context.configuration_fault, context.surroundings.configuration()) {
        (Some(fault), _) => {
            let faults = fault.to_string().replace('\n', "; ");
            Finding::fail(CHECK, faults, "mend the file: no other command does anything until then")
        }
        (None, Some(path)) if path.exists() => Finding::ok(CHECK, format!("`{}` is read", path.display())),
        (None, Some(path)) => {
            Finding::ok(CHECK, format!("there is none at `{}`; the defaults hold", path.display()))
        }
        (None, None) => {
            Finding::ok(CHECK, "there is none, because HOME is not set to look for it; the defaults hold")
        }
    }
}
