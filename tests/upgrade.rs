//! Another callbox is installed over the one that runs.

use std::{fs, path::Path};

use crate::support::{
    books::Books,
    cli::{CALLBOX, Desk},
    processes::{nothing_left, processes},
    repository::Repository,
    resident::Resident,
    shim::SHIM,
    wait::{SOON, wait_until},
};

/// As installers do it: whole files beside the old ones, moved over them.
fn install_anew(desk: &Desk) {
    for program in [CALLBOX, SHIM] {
        let installed = desk.path("opt").join(Path::new(program).file_name().unwrap());
        let new = installed.with_extension("new");
        fs::copy(program, &new).unwrap();
        fs::rename(&new, &installed).unwrap();
    }
}

/// The processes of this desk whose program is no longer there.
fn outdated(desk: &Desk) -> Vec<u32> {
    let is_outdated = |pid: &u32| {
        fs::read_link(format!("/proc/{pid}/exe"))
            .is_ok_and(|path| path.to_string_lossy().ends_with("opt/callbox (deleted)"))
    };
    processes(desk).into_iter().map(|(pid, _)| pid).filter(is_outdated).collect()
}

#[test]
fn runs_go_on_while_another_callbox_is_installed_over_theirs_and_its_store_takes_them_up() {
    let (desk, project) = (Desk::with_own_installation(), Repository::new());
    let (root, gate) = (project.root().display().to_string(), desk.path("gate"));
    let held = format!("echo begun; until [ -e '{}' ]; do sleep 0.05; done", gate.display());
    let submit = |steps: &str, more: &[&str]| {
        let arguments = ["submit", "-C", &root, "--agent", "scripted", "--name", "work", "-p", steps];
        desk.callbox([&arguments[..], more].concat()).end().expect(0).stdout.trim().to_owned()
    };
    let store = Resident::start(&desk);
    // Its agent and its shim start only behind the installation, and of the second the work is handed over then.
    let made_ready = submit("- write: {path: a.txt, text: a}\n- summary: a", &["--setup", &held]);
    let verified = submit("- write: {path: b.txt, text: b}\n- summary: b", &["--verify", &held]);
    let asking = submit("- ask: {question: Which?}\n- summary: '{answer}'", &[]);
    let begun = |log: &str| {
        let runs = fs::read_dir(desk.state().join("executions")).unwrap().flatten();
        runs.map(|run| fs::read_to_string(run.path().join(log)).unwrap_or_default())
            .any(|text| text.contains("begun"))
    };
    wait_until("one is made ready", SOON, || begun("setup.log"));
    wait_until("one is verified", SOON, || begun("verify.log"));
    wait_until("one has asked", SOON, || desk.standing(&asking) == "blocked");

    install_anew(&desk);
    store.stop();
    let store = Resident::start(&desk);
    assert!(!outdated(&desk).contains(&store.pid()));
    assert_eq!(outdated(&desk).len(), 2, "the supervisors are those of before: {:?}", processes(&desk));
    fs::write(&gate, "").unwrap();
    desk.callbox(["answer", "q1", "red"]).end().expect(0);
    for (task, summary, runs) in [(&made_ready, "a", 1), (&verified, "b", 1), (&asking, "red", 2)] {
        wait_until("it is done", SOON, || desk.standing(task) == "completed");
        let shown = desk.callbox(["show", task, "--json"]).end().expect(0).json();
        assert_eq!(shown["summary"], summary, "{shown}");
        assert_eq!(shown["executions"].as_array().unwrap().len(), runs, "{shown}");
    }
    store.stop();
    nothing_left(&desk);
    Books::open(&desk).are_sound();
}

#[test]
fn a_store_whose_installation_was_removed_runs_what_it_is_given_with_the_next_one() {
    let desk = Desk::with_own_installation();
    let store = Resident::start(&desk);
    fs::remove_dir_all(desk.path("opt")).unwrap();
    fs::create_dir(desk.path("opt")).unwrap();
    install_anew(&desk);
    let submit = ["submit", "--no-project", "--agent", "scripted", "-p", "- summary: done"];
    let task = desk.callbox(submit).end().expect(0).stdout.trim().to_owned();
    wait_until("it is done", SOON, || desk.standing(&task) == "completed");
    store.stop();
    nothing_left(&desk);
}
