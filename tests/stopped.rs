//! Processes that are stopped for longer than anybody waits, and wake in a world that went on without them.

use std::{
    fs,
    os::unix::fs::MetadataExt as _,
    time::{Duration, Instant},
};

use rustix::process::Signal;

use crate::support::{
    books::Books,
    cli::{Call, Desk},
    processes::{is_stopped, kill, nothing_left, processes, stop, the_process},
    repository::Repository,
    resident::Resident,
    wait::{SOON, wait_until},
};

#[test]
fn a_stopped_store_whose_lock_was_removed_writes_nothing_more_when_it_wakes() {
    let desk = Desk::new();
    desk.callbox(["submit", "--hold", "-p", "- summary: x", "--agent", "scripted", "--no-project"])
        .end()
        .expect(0);
    let store = Resident::start(&desk);
    stop_between_writes(store.pid());
    // Waits for an answer of the stopped one.
    let waiting = desk.callbox(["cancel", "t1", "--json"]).start();
    let socket = desk.state().join("operator/store.sock");
    wait_until("a command waits for the stopped store", SOON, || is_connected(waiting.pid()));
    fs::remove_file(desk.state().join("lock")).unwrap();
    let of_the_stopped = fs::metadata(&socket).unwrap().ino();
    let other = Resident::start(&desk);
    wait_until("the socket is the other's", SOON, || {
        fs::metadata(&socket).is_ok_and(|socket| socket.ino() != of_the_stopped)
    });
    let ran = ["run", "-p", "- summary: went on", "--agent", "scripted", "--no-project", "--json"];
    let ran = desk.callbox(ran).end().expect(0).json();
    assert_eq!(ran["summary"], "went on");
    let before = fs::read_to_string(desk.state().join("lock")).unwrap();
    kill(store.pid(), Signal::CONT);
    let _ = store.ends().expect(69);
    let waited = waiting.end();
    assert!(socket.exists(), "the store that woke took the other's socket along");
    assert_eq!(fs::read_to_string(desk.state().join("lock")).unwrap(), before);
    let state = desk.standing("t1");
    assert_eq!(state == "cancelled", waited.status == 0, "{waited} and yet it is {state}");
    assert_eq!(desk.standing("t2"), "completed");
    other.stop();
    nothing_left(&desk);
    Books::open(&desk).are_sound();
}

/// Stops a store where it holds no lock of SQLite's, for which the other one would wait in vain: behind its answers it
/// still copies its log.
fn stop_between_writes(pid: u32) {
    wait_until("the store is stopped between two writes", SOON, || {
        stop(pid);
        let locks = fs::read_to_string("/proc/locks").unwrap();
        let writes = locks.lines().any(|line| {
            let fields: Vec<_> = line.split_whitespace().collect();
            fields.contains(&"POSIX") && fields.contains(&"WRITE") && fields.contains(&&*pid.to_string())
        });
        if writes {
            kill(pid, Signal::CONT);
        }
        !writes
    });
}

/// Whether the process has a socket open that is connected to a peer.
fn is_connected(pid: u32) -> bool {
    let Ok(open) = fs::read_dir(format!("/proc/{pid}/fd")) else { return false };
    let sockets: Vec<_> = open
        .flatten()
        .filter_map(|entry| {
            fs::read_link(entry.path())
                .ok()?
                .to_str()?
                .strip_prefix("socket:[")?
                .strip_suffix(']')
                .map(str::to_owned)
        })
        .collect();
    let all = fs::read_to_string("/proc/net/unix").unwrap();
    all.lines().any(|line| {
        let mut fields = line.split_whitespace();
        let state = fields.nth(5);
        state == Some("03") && fields.next().is_some_and(|inode| sockets.iter().any(|socket| socket == inode))
    })
}

