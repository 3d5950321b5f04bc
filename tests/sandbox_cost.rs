//! How many times callbox starts git: each takes some milliseconds, before any agent runs.

use std::{fs, os::unix::fs::PermissionsExt as _, path::PathBuf};

use crate::support::workshop::{Sandbox, Workshop};

/// A git that counts how often it is started.
struct Counter {
    log: PathBuf,
}

impl Counter {
    fn install(workshop: Workshop) -> (Self, Workshop) {
        let folder = workshop.repository.beside("counting");
        let log = folder.join("log");
        let path = std::env::var("PATH").unwrap();
        let real = std::env::split_paths(&path).map(|folder| folder.join("git")).find(|git| git.is_file());
        fs::create_dir(&folder).unwrap();
        let script = format!(
            "#!/bin/sh\necho \"$1\" >>'{}'\nexec '{}' \"$@\"\n",
            log.display(),
            real.unwrap().display()
        );
        fs::write(folder.join("git"), script).unwrap();
        fs::set_permissions(folder.join("git"), fs::Permissions::from_mode(0o700)).unwrap();
        let git = workshop.git.clone().searching(format!("{}:{path}", folder.display()));
        (Self { log }, Workshop { git, ..workshop })
    }

    /// The git commands since the last time.
    fn take(&self) -> Vec<String> {
        let log = fs::read_to_string(&self.log).unwrap_or_default();
        fs::remove_file(&self.log).unwrap();
        log.lines().map(str::to_owned).collect()
    }
}

#[test]
fn each_step_of_a_task_starts_git_only_a_few_times() {
    let (counter, workshop) = Counter::install(Workshop::new());
    let project = workshop.project();
    assert_eq!(counter.take(), ["rev-parse", "status"]);

    let (sandbox, _) = workshop.make(&project, "1", callbox::sandbox::BaseRequest::Head).unwrap();
    let mut begun = counter.take();
    // The first two run side by side.
    begun[..2].sort_unstable();
    assert_eq!(begun, ["clone", "config", "checkout", "status"]);

    workshop.state(&sandbox);
    assert_eq!(counter.take(), ["status"]);
    workshop.commit_leftovers(&sandbox);
    assert_eq!(counter.take(), ["status"]);

    sandbox.commit("work");
    workshop.state(&sandbox);
    assert_eq!(counter.take(), ["read-tree", "status", "rev-list"]);

    sandbox.write("new", "x");
    workshop.commit_leftovers(&sandbox);
    assert_eq!(
        counter.take(),
        ["read-tree", "status", "update-index", "write-tree", "commit-tree", "pack-objects"]
    );

    deliver(&workshop, &sandbox);
    assert_eq!(counter.take(), ["rev-list", "diff-tree", "for-each-ref", "fetch", "for-each-ref"]);
}

/// Delivers without looking at the state first.
fn deliver(workshop: &Workshop, sandbox: &Sandbox) {
    let request = callbox::sandbox::DeliverRequest {
        project: &workshop.repository.root(),
        sandbox: &sandbox.directory,
        base: &sandbox.base,
        head: &sandbox.git(&["rev-parse", "HEAD"]),
        branch: crate::support::workshop::BRANCH,
    };
    callbox::sandbox::deliver(&workshop.git, &request).unwrap();
}
