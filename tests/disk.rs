//! A disk without room for a sandbox, end to end.

use std::fs;

use callbox::vocabulary::AgentEnd;

use crate::support::{
    cli::Desk,
    repository::Repository,
    small_disk::SmallDisk,
    supervised::{Supervised, fault},
};

/// Files that cannot be compressed.
fn noise(mib: usize) -> Vec<u8> {
    let mut state = 88_172_645_463_325_252_u64;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state.to_le_bytes()
    };
    (0..mib << 17).flat_map(|_| next()).collect()
}

#[test]
fn a_sandbox_that_does_not_fit_is_refused_before_anything_is_copied() {
    let project = Repository::new();
    project.write("large", noise(8));
    project.commit("large");
    let root = project.root().display().to_string();
    let task = ["run", "-C", &root, "--agent", "scripted", "--json", "-p", "- print: x"];
    let Some((desk, _disk)) = SmallDisk::of(72) else { return };
    let ended = desk.callbox(task).end().expect(69).json();
    assert_eq!((&ended["task"]["state"], &ended["error"]["code"]), (&"failed".into(), &"sandbox".into()));
    let message = ended["error"]["message"].as_str().unwrap();
    for words in ["the sandbox needs 17 MiB", "64 MiB must stay free", "are free for"] {
        assert!(message.contains(words), "no {words:?} in {message}");
    }
    assert!(ended["error"]["hint"].as_str().unwrap().contains("free some space"), "{ended}");
    assert_eq!(fs::read_dir(desk.state().join("sandboxes/1")).map_or(0, Iterator::count), 0);
    let (roomy, _disk) = SmallDisk::of(200).unwrap();
    assert_eq!(roomy.callbox(task).end().expect(0).json()["task"]["state"], "completed");
}

#[test]
fn what_is_copied_beside_git_has_to_fit_as_well() {
    let project = Repository::new();
    project.write(".gitignore", "large\n");
    project.commit("ignore");
    project.write("large", noise(8));
    let root = project.root().display().to_string();
    let task = ["run", "-C", &root, "--agent", "scripted", "--copy", "large", "--json", "-p", "- print: x"];
    let Some((desk, _disk)) = SmallDisk::of(70) else { return };
    let ended = desk.callbox(task).end().expect(69).json();
    let message = ended["error"]["message"].as_str().unwrap();
    assert!(message.contains("the sandbox needs 9 MiB"), "{message}");
}

#[test]
fn no_sandbox_is_made_beyond_what_all_of_them_may_take() {
    let (desk, project) = (Desk::new(), Repository::new());
    desk.write("home/.config/callbox/config.toml", "[sandbox]\nmax_size = \"1KiB\"\n");
    let root = project.root().display().to_string();
    let task = ["run", "-C", &root, "--agent", "scripted", "--json", "-p", "- print: x"];
    let _ = desk.callbox(task).end().expect(0);
    let ended = desk.callbox(task).end().expect(69).json();
    assert_eq!((&ended["task"]["state"], &ended["error"]["code"]), (&"failed".into(), &"sandbox".into()));
    let message = ended["error"]["message"].as_str().unwrap();
    assert!(message.contains("`sandbox.max_size` of the configuration is 1 KiB"), "{message}");
    assert!(
        !desk.state().join("sandboxes/2/1").exists() && !desk.state().join("sandboxes/2/1.partial").exists()
    );
}

#[test]
fn a_run_that_outgrows_its_room_is_ended_with_its_own_words_and_goes_on_when_it_has_more() {
    let begins =
        "cat >/dev/null; begin; [ -e large ] || { head -c 20000000 /dev/zero >large; sleep 600; }; done_well";
    let mut run = Supervised::agent(begins);
    run.plan.sandbox.max_each = Some(8 << 20);
    let ended = run.run();
    let full = fault(&ended);
    assert_eq!(full.code, "sandbox_full", "{full:?}");
    assert!(full.message.contains("`sandbox.max_each` of the configuration is 8 MiB"), "{}", full.message);
    assert!(full.message.contains("the run took") && full.hint.is_some(), "{full:?}");
    assert!(!run.is_populated() && run.sandbox().join("large").exists());

    // Also where it ends before anybody has looked.
    let mut run = Supervised::agent("cat >/dev/null; begin; head -c 20000000 /dev/zero >large; done_well");
    run.plan.sandbox.max_each = Some(8 << 20);
    assert_eq!(fault(&run.run()).code, "sandbox_full", "{}", run.log());

    let mut run =
        Supervised::agent("cat >/dev/null; begin; head -c 2000000 /dev/zero >small; sleep 5; done_well");
    run.plan.sandbox.max_each = Some(8 << 20);
    assert_eq!(run.run().end, AgentEnd::Finished, "{}", run.log());
}
