//! Names of models, as they go into a command line.

use crate::vocabulary::Fault;

/// Refuses a model name that could not be one.
pub(super) fn check_model(model: Option<&str>) -> Result<(), Fault> {
    match model {
        Some(name)
            if name.is_empty()
                || name.len() > 200
                || !name.chars().all(|letter| letter.is_ascii_graphic()) =>
        {
            Err(Fault::new("option_invalid", "the model name must be 1–200 visible ASCII characters"))
        }
        _ => Ok(()),
    }
}
