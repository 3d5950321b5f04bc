//! Which work of a task a person wants to see: what was delivered, or what stands in its sandbox.

use std::path::PathBuf;

use super::{
    error::{CliError, ErrorKind},
    finished_work::{FinishedWork, finished_work},
};
use crate::{
    protocol::report::TaskReport,
    sandbox::{self, Work},
};

/// The work to show.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum ShownWork {
    /// Commits in the project, on a branch or kept.
    Delivered {
        /// The project's work tree.
        project: PathBuf,
        /// The commit the work started from.
        base: String,
        /// The delivered commit.
        head: String,
    },
    /// Files in a sandbox.
    Sandbox {
        /// The sandbox.
        directory: PathBuf,
        /// The commit it was made from.
        base: String,
    },
}

/// What was delivered, for as long as nothing newer can stand in the sandbox; else the sandbox.
pub(crate) fn shown_work(report: &TaskReport) -> Result<ShownWork, CliError> {
    let task = &report.task;
    // Behind an end or a review nothing newer can stand in the sandbox.
    let is_over = !matches!(task.state.as_str(), "pending" | "queued" | "running" | "blocked");
    let finished = finished_work(report).zip(task.project.as_ref()).map(|(work, project)| {
        let (base, head) = (work.base().to_owned(), work.head().to_owned());
        (work, ShownWork::Delivered { project: project.clone(), base, head })
    });
    let sandbox = report.sandbox.as_ref().filter(|directory| directory.is_dir());
    let is_good = matches!(task.state.as_str(), "completed" | "ready");
    match (finished, sandbox) {
        (Some((work, shown)), sandbox)
            if sandbox.is_none() || is_good || is_over && matches!(work, FinishedWork::Kept(_)) =>
        {
            Ok(shown)
        }
        (_, Some(directory)) if task.project.is_some() => {
            let base = sandbox::recorded_base(directory).map_err(CliError::unavailable)?;
            Ok(ShownWork::Sandbox { directory: directory.clone(), base })
        }
        (_, Some(directory)) => Err(CliError::new(
            ErrorKind::Refused,
            format!("`{}` has no project to compare its files with", task.number),
        )
        .hinted(format!("they stand in {}", directory.display()))),
        (_, None) => Err(CliError::new(
            ErrorKind::Refused,
            format!("`{}` has delivered nothing and has no sandbox", task.number),
        )
        .hinted(format!("`callbox why {}` says how it stands", task.number))),
    }
}

impl ShownWork {
    /// The same, as the sandbox room takes it.
    pub(crate) fn of_sandbox_room(&self) -> Work<'_> {
        match self {
            Self::Delivered { project, base, head } => Work::Delivered { project, base, head },
            Self::Sandbox { directory, base } => Work::Sandbox { directory, base },
        }
    }

    /// The commit the work started from.
    pub(crate) fn base(&self) -> &str {
        match self {
            Self::Delivered { base, .. } | Self::Sandbox { base, .. } => base,
        }
    }

    /// The delivered commit.
    pub(crate) fn head(&self) -> Option<&str> {
        match self {
            Self::Delivered { head, .. } => Some(head),
            Self::Sandbox { .. } => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::render::samples;

    #[test]
    fn delivered_work_is_shown_from_the_project() {
        let shown = shown_work(&samples::completed()).unwrap();
        assert_eq!((shown.base(), shown.head()), ("a".repeat(40).as_str(), Some("b".repeat(40).as_str())));
    }

    #[test]
    fn kept_work_is_shown_for_as_long_as_it_is_the_newest() {
        let folder = tempfile::TempDir::new().unwrap();
        let mut report = samples::failed();
        report.kept = Some(samples::kept());
        (report.delivery, report.sandbox) = (samples::completed().delivery, Some(folder.path().to_owned()));
        assert_eq!(shown_work(&report).unwrap().head(), Some("c".repeat(40).as_str()));
        // A run that goes on may have left more in its sandbox, which is no sandbox here.
        report.task.state = "running".to_owned();
        assert_eq!(shown_work(&report).unwrap_err().status().code(), 69);
        report.sandbox = None;
        assert_eq!(shown_work(&report).unwrap().head(), Some("c".repeat(40).as_str()));
    }

    #[test]
    fn work_that_is_nowhere_is_refused_with_a_reason() {
        let error = shown_work(&samples::failed()).unwrap_err();
        assert_eq!(error.status().code(), 1);
        assert!(error.to_string().contains("callbox why t1"), "{error}");
    }

    #[test]
    fn files_without_a_project_have_nothing_to_be_compared_with() {
        let folder = tempfile::TempDir::new().unwrap();
        let mut report = samples::failed();
        report.task.project = None;
        report.sandbox = Some(folder.path().to_owned());
        let error = shown_work(&report).unwrap_err();
        assert!(error.to_string().contains(&folder.path().display().to_string()), "{error}");
    }
}
