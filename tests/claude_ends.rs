//! How runs of the real Claude Code end that do not go well, end to end: denied tools, a shim that
//! does not work, and a person's Ctrl-C.

use std::{fs, os::unix::fs::PermissionsExt as _, path::Path};

use rustix::process::Signal;
use serde_json::json;

use crate::support::{
    busy::busy,
    cli::Desk,
    fake_model::{Script, Step},
    office::Office,
    processes::{kill_group, nothing_left, processes, stop},
    wait::{SOON, wait_until},
};

fn bash(command: &str) -> Step {
    Step::call("Bash", json!({"command": command, "description": "work"}))
}

/// A call that `permissions: edit` denies.
fn write_outside(office: &Desk) -> Step {
    Step::call("Write", json!({"file_path": office.path("outside.txt"), "content": "x"}))
}

#[test]
fn a_denied_tool_without_a_change_fails_the_run_with_the_line_that_would_allow_it() {
    let desk = Desk::new();
    let outside = write_outside(&desk);
    for (desk, step, permissions, tool, line) in [
        (Desk::new(), bash("touch made.txt"), "read", "Bash", "permissions: edit"),
        (desk, outside, "edit", "Write", "outside the sandbox: full"),
    ] {
        let Some(office) = Office::at(desk, Script::of([step, Step::say("Done.")])) else { return };
        let ended = office.run(&["--permissions", permissions, "--json"]).end().expect(1).json();
        assert_eq!(ended["task"]["state"], "failed", "{ended}");
        assert_eq!(ended["execution"]["exit"], json!({"code": 0}), "Claude Code itself calls it a success");
        let (error, denied) = (&ended["error"], &ended["denied"]);
        assert_eq!((&error["code"], &denied[0]["tool"]), (&"permission_denied".into(), &tool.into()));
        assert_eq!(error["message"], format!("`{tool}` was denied and nothing was changed"));
        let hint = error["hint"].as_str().unwrap();
        assert!(hint.contains(line) && hint.contains(ended["sandbox"].as_str().unwrap()), "{hint}");
        let shown = office.callbox(&["show", "t1"]).end().expect(0);
        assert!(shown.stdout.contains("allowed by: ") && shown.stdout.contains(line), "{shown}");
        assert!(!office.desk.path("outside.txt").exists());
        assert_eq!(office.project.git(["branch", "--list", "callbox/*"]), "");
        nothing_left(&office.desk);
    }
}

#[test]
fn a_denied_tool_beside_a_change_is_told_and_fails_nothing() {
    let desk = Desk::new();
    let script = Script::of([write_outside(&desk), bash("echo blue > colour.txt"), Step::say("Done.")]);
    let Some(office) = Office::at(desk, script) else { return };
    let ended = office.run(&["--json"]).end().expect(0).json();
    assert_eq!((&ended["task"]["state"], &ended["error"]), (&"completed".into(), &json!(null)));
    assert_eq!((&ended["denied"][0]["tool"], &ended["denied"][0]["count"]), (&"Write".into(), &1.into()));
    assert_eq!(office.project.git(["show", "callbox/t1-colours:colour.txt"]), "blue");
    let shown = office.callbox(&["show", "t1"]).end().expect(0);
    assert!(shown.stdout.contains("denied    Write") && shown.stdout.contains("allowed by: "), "{shown}");
}

/// What is done to the file of a shim.
type Damage = fn(&Path);

#[test]
fn a_shim_that_does_not_work_stops_the_run_with_that_reason_before_any_model_is_asked() {
    let damages: [(Damage, &str); 4] = [
        (|shim| fs::remove_file(shim).unwrap(), "No such file"),
        (|shim| fs::set_permissions(shim, fs::Permissions::from_mode(0o644)).unwrap(), "Permission denied"),
        (|shim| fs::write(shim, "\u{7f}ELF").unwrap(), "Exec format error"),
        (|shim| fs::write(shim, "#!/bin/sh\nexit 3\n").unwrap(), "ended instead of answering"),
    ];
    for (damage, reason) in damages {
        let desk = Desk::with_own_installation();
        let (shim, kept) = (desk.path("opt/callbox-mcp"), desk.path("opt/kept"));
        let script = Script::of([bash("touch made.txt"), Step::say("Done.")]);
        let Some(office) = Office::at(desk, script) else { return };
        fs::copy(&shim, &kept).unwrap();
        damage(&shim);
        let ended = office.run(&["--json"]).end().expect(69).says(reason).json();
        assert_eq!((&ended["task"]["state"], &ended["error"]["code"]), (&"failed".into(), &"wiring".into()));
        let message = ended["error"]["message"].as_str().unwrap();
        assert!(message.contains(reason) && message.contains(shim.to_str().unwrap()), "{message}");
        assert!(ended["error"]["hint"].as_str().unwrap().contains("callbox doctor"), "{ended}");
        assert!(office.model.requests().is_empty(), "nothing may be spent");
        nothing_left(&office.desk);

        fs::rename(&kept, &shim).unwrap();
        let mended = office.callbox(&["resume", "t1", "--run", "--json"]).end().expect(0).json();
        assert_eq!(mended["task"]["state"], "completed", "{mended}");
    }
}

