//! The command that sets a sandbox up before any agent works there, end to end with the scripted agent.

use std::{fs, path::Path};

use rustix::process::Signal;
use serde_json::json;

use crate::support::{
    cli::{Call, Desk},
    processes::{kill, nothing_left},
    repository::Repository,
    wait::{SOON, wait_until},
};

const WORK: &str = "- write: {path: work.txt, text: x}\n- ask: {question: Go on?}\n- summary: done";

fn run(desk: &Desk, project: &Repository, setup: &str, more: &[&str]) -> Call {
    let root = project.root().display().to_string();
    let task = ["run", "-C", &root, "--agent", "scripted", "--json", "-p", WORK, "--setup", setup];
    desk.callbox(task.iter().chain(more))
}

fn read(path: impl AsRef<Path>) -> String {
    fs::read_to_string(path).unwrap()
}

#[test]
fn a_sandbox_is_set_up_once_with_what_was_copied_and_nothing_of_that_is_handed_over() {
    let (desk, project) = (Desk::new(), Repository::new());
    project.write(".gitignore", ".env\n");
    project.commit("ignore");
    project.write(".env", "KEY=1");
    let count = desk.path("count").display().to_string();
    let setup = format!(
        "cat .env README.md > made.txt && /bin/mkdir -p lib && echo x > lib/y && echo once >> {count} && pwd"
    );
    let more = ["--copy", ".env", "--isolation", "none"];
    let asked = run(&desk, &project, &setup, &more).end().expect(3).json();
    let ended = desk.callbox(["answer", "q1", "yes", "--run", "--json"]).end().expect(0).json();
    assert_eq!(ended["execution"]["session_id"], asked["execution"]["session_id"]);
    assert_eq!((read(&count), ended["totals"]["executions"].clone()), ("once\n".to_owned(), json!(2)));
    assert!(read(Path::new(ended["sandbox"].as_str().unwrap()).join("made.txt")).starts_with("KEY=1"));
    let branch = ended["task"]["branch"].as_str().unwrap();
    assert_eq!(project.git(["diff", "--name-only", "HEAD", branch]), "work.txt");
    let logs = desk.callbox(["logs", "x1"]).end().expect(0).stdout;
    assert!(logs.contains("[callbox: setup: cat .env") && logs.contains("sandboxes/1/1"), "{logs}");
    // What is done anew begins in a sandbox of its own.
    let _ = desk.callbox(["retry", "t1", "--fresh", "--run"]).end().expect(3);
    assert_eq!(read(&count), "once\nonce\n");
}

#[test]
fn a_command_that_fails_is_told_and_run_again_with_the_next_run() {
    let (desk, project) = (Desk::new(), Repository::new());
    let there = desk.path("there").display().to_string();
    let setup = format!("echo no network >&2; echo half > README.md; test -e {there}");
    let failed = run(&desk, &project, &setup, &[]).end().expect(69).json();
    // No agent did that.
    assert_eq!(project.git(["for-each-ref", "refs/callbox"]), "");
    assert_eq!((&failed["task"]["state"], &failed["error"]["code"]), (&json!("failed"), &json!("setup")));
    let message = failed["error"]["message"].as_str().unwrap();
    assert!(message.contains("failed with exit status 1") && message.ends_with("\nno network"), "{message}");
    assert!(failed["execution"]["session_id"].is_null(), "the agent must not have been started: {failed}");
    nothing_left(&desk);
    fs::write(&there, "").unwrap();
    let _ = desk.callbox(["resume", "t1", "--run"]).end().expect(3);
}

#[test]
fn a_command_that_takes_too_long_is_ended_with_all_it_started() {
    let (desk, project) = (Desk::new(), Repository::new());
    let ended =
        run(&desk, &project, "sleep 600 & sleep 600", &["--setup-timeout", "1s"]).end().expect(69).json();
    assert!(ended["error"]["message"].as_str().unwrap().contains("ended after its limit of 1 s"), "{ended}");
    nothing_left(&desk);
}

#[test]
fn a_cancel_ends_the_command_too() {
    let (desk, project) = (Desk::new(), Repository::new());
    let running = run(&desk, &project, "echo x > begun; sleep 600", &[]).start();
    let begun = desk.state().join("sandboxes/1/1/begun");
    wait_until("the command runs", SOON, || begun.exists());
    kill(running.pid(), Signal::INT);
    let ended = running.end().expect(7).json();
    assert_eq!(ended["task"]["state"], "cancelled", "{ended}");
    nothing_left(&desk);
}

#[test]
fn every_task_has_ten_ports_of_its_own() {
    let (desk, project) = (Desk::new(), Repository::new());
    let file = format!(
        "tasks:\n- {{name: a, project: {0}, agent: scripted, setup: 'echo $CALLBOX_PORT > port', instructions: '- print: x'}}\n\
         - {{name: b, project: {0}, agent: scripted, setup: 'echo $CALLBOX_PORT > port', instructions: '- print: x'}}\n",
        project.root().display()
    );
    desk.write("home/two.yaml", &file);
    let _ = desk.callbox(["run", "two.yaml"]).end().expect(0);
    let port = |task: u32| -> u16 {
        read(desk.state().join(format!("sandboxes/{task}/1/port"))).trim().parse().unwrap()
    };
    assert!(port(1).abs_diff(port(2)) >= 10, "{} and {}", port(1), port(2));
}

#[test]
fn a_command_that_outgrows_the_room_of_its_run_is_ended_and_named_before_and_behind_the_agent() {
    let grow = "/usr/bin/head -c 20000000 /dev/zero > large; /bin/sleep 600";
    for field in ["setup", "verify"] {
        let (desk, project) = (Desk::new(), Repository::new());
        desk.write("home/.config/callbox/config.toml", "[sandbox]\nmax_each = \"8MiB\"\n");
        let root = project.root().display().to_string();
        let flag = format!("--{field}");
        let run = ["run", "-C", &root, "--agent", "scripted", "--json", "-p"];
        let task = ["- write: {path: work.txt, text: x}\n- summary: done", &flag, grow];
        let ended = desk.callbox(run.iter().chain(&task)).end().expect(1).json();
        let (error, shown) = (&ended["error"], ended["error"]["message"].as_str().unwrap());
        assert_eq!(error["code"], "sandbox_full", "{ended}");
        for words in [&format!("`{field}` was ended (`{grow}`)"), "`sandbox.max_each`", "8 MiB"] {
            assert!(shown.contains(words), "no {words:?} in {shown}");
        }
        assert!(error["hint"].as_str().unwrap().contains("`callbox resume`"), "{ended}");
        // Only what `verify` was to decide about had been written.
        let kept = format!("refs/callbox/{}", ended["execution"]["number"].as_str().unwrap());
        let kept = project.git(["for-each-ref", "--format=%(refname)", &kept]);
        assert_eq!(kept.trim().is_empty(), field == "setup", "{kept:?}");
        // And what `setup` wrote holds no sandbox back.
        let swept = desk.callbox(["gc", "--keep", "0s"]).end().expect(0);
        assert_eq!(desk.state().join("sandboxes/1/1").exists(), field == "verify", "{swept}");
        nothing_left(&desk);
    }
}
