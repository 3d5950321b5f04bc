//! Whole trees: each test runs in a process of its own, since adopting, reaping and ending concern
//! everything below a process, and tests share one.

use std::{
    env,
    io::Read as _,
    os::fd::{AsFd as _, AsRawFd as _},
    process::{Command, Stdio},
    time::{Duration, Instant},
};

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

use super::*;
use crate::ids::ExecutionNumber;

const ALONE: &str = "CALLBOX_TEST_ALONE";
const SOON: Duration = Duration::from_secs(20);

/// Runs `body` in a process that runs only the test called `name`, with child processes of its own.
fn alone<F: Future<Output = ()>>(name: &str, body: impl FnOnce() -> F) {
    if env::var_os(ALONE).is_some() {
        subreaper::become_one().unwrap();
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(body());
        return;
    }
    // Into a file: what a failing test leaves running would hold a pipe open for ever.
    let mut printed = tempfile::NamedTempFile::new().unwrap();
    // One file with one end for both: opened twice, the later words of either would stand over those of the other.
    let end = printed.reopen().unwrap();
    let status = Command::new(env::current_exe().unwrap())
        .args(["--exact", &format!("process::tests::{name}"), "--nocapture", "--test-threads=1"])
        .env(ALONE, "yes")
        .stdout(end.try_clone().unwrap())
        .stderr(end)
        .status()
        .unwrap();
    let mut text = String::new();
    printed.read_to_string(&mut text).unwrap();
    assert!(status.success() && text.contains("1 passed"), "{text}");
}

/// Starts `script` in a session of its own; the shell prints a line when everything is in place.
async fn start(family: &Family, script: &str) -> (tokio::process::Child, Process) {
    let mut command = tokio::process::Command::new("setsid");
    command.args(["sh", "-c", script]).stdin(Stdio::null()).stdout(Stdio::piped());
    let mut child = family.spawn(&mut command).unwrap();
    let process = Process::of(Pid::new(child.id().unwrap()).unwrap()).unwrap();
    let mut lines =
        tokio::io::AsyncBufReadExt::lines(tokio::io::BufReader::new(child.stdout.take().unwrap()));
    assert_eq!(lines.next_line().await.unwrap().as_deref(), Some("ready"));
    (child, process)
}

