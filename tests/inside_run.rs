//! From inside a run nobody decides as the person does: not as a child of the agent, not from a session
//! of its own, not where the supervisor or the store is gone, and not by becoming the store.

use rustix::process::Signal;
use serde_json::json;

use crate::support::{
    cli::{Desk, Running},
    fake_model::{Script, Step},
    inside::{Inside, wait_for_file},
    office::Office,
    processes::{kill, kill_all, nothing_left, processes},
    resident::Resident,
    wait::{SOON, wait_until},
};

/// A desk where `t1` waits for an answer to `q1`.
fn asked() -> Desk {
    let desk = Desk::new();
    let run = ["run", "-p", "- ask: Which?\n- summary: '{answer}'", "--agent", "scripted", "--no-project"];
    desk.callbox(run).end().expect(3);
    desk
}

#[track_caller]
fn nothing_was_decided(desk: &Desk) {
    let shown = desk.callbox(["show", "t1", "--json"]).end().expect(0).json();
    assert_eq!(shown["task"]["state"], "blocked", "{shown}");
    assert_eq!(shown["questions"][0]["state"], "open", "{shown}");
    let listed = desk.callbox(["ls", "--json"]).end().expect(0).json();
    assert!(listed.as_array().unwrap().len() <= 2, "{listed}");
}

/// Attaches a shell that does `script` with the desk's programs.
fn attach(desk: &Desk, script: &str) -> Running {
    desk.callbox(["attach", "--name", "inner", "--", "sh", "-c", script]).start()
}

/// Every command that decides or looks, about the question that waits.
const COMMANDS: [&[&str]; 23] = [
    &["answer", "q1", "red"],
    &["cancel", "t1"],
    &["tell", "t1", "red"],
    &["resume", "t1"],
    &["start", "t1"],
    &["accept", "t1"],
    &["reject", "t1", "red"],
    &["retry", "t1"],
    &["dismiss", "q1"],
    &["trust"],
    &["service", "install"],
    &["service", "uninstall"],
    &["show", "t1"],
    &["why", "t1"],
    &["logs", "t1"],
    &["diff", "t1"],
    &["take", "t1"],
    &["ls"],
    &["questions"],
    &["run", "--queued"],
    &["run", "--agent", "scripted", "--no-project", "-p", "[]"],
    &["submit", "--agent", "scripted", "--no-project", "-p", "[]"],
    &["attach", "--", "cat", "/dev/null"],
];

#[test]
fn no_command_is_heard_from_inside_a_run_whoever_holds_the_store() {
    for store in [None, Some(Resident::start)] {
        let desk = asked();
        let resident = store.map(|start| start(&desk));
        let given: Vec<Inside> =
            (0..COMMANDS.len()).map(|place| Inside::child(&desk, &format!("c{place}"))).collect();
        let lines: Vec<String> =
            given.iter().zip(COMMANDS).map(|(inside, words)| inside.line(words)).collect();
        attach(&desk, &lines.join("\n")).end().expect(0);
        given.iter().for_each(Inside::refused);
        nothing_was_decided(&desk);
        drop(resident);
    }
}

#[test]
fn what_left_the_session_and_lost_its_parent_is_still_of_the_run() {
    for store in [None, Some(Resident::start)] {
        let desk = asked();
        let resident = store.map(|start| start(&desk));
        let orphan = Inside::orphan(&desk, "orphan");
        let script = format!("{}\n{}", orphan.line(&["answer", "q1", "red"]), orphan.wait_line());
        orphan.go();
        attach(&desk, &script).end().expect(0);
        orphan.refused();
        nothing_was_decided(&desk);
        drop(resident);
    }
}

