//! What is to be left of one run, from before anything is queued until it is written.

use std::{
    fs::OpenOptions,
    io::Write as _,
    path::{Path, PathBuf},
};

use super::{Mask, body::body, events::Events, junit::junit, place::Place, summary::summary};
use crate::{
    cli::{
        error::{CliError, ErrorKind},
        output,
    },
    protocol::{events::Event, report::TaskReport},
};

/// The files.
#[derive(Debug, Default)]
pub(crate) struct Records {
    /// Taken out of all of them, and of what is printed.
    pub(crate) mask: Mask,
    pub(super) events: Option<Events>,
    pub(super) junit: Option<Place>,
    pub(super) summary: Option<Place>,
    pub(super) body: Option<Place>,
    pub(super) step_summary: Option<PathBuf>,
}

impl Records {
    /// Leaves an event.
    pub(crate) fn event(&mut self, event: &Event) {
        if let Some(events) = &mut self.events {
            events.write(event);
        }
    }

    /// Leaves the end. What was begun is written as far as it can be; the first thing that could not be is the error.
    pub(crate) fn end(self, reports: &[TaskReport]) -> Result<(), CliError> {
        let mut done = Vec::new();
        done.extend(self.events.map(Events::close));
        done.extend(self.summary.map(|place| place.write(&summary(reports))));
        done.extend(self.body.map(|place| place.write(&body(reports))));
        // Nobody asked for it by a flag: the run is as good without.
        if let Some(path) = self.step_summary
            && let Err(error) = append(&path, &summary(reports))
        {
            output::say(format!("the summary could not be added to `{}`: {error}", path.display()));
        }
        if let Some(place) = self.junit {
            let text = junit(reports).map_err(|error| CliError::new(ErrorKind::Internal, error))?;
            done.push(place.write(&text));
        }
        done.into_iter().collect::<Result<(), _>>().map_err(|error| {
            CliError::unavailable(error).hinted("the result itself stands: `callbox show` has it")
        })
    }
}

fn append(path: &Path, text: &str) -> std::io::Result<()> {
    OpenOptions::new().append(true).create(true).open(path)?.write_all(text.as_bytes())
}
