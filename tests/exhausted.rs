//! Open files and processes used up, for each of callbox's programs: whatever cannot be done is refused with a
//! sentence and the status of what is not to be had, nothing acknowledged is lost, nothing is left running, and
//! with room again the task goes on.

use std::{fs, thread};

use crate::support::{
    cli::{Desk, Ended},
    limited::{self, LIMIT, NoDescriptors},
    processes::{nothing_left, the_process},
    repository::Repository,
    resident::Resident,
    speaking::speaking,
    wait::{SOON, wait_for_words, wait_until},
};

const STEPS: &str = "- progress: at work\n- write: {path: new, text: new}\n- commit: do it\n- summary: done";

/// Runs a task in `project` within `limit`, and then without it.
fn tried(desk: &Desk, project: &Repository, limit: &str) -> i32 {
    let root = project.root().display().to_string();
    let run = ["run", "--agent", "scripted", "-C", &root, "--name", "work", "--json", "-p", STEPS];
    // A store of its own that does not answer is waited for, again and again.
    let ended = desk.callbox(run).variable(LIMIT, limit).start().end_within(12 * SOON);
    // An agent that is refused a tool decides by itself whether it fails for that.
    let refused = |ended: &Ended| ended.status == 1 && ended.json()["error"]["code"] == "tool";
    assert!(matches!(ended.status, 0 | 69) || refused(&ended), "{limit}: {ended}");
    assert!(!ended.stderr.contains("panicked"), "{limit}: {ended}");
    if ended.status == 69 && ended.stdout.is_empty() {
        let said = &ended.stderr;
        assert!(said.starts_with("error: ") || said.contains("\nerror: "), "{limit}: {ended}");
        assert!(said.contains("because: ") || said.contains("hint: "), "{limit}: {ended}");
    }
    if ended.status == 69 && !ended.stdout.is_empty() {
        assert!(!ended.json()["error"]["message"].as_str().unwrap().is_empty(), "{limit}: {ended}");
    }
    goes_on(desk, project, limit);
    ended.status
}

/// With room again, whatever was queued is done, once. A supervisor that still runs has no more than it was given.
fn goes_on(desk: &Desk, project: &Repository, limit: &str) {
    let task = || {
        let listed = desk.callbox(["ls", "--json"]).end().expect(0).json();
        listed.get(0).map(|task| task["state"].as_str().unwrap().to_owned())
    };
    for _ in 0..3 {
        let run: &[&str] = match task().as_deref() {
            None | Some("completed") => break,
            Some("failed") => &["retry", "t1", "--run", "--json"],
            Some(_) => &["run", "--queued", "--json"],
        };
        desk.callbox(run).start().end_within(6 * SOON);
    }
    if let Some(state) = task() {
        assert_eq!(state, "completed", "{limit}");
        assert_eq!(project.git(["rev-list", "--count", "main..callbox/t1-work"]), "1", "{limit}");
    }
    nothing_left(desk);
}

#[test]
fn however_few_files_a_command_may_open_it_says_so_and_loses_nothing() {
    let tried = |files: u32| {
        let project = Repository::new();
        let desk = limited::desk()?;
        Some(tried(&desk, &project, &format!("--nofile={files}")))
    };
    let begun: Vec<_> =
        (8..54).step_by(2).map(|files| thread::spawn(move || (files, tried(files)))).collect();
    let found: Vec<_> = begun.into_iter().map(|one| one.join().unwrap()).collect();
    println!("{found:?}");
    assert!(found.iter().all(|(_, status)| status.is_none()) || found.iter().any(|(_, s)| *s == Some(69)));
}

#[test]
fn however_few_processes_a_user_may_start_it_is_said_and_nothing_is_lost() {
    let mut statuses = Vec::new();
    for processes in 1..14 {
        let Some(desk) = limited::desk_of_a_user_of_its_own() else { return };
        let project = Repository::new();
        limited::give_like(&desk, project.root().parent().unwrap());
        statuses.push(tried(&desk, &project, &format!("--nproc={processes}")));
    }
    println!("{statuses:?}");
    assert!(statuses.contains(&69));
}

const SAY: &str = "say() { call record_progress \"{\\\"message\\\": \\\"$1\\\"}\"; }\n";

/// An agent that is not isolated and may `say` something.
fn saying(desk: &Desk, patience: u32, script: &str) {
    speaking(desk, patience, &format!("{SAY}{script}"));
    desk.write("home/.config/callbox/config.toml", "isolation = \"none\"\n");
}

