//! `callbox gc` that is killed or hindered: the next one finishes, no half of a sandbox is ever taken for the whole,
//! and nothing outside of it is touched.

use std::{
    fs::{self, Permissions},
    os::unix::fs::{PermissionsExt as _, symlink},
};

use crate::support::{
    cli::Desk,
    leftovers::{collected, gc, run, standing, tasks},
    repository::Repository,
    resident::Resident,
};

const WRITES: &str =
    "- write: {path: a.txt, text: one}\n- summary: written\n- write: {path: b.txt, text: two}";
/// The moment before anything is moved, by itself and beside a store; one between the folders of a sandbox, and one in
/// the middle of the removal.
const POINTS: [&str; 5] = ["gc:given_up", "gc:given_up", "gc:moved", "gc:moved#2", "gc:removed#3"];

#[test]
fn wherever_it_is_killed_the_next_one_finishes_and_the_task_goes_on_in_a_whole_sandbox() {
    for (place, point) in POINTS.iter().enumerate() {
        let (desk, project) = (Desk::new(), Repository::new());
        run(&desk, &project, WRITES, &[]).expect(0);
        let store = (place % 2 == 1).then(|| Resident::start(&desk));
        let killed = gc(&desk, &[]).variable("CALLBOX_FAULT", point).end();
        assert_eq!(killed.status, -1, "{point} was not passed: {killed}");
        let sandbox = desk.state().join("sandboxes/1/1");
        assert!(sandbox.exists() || *point != "gc:given_up", "something was moved");
        assert!(
            !sandbox.exists() || sandbox.join(".git/HEAD").exists() && sandbox.join("a.txt").exists(),
            "{point}"
        );
        let ended = desk.callbox(["resume", "t1", "more", "--run", "--json"]).end().expect(0).json();
        let new = ended["sandbox"].as_str().unwrap();
        assert!(new.ends_with("/sandboxes/1/2"), "{point}: {ended}");
        assert_eq!(fs::read_to_string(format!("{new}/a.txt")).unwrap(), "one", "{point}");
        let done = collected(&desk, &[]);
        assert_eq!(
            (tasks(&done, "removed"), &done["failed"]),
            (vec!["t1".to_owned()], &serde_json::json!([]))
        );
        assert_eq!(standing(&desk, 1), [""; 0], "{point}");
        for execution in ["1", "2", "trash"] {
            assert!(!desk.state().join("executions").join(execution).exists(), "{point}: {execution}");
        }
        if let Some(store) = store {
            store.stop();
        }
    }
}

#[test]
fn folders_without_rights_go_and_what_links_lead_to_stays() {
    let (desk, project) = (Desk::new(), Repository::new());
    project.write(".gitignore", "target\n");
    project.commit("ignoring");
    run(&desk, &project, WRITES, &[]).expect(0);
    let outside = desk.path("outside");
    fs::create_dir(&outside).unwrap();
    fs::write(outside.join("mine"), "mine").unwrap();
    let target = desk.state().join("sandboxes/1/1/target");
    fs::create_dir_all(target.join("cache/deep")).unwrap();
    fs::write(target.join("cache/deep/file"), "x").unwrap();
    symlink(&outside, target.join("link")).unwrap();
    for path in [target.join("cache/deep"), target.join("cache"), target.clone(), outside.clone()] {
        fs::set_permissions(path, Permissions::from_mode(0o555)).unwrap();
    }
    let Some(call) = gc(&desk, &[]).without_privileges() else { return };
    assert_eq!(tasks(&call.end().expect(0).json(), "removed"), ["t1"]);
    assert_eq!(standing(&desk, 1), [""; 0]);
    assert_eq!(fs::read_to_string(outside.join("mine")).unwrap(), "mine");
    assert_eq!(fs::metadata(&outside).unwrap().permissions().mode() & 0o777, 0o555);
}

#[test]
fn a_sandbox_that_became_a_link_is_given_up_as_a_link() {
    let (desk, project) = (Desk::new(), Repository::new());
    run(&desk, &project, WRITES, &[]).expect(0);
    let sandbox = desk.state().join("sandboxes/1/1");
    fs::rename(&sandbox, desk.path("mine")).unwrap();
    symlink(desk.path("mine"), &sandbox).unwrap();
    collected(&desk, &["--drop", "t1"]);
    assert_eq!(standing(&desk, 1), [""; 0]);
    assert!(desk.path("mine/a.txt").exists());
}

#[test]
fn nothing_is_removed_through_a_link_in_the_place_of_a_folder_of_sandboxes() {
    let (desk, project) = (Desk::new(), Repository::new());
    run(&desk, &project, WRITES, &[]).expect(0);
    let folder = desk.state().join("sandboxes/1");
    fs::rename(&folder, desk.path("mine")).unwrap();
    symlink(desk.path("mine"), &folder).unwrap();
    collected(&desk, &["--drop", "t1"]);
    assert!(desk.path("mine/1/a.txt").exists() && desk.path("mine/1.git").exists());
    assert!(!desk.state().join("executions/1").exists());
}