async fn until(what: &str, mut predicate: impl FnMut() -> bool) {
    let deadline = Instant::now() + SOON;
    while !predicate() {
        assert!(Instant::now() < deadline, "{what}");
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

fn politely(grace: Duration) -> Ladder {
    Ladder { ask: Some((Signal::Terminate, grace)), deadline: SOON }
}

/// A shell that starts a grandchild in a session of its own, which ignores what can be ignored and
/// tells of itself only once it does.
const WITH_GRANDCHILD: &str =
    "setsid sh -c 'trap \"\" TERM INT HUP; echo ready; while :; do sleep 1; done' & wait";

#[test]
fn an_orphan_is_adopted_and_cleared_away_and_an_own_child_keeps_its_status() {
    alone("an_orphan_is_adopted_and_cleared_away_and_an_own_child_keeps_its_status", || async {
        let family = Family::default();
        let (mut child, process) = start(&family, "(sh -c 'exit 4' &) ; echo ready; exec 1>&-; exit 7").await;
        until("the child and the orphan end", || {
            !process.is_alive() && descendants(Pid::current()).unwrap().is_empty()
        })
        .await;
        assert_eq!(family.reap_adopted().unwrap(), 1);
        assert_eq!(family.reap_adopted().unwrap(), 0);
        assert_eq!(child.wait().await.unwrap().code(), Some(7));
    });
}

#[test]
fn a_grandchild_in_its_own_session_that_ignores_signals_is_ended() {
    alone("a_grandchild_in_its_own_session_that_ignores_signals_is_ended", || async {
        let family = Family::default();
        let (mut child, root) = start(&family, WITH_GRANDCHILD).await;
        end_tree(Tree::Below { root: Some(root), family: &family }, politely(SOON)).await.unwrap();
        assert!(descendants(Pid::current()).unwrap().is_empty());
        child.wait().await.unwrap();
        assert!(subreaper::children().unwrap().is_empty());
    });
}

#[test]
fn a_tree_whose_root_has_exited_is_ended() {
    alone("a_tree_whose_root_has_exited_is_ended", || async {
        let family = Family::default();
        let script = WITH_GRANDCHILD.replace("wait", "sleep 0.05; exit 0");
        let (mut child, root) = start(&family, &script).await;
        child.wait().await.unwrap();
        end_tree(Tree::Below { root: Some(root), family: &family }, politely(SOON)).await.unwrap();
        assert!(subreaper::children().unwrap().is_empty());
    });
}

#[test]
fn who_obeys_the_asking_signal_has_time_to_clear_up() {
    alone("who_obeys_the_asking_signal_has_time_to_clear_up", || async {
        let folder = tempfile::tempdir().unwrap();
        let note = folder.path().join("note");
        let family = Family::default();
        let script = format!(
            "trap 'echo bye > {}; exit 3' TERM; echo ready; while :; do sleep 0.01; done",
            note.display()
        );
        let (mut child, root) = start(&family, &script).await;
        end_tree(Tree::Below { root: Some(root), family: &family }, politely(SOON)).await.unwrap();
        assert_eq!(std::fs::read_to_string(note).unwrap(), "bye\n");
        assert_eq!(child.wait().await.unwrap().code(), Some(3));
    });
}

#[test]
fn who_forks_without_end_is_ended_too() {
    alone("who_forks_without_end_is_ended_too", || async {
        let family = Family::default();
        let (mut child, root) =
            start(&family, "trap '' TERM; echo ready; while :; do setsid sleep 5 & done").await;
        let kill = Ladder { ask: None, deadline: SOON };
        end_tree(Tree::Below { root: Some(root), family: &family }, kill).await.unwrap();
        child.wait().await.unwrap();
        assert!(subreaper::children().unwrap().is_empty());
    });
}

#[test]
fn what_a_dead_supervisor_left_is_ended_and_another_supervisor_is_not() {
    alone("what_a_dead_supervisor_left_is_ended_and_another_supervisor_is_not", || async {
        let state = tempfile::tempdir().unwrap();
        let execution = ExecutionNumber::new(900_000_032);
        let mark = Mark {
            execution,
            tmpdir: state.path().join("executions/32"),
            sandbox: state.path().join("sandboxes"),
            socket: state.path().join("agent/agent.sock"),
        };
        let family = Family::default();
        let other = "export CALLBOX_EXECUTION=x1; sleep 600 & echo ready; wait";
        let (mut other, other_root) = start(&family, other).await;
        // The agent and its child carry the mark; the supervisor does not.
        let script = format!(
            "CALLBOX_EXECUTION={execution} TMPDIR={}/tmp setsid sh -c 'sleep 600 & echo ready; wait' & wait",
            mark.tmpdir.display()
        );
        let (mut dead, supervisor) = start(&family, &script).await;
        assert_eq!(marked(&mark).unwrap().len(), 2);
        signal(supervisor, Signal::Kill).unwrap();
        dead.wait().await.unwrap();
        end_tree(Tree::Left { mark: &mark, family: &family }, politely(Duration::ZERO)).await.unwrap();
        assert!(marked(&mark).unwrap().is_empty());
        assert!(other_root.is_alive());
        assert_eq!(descendants(other_root.pid).unwrap().len(), 1);
        other.start_kill().unwrap();
        end_tree(Tree::Below { root: Some(other_root), family: &family }, politely(Duration::ZERO))
            .await
            .unwrap();
    });
}

/// Leaves this process `free` descriptors beyond those it has; the limit to be set again.
fn leave_descriptors(free: u64) -> Rlimit {
    let before = getrlimit(Resource::Nofile);
    let next = std::fs::File::open("/").unwrap();
    let next = u64::try_from(next.as_fd().as_raw_fd()).unwrap();
    setrlimit(Resource::Nofile, Rlimit { current: Some(next + free), ..before }).unwrap();
    before
}

#[test]
fn what_no_descriptor_is_left_to_look_with_is_not_taken_for_gone() {
    alone("what_no_descriptor_is_left_to_look_with_is_not_taken_for_gone", || async {
        let family = Family::default();
        let (mut child, process) = start(&family, WITH_GRANDCHILD).await;
        let tree = || Tree::Below { root: Some(process), family: &family };
        let soon = Ladder { ask: Some((Signal::Terminate, Duration::ZERO)), deadline: Duration::ZERO };
        let mark = Mark {
            execution: ExecutionNumber::new(1),
            tmpdir: "/".into(),
            sandbox: "/nonexistent".into(),
            socket: "/nonexistent".into(),
        };
        // With one the folder is opened and nothing in it.
        for free in [0, 1] {
            let before = leave_descriptors(free);
            let found = (
                process.is_alive(),
                descendants(Pid::current()).is_err(),
                marked(&mark).is_err(),
                family.adopted().is_err(),
                work_below().is_err(),
                matches!(end_tree(tree(), soon).await, Err(Survivors::Unlisted { .. })),
            );
            let bearing =
                (free == 0).then(|| Bearing::of(process).is_err() && Bearing::run_of(process).is_err());
            setrlimit(Resource::Nofile, before).unwrap();
            assert_eq!(found, (true, true, true, true, true, true), "{free} free");
            assert_ne!(bearing, Some(false), "what it carries was not looked at");
        }
        assert!(process.is_alive());
        end_tree(tree(), politely(Duration::from_millis(100))).await.unwrap();
        assert!(descendants(Pid::current()).unwrap().is_empty());
        child.wait().await.unwrap();
    });
}

#[test]
fn a_child_that_cannot_be_noted_is_not_kept() {
    alone("a_child_that_cannot_be_noted_is_not_kept", || async {
        let family = Family::default();
        let mut command = tokio::process::Command::new("/bin/sleep");
        command.arg("600");
        let before = getrlimit(Resource::Nofile);
        // Ever more are left, until one is enough for a start: none may go on that nobody knows.
        let mut started = None;
        for free in 0..20 {
            let own = leave_descriptors(free);
            let child = family.spawn(&mut command);
            setrlimit(Resource::Nofile, own).unwrap();
            if let Ok(child) = child {
                started = Some(child);
                break;
            }
        }
        setrlimit(Resource::Nofile, before).unwrap();
        let mut started = started.expect("with 20 descriptors one starts");
        until("nothing else runs", || {
            descendants(Pid::current()).unwrap().len() == 1 && family.adopted().unwrap().is_empty()
        })
        .await;
        started.kill().await.unwrap();
    });
}