/// A run whose supervisor stops itself at `point`.
fn stopped_supervisor(desk: &Desk, project: &Repository, point: &str) -> (Resident, u32) {
    let passed = desk.path("passed");
    let serve =
        desk.callbox(["serve"]).variable("CALLBOX_FAULT", point).variable("CALLBOX_FAULT_ACTION", "stop");
    let store = Resident::from(desk, serve.variable("CALLBOX_FAULT_ONCE", &passed).start());
    let steps = "- write: {path: done.txt, text: done}\n- commit: do it\n- summary: all of it";
    let root = project.root().display().to_string();
    desk.callbox(["submit", "-C", &root, "--name", "work", "--agent", "scripted", "-p", steps])
        .end()
        .expect(0);
    wait_until("the point is passed", SOON, || passed.exists());
    let supervisor = the_process(desk, |line| line.starts_with("callbox supervise "));
    wait_until("the supervisor is stopped", SOON, || is_stopped(supervisor));
    (store, supervisor)
}

#[test]
fn a_stopped_supervisor_whose_run_was_given_up_does_nothing_more_when_it_wakes() {
    for point in [
        "supervisor:after_started",
        "supervisor:sandbox_made",
        "supervisor:outcome_spooled",
        "supervisor:delivered_before_report",
    ] {
        let (desk, project) = (Desk::new(), Repository::new());
        let (store, supervisor) = stopped_supervisor(&desk, &project, point);
        store.kill();
        // Who removes this takes the one sign of its life from it: the run counts as lost.
        fs::remove_file(desk.state().join("executions/1/alive")).unwrap();
        let store = Resident::start(&desk);
        wait_until("the task is completed without it", 3 * SOON, || desk.standing("t1") == "completed");
        let heads = || project.git(["for-each-ref", "refs/heads", "refs/callbox"]);
        let (before, shown) = (heads(), desk.callbox(["show", "t1", "--json"]).end().expect(0).stdout);
        // What its agent said: nothing, where there was none.
        let log = || fs::read(desk.state().join("executions/1/agent.log")).unwrap_or_default();
        let said = log();
        assert!(is_stopped(supervisor), "{point}: it sleeps all the while");
        kill(supervisor, Signal::CONT);
        wait_until("it has ended", SOON, || !processes(&desk).iter().any(|(pid, _)| *pid == supervisor));
        assert_eq!(heads(), before, "{point}");
        assert_eq!(log(), said, "{point}: another agent was started");
        assert_eq!(desk.callbox(["show", "t1", "--json"]).end().expect(0).stdout, shown, "{point}");
        assert_eq!(project.git(["rev-list", "--count", "main..callbox/t1-work"]), "1", "{point}");
        store.stop();
        nothing_left(&desk);
        let books = Books::open(&desk);
        books.are_sound();
        books.know_no_run_twice();
    }
}

fn run(desk: &Desk, steps: &str) -> Call {
    let limits = ["--timeout", "4s", "--idle-timeout", "2s"];
    let task = ["run", "--agent", "scripted", "--no-project", "--json", "-p", steps];
    desk.callbox(task.iter().chain(&limits))
}

/// As when the lid of a laptop is closed, but for the clocks: a suspended machine's monotonic clock stands still, while
/// stopped processes find that it went on. This is the harder case, since every deadline has passed when they wake.
#[test]
fn a_run_whose_every_process_was_stopped_for_longer_than_its_limits_goes_on_as_if_nothing_had_happened() {
    let desk = Desk::new();
    let store = Resident::start(&desk);
    let running = run(&desk, "- write: {path: begun, text: x}\n- progress: before\n- sleep: 1s\n- progress: behind\n- summary: done").start();
    wait_until("the agent has begun", SOON, || desk.state().join("sandboxes/1/1/begun").exists());
    let all: Vec<u32> = processes(&desk).into_iter().map(|(pid, _)| pid).collect();
    for pid in &all {
        stop(*pid);
    }
    let begun = Instant::now();
    wait_until("the limits are over", SOON, || begun.elapsed() > Duration::from_secs(6));
    for pid in &all {
        kill(*pid, Signal::CONT);
    }
    let ended = running.end().expect(0).json();
    assert_eq!(ended["summary"], "done", "{ended}");
    store.stop();
    nothing_left(&desk);
    let books = Books::open(&desk);
    books.are_sound();
    assert_eq!(books.hold_what_was_acknowledged(), 3);
}