#[test]
fn a_shim_that_fails_under_the_agent_alone_stops_the_run_too() {
    let desk = Desk::with_own_installation();
    let (shim, real) = (desk.path("opt/callbox-mcp"), desk.path("opt/real"));
    fs::rename(&shim, &real).unwrap();
    let faulty = format!("#!/bin/sh\n[ -n \"$CLAUDECODE\" ] && exit 3\nexec {}\n", real.display());
    fs::write(&shim, faulty).unwrap();
    fs::set_permissions(&shim, fs::Permissions::from_mode(0o755)).unwrap();
    let script = Script::of([bash("touch made.txt"), Step::say("Done.")]);
    let Some(office) = Office::at(desk, script) else { return };
    let ended = office.run(&["--json"]).end().expect(69).json();
    assert_eq!(ended["error"]["code"], "wiring", "{ended}");
    assert!(ended["error"]["message"].as_str().unwrap().contains("shim"), "{ended}");
    assert!(!Path::new(ended["sandbox"].as_str().unwrap()).join("made.txt").exists());
    nothing_left(&office.desk);
}

/// An argument by which the agent's own process is known.
const ITS_OWN: &str = "--permission-mode";

/// A call that was cut off may stand in the conversation with words of Claude Code's own behind it, so
/// that one turn more counts as spoken: either way the summary is due next.
fn busy_script() -> Script {
    let summary = || Step::call("report_summary", json!({"summary": "taken up again"}));
    Script::of([bash("echo x > begun.txt; sleep 600"), summary(), summary(), Step::say("Done.")])
}

#[test]
fn ctrl_c_leaves_no_process_and_a_task_that_can_be_taken_up_again() {
    let Some(office) = Office::new(busy_script()) else { return };
    let running = busy(&office, ITS_OWN);
    kill_group(running.pid(), Signal::INT);
    let ended = running.end().expect(7).says("cancelling t1; once more kills").json();
    assert_eq!(
        (&ended["task"]["state"], &ended["execution"]["outcome"]),
        (&"cancelled".into(), &"cancelled".into())
    );
    nothing_left(&office.desk);
    let why = office.callbox(&["why", "t1"]).end().expect(0);
    assert!(why.stdout.contains("t1 was cancelled; `callbox resume t1`"), "{why}");

    let resumed = office.callbox(&["resume", "t1", "--run", "--json"]).end().expect(0).json();
    assert_eq!(resumed["summary"], "taken up again");
    assert_eq!(resumed["execution"]["session_id"], ended["execution"]["session_id"]);
    assert_eq!(office.project.git(["show", "callbox/t1-colours:begun.txt"]), "x");
}

#[test]
fn a_second_ctrl_c_kills_an_agent_that_does_not_obey_the_first() {
    let Some(office) = Office::new(busy_script()) else { return };
    let running = busy(&office, ITS_OWN);
    let lines = processes(&office.desk);
    // A stopped process obeys nothing but SIGKILL.
    for (pid, _) in lines.iter().filter(|(_, line)| line.contains(ITS_OWN)) {
        stop(*pid);
    }
    kill_group(running.pid(), Signal::INT);
    wait_until("the cancel is recorded", SOON, || {
        office.callbox(&["why", "t1"]).end().stdout.contains("a person cancelled it")
    });
    kill_group(running.pid(), Signal::INT);
    let ended = running.end().expect(7).says("killing t1").json();
    assert_eq!(ended["task"]["state"], "cancelled", "{ended}");
    nothing_left(&office.desk);
}
