//! Tasks that go from one desk to another, with an archive between them.

use std::path::PathBuf;

use super::{
    cli::{Call, Desk, Ended},
    repository::Repository,
};

/// A key that both ends have.
pub(crate) const KEY: &str = "a key of both ends, long enough";

/// Writes `tasks` into an archive at `desk`; where it is.
#[track_caller]
pub(crate) fn export(desk: &Desk, tasks: &[&str], more: &[&str]) -> PathBuf {
    let file = desk.path("tmp/tasks.archive");
    let _ = export_call(desk, tasks, more).end().expect(0);
    file
}

/// The command that does so.
pub(crate) fn export_call(desk: &Desk, tasks: &[&str], more: &[&str]) -> Call {
    let file = desk.path("tmp/tasks.archive").display().to_string();
    let line = [&["export", "-o", &file, "--json"], tasks, more].concat();
    desk.callbox(line).variable("CALLBOX_ARCHIVE_KEY", KEY)
}

/// The command that takes `archive` in at `desk`, for the project `to`.
pub(crate) fn import_call(desk: &Desk, archive: &std::path::Path, to: Option<&Repository>) -> Call {
    let file = archive.display().to_string();
    let project = to.map(|project| project.root().display().to_string());
    let mut line = vec!["import", &file, "--json"];
    if let Some(project) = &project {
        line.extend(["--project", project]);
    }
    desk.callbox(line).variable("CALLBOX_ARCHIVE_KEY", KEY)
}

/// Takes it in.
#[track_caller]
pub(crate) fn import(desk: &Desk, archive: &std::path::Path, to: &Repository) -> Ended {
    import_call(desk, archive, Some(to)).end().expect(0)
}
