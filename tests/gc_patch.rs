//! Work that was handed over as a patch outlives its sandbox: it is kept in the project before that goes.

use std::fs;

use crate::support::{
    cli::Desk,
    leftovers::{collected, run, standing, tasks},
    repository::{Repository, git},
};

const STEPS: &str = "- write: {path: one.txt, text: one}\n- commit: make one\n- summary: written\n\
                     - write: {path: two.txt, text: two}\n- commit: make two\n- summary: more";

fn kept(project: &Repository) -> String {
    project.git(["for-each-ref", "--format=%(refname)", "refs/callbox", "refs/heads/callbox"])
}

#[test]
fn what_a_patch_holds_is_shown_and_gone_on_from_when_its_sandbox_is_gone() {
    for more in [&[][..], &["--drop", "t1"]] {
        let (desk, project) = (Desk::new(), Repository::new());
        let first = run(&desk, &project, STEPS, &["--deliver", "patch"]).expect(0).json();
        let before = desk.callbox(["diff", "t1"]).end().expect(0).stdout;
        let seen = collected(&desk, &["--dry-run"]);
        assert_eq!((kept(&project), &seen["kept"]), (String::new(), &1.into()), "a look writes nothing");
        assert_eq!(tasks(&collected(&desk, more), "removed"), ["t1"]);
        assert_eq!((standing(&desk, 1).len(), &*kept(&project)), (0, "refs/callbox/x1"));
        assert_eq!(desk.callbox(["diff", "t1"]).end().expect(0).stdout, before);
        let shown = desk.callbox(["show", "t1", "--json"]).end().expect(0).json();
        assert_eq!(shown["kept"]["head"], first["delivery"]["head"], "{shown}");
        assert_eq!(shown["delivery"]["patch"], first["delivery"]["patch"], "{shown}");
        // It goes on from there, and the next patch holds all of it.
        let ended = desk.callbox(["resume", "t1", "--run", "--json"]).end().expect(0).json();
        let kept = first["delivery"]["head"].as_str().unwrap();
        let sandbox = desk.state().join("sandboxes/1/2");
        assert_eq!(git(&sandbox, ["merge-base", kept, "HEAD"]), kept, "{ended}");
        let patch = fs::read_to_string(ended["delivery"]["patch"].as_str().unwrap()).unwrap();
        assert!(patch.contains("+one"), "{patch}");
        assert_eq!(ended["delivery"]["base"], first["delivery"]["base"], "{ended}");
    }
}

#[test]
fn a_patch_whose_work_cannot_be_kept_keeps_its_sandbox_but_against_a_wish() {
    let (desk, project) = (Desk::new(), Repository::new());
    run(&desk, &project, STEPS, &["--deliver", "patch"]).expect(0);
    project.git(["update-ref", "refs/callbox", "main"]);
    let done = collected(&desk, &[]);
    let reason = done["stays"][0]["reason"].as_str().unwrap();
    assert!(reason.contains("cannot be kept in the project"), "{done}");
    assert!(standing(&desk, 1).contains(&"1".to_owned()));
    assert_eq!(tasks(&collected(&desk, &["--drop", "t1"]), "removed"), ["t1"]);
}
