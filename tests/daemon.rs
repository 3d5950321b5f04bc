//! `callbox serve` as the service of a service manager.

use std::{fs, os::unix::net::UnixStream};

use crate::support::{
    cli::Desk,
    processes::{nothing_left, processes, the_process, variable},
    repository::Repository,
    resident::Resident,
    service_manager::ServiceManager,
    wait::{SOON, wait_for_words, wait_until},
};

/// A task whose work is not decided about before the file `go` is there.
fn submit_held(desk: &Desk, project: &Repository) {
    let verify = format!("until [ -e '{}' ]; do sleep 0.01; done", desk.path("go").display());
    let work = "- write: {path: done.txt, text: done}\n- summary: did it";
    let submit =
        ["submit", "-p", work, "--agent", "scripted", "--isolation", "none", "--verify", verify.as_str()];
    desk.callbox(submit).within(project.root()).end().expect(0);
    let at_it = || processes(desk).iter().any(|(_, line)| line.contains("until [ -e"));
    wait_until("its work is being verified", SOON, at_it);
}

#[test]
fn the_service_manager_is_told_when_the_store_answers_and_when_it_ends() {
    for open in [ServiceManager::at_a_path, ServiceManager::abstractly] {
        let desk = Desk::new();
        let manager = open(&desk);
        let store = manager.starts(desk.callbox(["serve"])).start();
        assert_eq!(manager.hears(), ["READY=1"]);
        UnixStream::connect(desk.state().join("operator/store.sock")).unwrap();
        Resident::from(&desk, store).stop();
        assert_eq!(manager.hears(), ["STOPPING=1"]);
    }
}

#[test]
fn a_store_that_waits_for_another_is_not_ready() {
    let desk = Desk::new();
    let manager = ServiceManager::at_a_path(&desk);
    let first = Resident::start(&desk);
    let heir = manager.starts(desk.callbox(["serve", "--wait"])).start();
    let second = manager.starts(desk.callbox(["serve"])).start();
    second.end().expect(69);
    first.stop();
    assert_eq!(manager.hears(), ["READY=1"]);
    Resident::from(&desk, heir).stop();
    // One that said it too early said it twice.
    assert_eq!(manager.hears(), ["STOPPING=1"]);
}

#[test]
fn a_manager_that_cannot_be_told_ends_no_store() {
    let desk = Desk::new();
    let store = desk.callbox(["serve"]).variable("NOTIFY_SOCKET", desk.path("nowhere")).start();
    Resident::from(&desk, store).stop();
}

#[test]
fn no_supervisor_can_speak_to_the_service_manager() {
    let (desk, project) = (Desk::new(), Repository::new());
    let manager = ServiceManager::at_a_path(&desk);
    let serve = desk.callbox(["serve"]).variable("INVOCATION_ID", "canary").variable("WATCHDOG_USEC", "1");
    let store = Resident::from(&desk, manager.starts(serve).start());
    submit_held(&desk, &project);
    for (pid, line) in processes(&desk).iter().filter(|(pid, _)| *pid != store.pid()) {
        for name in ["NOTIFY_SOCKET", "INVOCATION_ID", "WATCHDOG_USEC"] {
            assert_eq!(variable(*pid, name), None, "{line}");
        }
    }
    fs::write(desk.path("go"), "").unwrap();
    wait_until("the run has ended", SOON, || desk.standing("t1") == "completed");
    store.stop();
    nothing_left(&desk);
}

#[test]
fn a_store_that_is_stopped_leaves_its_runs_alone_and_the_next_takes_their_reports() {
    let (desk, project) = (Desk::new(), Repository::new());
    let store = Resident::start(&desk);
    submit_held(&desk, &project);
    let supervisor = || the_process(&desk, |line| line.contains("supervise"));
    let before = supervisor();
    store.stop();
    assert_eq!(supervisor(), before);
    fs::write(desk.path("go"), "").unwrap();
    wait_for_words(desk.state().join("executions/1/spool.jsonl"), "\"verified\"");
    let next = Resident::start(&desk);
    wait_until("the run has ended", SOON, || desk.standing("t1") == "completed");
    let shown = desk.callbox(["show", "t1", "--json"]).end().expect(0).json();
    assert_eq!(
        (&shown["totals"]["executions"], &shown["verify"]["exit"]["code"]),
        (&1.into(), &0.into()),
        "{shown}"
    );
    next.stop();
    nothing_left(&desk);
}