fn claude(desk: &Desk, arguments: &[&str]) -> Ended {
    desk.callbox(arguments).variable("ANTHROPIC_API_KEY", "sk-ant-dummy").end()
}

fn said(desk: &Desk) -> Vec<String> {
    let shown = desk.callbox(["show", "t1", "--json"]).end().expect(0).json();
    let signals = shown["signals"].as_array().unwrap().iter();
    signals.map(|signal| signal["arguments"]["message"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn a_shim_that_may_open_few_files_records_a_call_or_says_that_it_did_not() {
    let Some(desk) = limited::desk() else { return };
    std::os::unix::fs::symlink("/usr/bin/prlimit", desk.path("bin/prlimit")).unwrap();
    let script = "for files in 3 4 5 6 7 8 9 10 11 12; do by=\"prlimit --nofile=$files\"; say $files; done; by=; begin; done_well";
    saying(&desk, 1, script);
    claude(&desk, &["run", "--agent", "claude", "--no-project", "-p", "Say it."]).expect(0);
    let notes = fs::read_to_string(desk.path("notes")).unwrap();
    let recorded = notes.lines().filter(|line| line.starts_with("Recorded")).count();
    assert_eq!(said(&desk).len(), recorded, "{notes}");
    assert_eq!(notes.lines().filter(|line| *line == "status 0").count(), recorded, "{notes}");
    assert!(recorded > 0 && notes.contains("not recorded"), "{notes}");
    assert!(!notes.contains("panicked") && !notes.contains("status 101"), "{notes}");
    nothing_left(&desk);
}

#[test]
fn a_store_that_can_open_no_file_answers_once_it_can_and_loses_nothing() {
    let desk = Desk::new();
    saying(&desk, 60, "say one; wait_for none; say two; begin; done_well");
    let store = Resident::of(&desk);
    claude(&desk, &["submit", "--agent", "claude", "--no-project", "-p", "Say it."]).expect(0);
    wait_for_words(desk.path("notes"), "status 0");
    let none = NoDescriptors::left_to(store.pid());
    desk.write("none", "");
    let calls = |line: &str| line.contains("call record_progress");
    wait_until("the shim calls", SOON, || {
        crate::support::processes::processes(&desk).iter().any(|(_, line)| calls(line))
    });
    // Where a connection has ended meanwhile one may be had for this.
    let looked = desk.callbox(["ls"]).end();
    let told = ["does not answer", "no open files"].iter().any(|words| looked.stderr.contains(words));
    let refused = looked.status == 69 && told && looked.stderr.contains("hint: ");
    assert!(looked.status == 0 || refused, "{looked}");
    drop(none);
    wait_until("the task is completed", SOON, || desk.standing("t1") == "completed");
    assert_eq!(said(&desk), ["one", "two"]);
    store.stop();
    nothing_left(&desk);
}

#[test]
fn a_supervisor_that_can_open_no_file_ends_its_run_with_words_and_leaves_nothing_behind() {
    let (desk, project) = (Desk::new(), Repository::new());
    saying(&desk, 60, "say one; echo new >new; setsid sleep 600 & wait_for none; say two; begin; done_well");
    let store = Resident::of(&desk);
    let root = project.root().display().to_string();
    claude(&desk, &["submit", "--agent", "claude", "-C", &root, "--name", "work", "-p", "Say it."]).expect(0);
    wait_for_words(desk.path("notes"), "status 0");
    let _none = NoDescriptors::left_to(the_process(&desk, |line| line.contains("supervise ")));
    desk.write("none", "");
    wait_until("the task has ended", 3 * SOON, || desk.standing("t1") == "failed");
    let shown = desk.callbox(["show", "t1", "--json"]).end().expect(0).json();
    let said_of_it = |name: &str| shown["error"][name].as_str().is_some_and(|words| !words.is_empty());
    assert!(said_of_it("message") && said_of_it("hint"), "{}", shown["error"]);
    assert_eq!(said(&desk), ["one", "two"]);
    let store_alone = |(pid, _): &(u32, String)| *pid == store.pid();
    wait_until("nothing but the store is left", SOON, || {
        crate::support::processes::processes(&desk).iter().all(store_alone)
    });
    let again = claude(&desk, &["retry", "t1", "--run", "--json"]).expect(0).json();
    assert_eq!(again["delivery"]["commits"], 1, "{again}");
    store.stop();
    nothing_left(&desk);
}