#[test]
fn what_outlives_its_run_does_not_become_the_person() {
    for gone in [Signal::TERM, Signal::KILL] {
        let desk = asked();
        let resident = Resident::start(&desk);
        let orphan = Inside::orphan(&desk, "orphan");
        // Its output is let go, or it would be waited for beyond the end of the command.
        let rest = if gone == Signal::KILL { "exec sleep 60 >/dev/null 2>&1" } else { "exit 0" };
        let begun = desk.path("inside/begun");
        let line = orphan.line(&["answer", "q1", "red"]);
        let running = attach(&desk, &format!("{line}\necho > {}\n{rest}", begun.display()));
        if gone == Signal::KILL {
            wait_until("the run has left its orphan", SOON, || begun.exists() && inner(&desk));
            kill(running.pid(), Signal::KILL);
        }
        running.end();
        wait_until("the run has ended", SOON, || !inner(&desk));
        if gone == Signal::KILL {
            // The store ends what a killed command left.
            wait_until("nothing outlives it", SOON, || {
                processes(&desk).iter().all(|(pid, _)| *pid == resident.pid())
            });
        } else {
            orphan.go();
            orphan.refused();
        }
        nothing_was_decided(&desk);
        drop(resident);
        kill_all(&desk);
    }
}

/// Whether the attached task runs.
fn inner(desk: &Desk) -> bool {
    let listed = desk.callbox(["ls", "--json"]).end().expect(0).json();
    listed.as_array().unwrap().iter().any(|task| task["name"] == "inner" && task["state"] == "running")
}

#[test]
fn a_run_does_not_become_the_store_where_there_is_none() {
    let desk = asked();
    let resident = Resident::start(&desk);
    let commands: [(&str, &[&str]); 4] = [
        ("ls", &["ls"]),
        ("answer", &["answer", "q1", "red"]),
        ("serve", &["serve"]),
        ("heir", &["serve", "--wait"]),
    ];
    let orphan = Inside::orphan(&desk, "orphan");
    let given = commands.map(|(name, words)| (Inside::child(&desk, name), words));
    let lines: Vec<String> = given.iter().map(|(inside, words)| inside.line(words)).collect();
    let script = format!(
        "{}\n{}\n{}\n{}",
        orphan.line(&["ls"]),
        wait_for_file(&desk.path("go")),
        lines.join("\n"),
        orphan.wait_line(),
    );
    let running = attach(&desk, &script);
    wait_until("the run goes on", SOON, || inner(&desk));
    resident.kill();
    orphan.go();
    orphan.refused();
    desk.write("go", "now");
    for (inside, _) in &given {
        inside.refused();
    }
    running.end().expect(0);
    nothing_was_decided(&desk);
    nothing_left(&desk);
}

#[test]
fn a_store_elsewhere_is_nobodys_business_of_the_run() {
    let desk = asked();
    let elsewhere = desk.path("elsewhere");
    let script = format!(
        "{} ls --state {} && {}",
        crate::support::cli::CALLBOX,
        elsewhere.display(),
        "test -n \"$CALLBOX_EXECUTION\""
    );
    attach(&desk, &script).end().expect(0);
    assert!(elsewhere.join("callbox.db").exists());
}

/// The real agent with a real supervisor above it: `callbox run` hosts the store until it is killed.
#[test]
fn an_agents_own_shell_decides_nothing_with_a_store_and_without() {
    let desk = asked();
    let child = Inside::child(&desk, "child");
    let orphan = Inside::orphan(&desk, "orphan");
    let alone = Inside::child(&desk, "alone");
    let answer = ["answer", "q1", "red"];
    let wait = wait_for_file(&desk.path("go"));
    let lines = [
        format!("{}; {}; {}", child.line(&answer), orphan.line(&answer), orphan.wait_line()),
        format!("{wait}; {}", alone.line(&["ls"])),
    ];
    let mut steps: Vec<Step> = lines
        .iter()
        .map(|line| Step::call("Bash", json!({"command": line, "description": "work"})))
        .collect();
    steps.push(Step::call("report_summary", json!({"summary": "tried"})));
    steps.push(Step::say("Done."));
    let Some(office) = Office::at(desk, Script::of(steps)) else { return };
    let running = office.run(&["--isolation", "none"]).start();
    orphan.go();
    child.refused();
    orphan.refused();
    nothing_was_decided(&office.desk);
    kill(running.pid(), Signal::KILL);
    running.end();
    office.desk.write("go", "now");
    alone.refused();
    nothing_was_decided(&office.desk);
    kill_all(&office.desk);
}
