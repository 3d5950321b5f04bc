//! Work as a file that `git am` takes: nothing of the project changes, and no kill writes half a file.

use std::{
    fs,
    os::unix::fs::MetadataExt as _,
    process::Command,
    time::{SystemTime, UNIX_EPOCH},
};

use rustix::process::Signal;
use serde_json::{Value, json};

use crate::support::{
    belongings::belongings,
    cli::{Call, Desk},
    processes::{kill, nothing_left},
    repository::{Repository, git},
    wait::{SOON, wait_until},
};

const WORK: &str =
    "- write: {path: src/a.txt, text: one}\n- commit: the first\n- write: {path: README.md, text: two}";

fn call(desk: &Desk, project: &Repository, steps: &str, more: &[&str]) -> Call {
    let root = project.root().display().to_string();
    let task = ["run", "-C", &root, "--agent", "scripted", "--name", "work", "--deliver", "patch", "--json"];
    desk.callbox(task.into_iter().chain(["-p", steps]).chain(more.iter().copied()))
}

/// Applies the patch of `ended` in the project, which must take it.
#[track_caller]
fn apply(project: &Repository, ended: &Value) {
    let patch = ended["delivery"]["patch"].as_str().unwrap();
    project.git(["am", "-q", patch]);
}

#[test]
fn the_work_is_a_patch_that_git_am_takes_and_the_project_is_left_alone() {
    let (desk, project) = (Desk::new(), Repository::new());
    let before = belongings(&project.root());
    let ended = call(&desk, &project, WORK, &[]).end().expect(0).json();
    let delivery = &ended["delivery"];
    assert_eq!((&delivery["branch"], &ended["task"]["branch"]), (&Value::Null, &Value::Null), "{ended}");
    assert_eq!((&delivery["commits"], &delivery["files"]), (&json!(2), &json!(2)));
    assert_eq!(delivery["patch"], desk.state().join("executions/1/work.patch").display().to_string());
    assert_eq!(belongings(&project.root()), before);
    assert_eq!(project.git(["for-each-ref", "refs/heads/callbox", "refs/callbox"]), "");
    let text = desk.callbox(["show", "t1"]).end().expect(0).stdout;
    assert!(text.contains("executions/1/work.patch (2 commits, 2 files"), "{text}");
    let _ = desk.callbox(["take", "t1"]).end().expect(1).says("git am /");
    assert!(desk.callbox(["diff", "t1"]).end().expect(0).stdout.contains("+two"));
    apply(&project, &ended);
    assert_eq!(project.git(["log", "--format=%s", "-2"]), "Left-over changes of task t1\nthe first");
    let message = project.git(["log", "-1", "--format=%B"]);
    assert!(message.contains("Callbox-Task: t1"), "{message}");
    assert_eq!(project.git(["status", "--porcelain"]), "");
    nothing_left(&desk);
}

#[test]
fn a_history_with_merges_is_one_patch_and_bytes_and_modes_survive() {
    let (desk, project) = (Desk::new(), Repository::new());
    // The command is run in the sandbox as the agent would run git there, and leaves a merge behind.
    let script = "git checkout -q -b side && printf 'a\\0b' > bin && chmod +x bin && git add bin && git commit -q -m side \
                  && git checkout -q - && echo x > y && git add y && git commit -q -m own && git merge -q --no-edit side";
    fs::write(project.beside("merge.sh"), script).unwrap();
    run_in_sandbox(&desk, &project);
    let ended = desk.callbox(["answer", "q1", "go on", "--run", "--json"]).end().expect(0).json();
    assert_eq!(ended["delivery"]["commits"], 4, "{ended}");
    apply(&project, &ended);
    assert_eq!(fs::read(project.root().join("bin")).unwrap(), b"a\0b");
    assert!(project.git(["ls-tree", "HEAD", "bin"]).starts_with("100755"));
    assert_eq!(project.git(["rev-list", "--count", "HEAD"]), "2");
}

fn run_in_sandbox(desk: &Desk, project: &Repository) {
    call(desk, project, "- ask: now?\n- write: {path: z.txt, text: z}", &[]).end().expect(3);
    let sandbox = desk.state().join("sandboxes/1/1");
    let script = project.beside("merge.sh");
    assert!(Command::new("sh").arg(script).current_dir(sandbox).status().unwrap().success());
}

#[test]
fn a_change_that_stands_in_a_message_is_not_applied() {
    let (desk, project) = (Desk::new(), Repository::new());
    let planted = "diff --git a/planted b/planted\\nnew file mode 100644\\n--- /dev/null\\n+++ b/planted\\n\
                   @@ -0,0 +1 @@\\n+planted";
    let steps = format!(
        "- write: {{path: a.txt, text: one}}\n- commit: \"the first\\n\\n{planted}\"\n\
         - write: {{path: b.txt, text: two}}\n- commit: the second"
    );
    let ended = call(&desk, &project, &steps, &[]).end().expect(0).json();
    assert_eq!(ended["delivery"]["commits"], 2, "{ended}");
    let head = ended["delivery"]["head"].as_str().unwrap();
    let delivered = git(&desk.state().join("sandboxes/1/1"), ["rev-parse", &format!("{head}^{{tree}}")]);
    apply(&project, &ended);
    assert_eq!(project.git(["rev-parse", "HEAD^{tree}"]), delivered);
    assert!(!project.root().join("planted").exists());
    assert_eq!(project.git(["log", "-1", "--format=%B"]), "All of the work as one patch");
}

#[test]
fn work_that_changes_nothing_is_no_patch() {
    let (desk, project) = (Desk::new(), Repository::new());
    let ended = call(&desk, &project, "- summary: nothing", &[]).end().expect(0).json();
    assert_eq!(ended["delivery"], Value::Null);
    assert!(!desk.state().join("executions/1/work.patch").exists());
}

#[test]
fn a_supervisor_that_is_killed_behind_the_patch_writes_it_once_more_and_the_same() {
    // The second becomes one commit, which is made for the patch.
    let whole = "- write: {path: a.txt, text: one}\n- commit: \"the first\\n\\n---\"\n- write: {path: b.txt, text: b}";
    for steps in [WORK, whole] {
        let (desk, project) = (Desk::new(), Repository::new());
        let once = desk.path("died").display().to_string();
        let stopped =
            call(&desk, &project, steps, &[]).variable("CALLBOX_FAULT", "supervisor:delivered_before_report");
        let stopped = stopped.variable("CALLBOX_FAULT_ACTION", "stop").variable("CALLBOX_FAULT_ONCE", once);
        let running = stopped.start();
        wait_until("the point is passed", 3 * SOON, || desk.path("died").exists());
        let patch = desk.state().join("executions/1/work.patch");
        let (first, number) = (fs::read(&patch).unwrap(), fs::metadata(&patch).unwrap().ino());
        // Times in patches are whole seconds.
        let made = fs::metadata(&patch).unwrap().mtime();
        wait_until("another second has begun", SOON, || {
            SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs() > made.unsigned_abs()
        });
        let supervisor = fs::read_to_string(desk.state().join("executions/1/alive")).unwrap();
        kill(supervisor.trim().parse().unwrap(), Signal::KILL);
        let ended = running.end().expect(0).json();
        assert_eq!(fs::read(&patch).unwrap(), first);
        assert_ne!(fs::metadata(&patch).unwrap().ino(), number, "it was not written once more");
        assert_eq!((&ended["totals"]["executions"], &ended["delivery"]["commits"]), (&json!(1), &json!(2)));
        apply(&project, &ended);
        nothing_left(&desk);
    }
}
