//! A state directory whose disk is full or read-only, before a run and during one: what was acknowledged is
//! there once, everything else is refused with a sentence, and with room again all goes on.

use std::{fs, process::Command};

use serde_json::Value;

use crate::support::{
    cli::{Desk, Ended},
    processes::{nothing_left, the_process},
    raw_request::{PLAIN, request},
    repository::Repository,
    resident::Resident,
    small_disk::SmallDisk,
    speaking::speaking,
    wait::{SOON, wait_for_words, wait_until},
};

/// A disk on which nothing has to stay free.
fn small() -> Option<(Desk, SmallDisk)> {
    let (desk, volume) = SmallDisk::of(24)?;
    desk.write("home/.config/callbox/config.toml", "isolation = \"none\"\n[sandbox]\nkeep_free = \"1KiB\"\n");
    Some((desk, volume))
}

/// The agent may `say` as much as a summary may hold, also until that is refused.
fn agent(desk: &Desk, script: &str) {
    let tools = r#"
long=xxxxxxxxxxxxxxxxxxxx; long=$long$long$long$long$long; long=$long$long$long$long$long$long; long=$long$long$long$long$long$long
say() { call report_summary "{\"summary\": \"$1 $long$long$long$long$long\"}"; }
say_until_refused() { i=0; while say $i; do i=$((i+1)); [ $i = 400 ] && exit 9; done; echo "said $i" >>$notes; }
"#;
    speaking(desk, 10, &format!("{tools}{script}"));
}

fn callbox(desk: &Desk, arguments: &[&str]) -> Ended {
    desk.callbox(arguments).variable("ANTHROPIC_API_KEY", "sk-ant-dummy").end()
}

fn submit(desk: &Desk) -> Ended {
    callbox(desk, &["submit", "--agent", "claude", "--no-project", "-p", "Say it."])
}

fn show(desk: &Desk) -> Value {
    callbox(desk, &["show", "t1", "--json"]).expect(0).json()
}

fn notes(desk: &Desk) -> String {
    fs::read_to_string(desk.path("notes")).unwrap_or_default()
}

/// How often the agent was told that something was recorded, and what the store has of that.
#[track_caller]
fn acknowledged_once(desk: &Desk, shown: &Value) {
    let notes = notes(desk);
    let acknowledged = notes.lines().filter(|line| line.starts_with("Recorded")).count();
    let signals = shown["signals"].as_array().unwrap();
    let mut said: Vec<_> =
        signals.iter().map(|signal| signal["arguments"]["summary"].as_str().unwrap()).collect();
    assert_eq!(said.len(), acknowledged, "{notes}");
    said.sort_unstable();
    said.dedup();
    assert_eq!(said.len(), acknowledged, "something is there twice");
    assert!(acknowledged > 1, "{notes}");
}

/// Begins the run and fills the disk once something was recorded, until more was said.
fn fill_while_it_says(desk: &Desk, volume: &SmallDisk) {
    submit(desk).expect(0);
    wait_for_words(desk.path("notes"), "Recorded");
    volume.fill();
    desk.write("full", "");
    wait_for_words(desk.path("notes"), "said ");
}

const REFUSED: [&str; 3] = [
    "was not recorded: nothing was recorded",
    "the disk that holds the state directory is full",
    "what was recorded is safe",
];

#[test]
fn what_is_said_on_a_full_disk_is_refused_and_what_was_acknowledged_is_there_once() {
    let Some((desk, volume)) = small() else { return };
    let store = Resident::of(&desk);
    agent(&desk, "say first; wait_for full; say_until_refused; wait_for room; say last; begin; done_well");
    fill_while_it_says(&desk, &volume);
    for words in REFUSED {
        assert!(notes(&desk).contains(words), "no {words:?} in {}", notes(&desk));
    }
    // Looking needs no room, and what needs some says so.
    acknowledged_once(&desk, &show(&desk));
    // Less than the agent had to say may still find room.
    let small = ["submit", "--hold", "--agent", "scripted", "--no-project", "-p", "- print: x"];
    let submitted = callbox(&desk, &small);
    let refused = submitted.status == 69 && submitted.stderr.contains("nothing was recorded");
    assert!(submitted.status == 0 || refused, "{submitted}");
    volume.make_room();
    desk.write("room", "");
    wait_until("the task is completed", SOON, || show(&desk)["task"]["state"] == "completed");
    let shown = show(&desk);
    acknowledged_once(&desk, &shown);
    assert!(shown["summary"].as_str().unwrap().starts_with("last "), "{shown}");
    store.stop();
    nothing_left(&desk);
}

/// Its store is killed meanwhile, and no other can be opened: only the supervisor knows how the agent ended.
#[test]
fn an_end_on_a_full_disk_is_recorded_once_there_is_room_although_the_store_was_killed() {
    let Some((desk, volume)) = small() else { return };
    let store = Resident::of(&desk);
    agent(&desk, "say first; wait_for full; say_until_refused; begin; done_well");
    fill_while_it_says(&desk, &volume);
    let supervisor = |line: &str| line.contains("supervise ");
    wait_until("only the supervisor is left of the run", SOON, || {
        let agents = |line: &str| line.contains("/bin/claude") || line.contains("callbox-mcp");
        !crate::support::processes::processes(&desk).iter().any(|(_, line)| agents(line))
    });
    let waiting = the_process(&desk, supervisor);
    store.kill();
    // Another store may find room in the log for its beginning.
    for arguments in [["ls", "--json"], ["show", "t1"], ["logs", "t1"], ["ls", "--json"]] {
        let looked = callbox(&desk, &arguments);
        assert!(looked.status == 0 || looked.status == 69 && looked.stderr.contains("is full"), "{looked}");
        assert!(looked.status == 0 || looked.stderr.contains("\nhint: make room"), "{looked}");
    }
    assert_eq!(the_process(&desk, supervisor), waiting);
    volume.make_room();
    let ended = callbox(&desk, &["run", "--queued", "--json"]).expect(0).json();
    assert_eq!(ended["task"]["state"], "completed", "{ended}");
    let shown = show(&desk);
    acknowledged_once(&desk, &shown);
    assert_eq!(shown["executions"].as_array().unwrap().len(), 1, "{shown}");
    nothing_left(&desk);
}

#[test]
fn a_run_that_has_no_room_to_begin_says_so_and_begins_when_there_is_some() {
    let Some((desk, volume)) = small() else { return };
    let scripted = ["run", "--agent", "scripted", "--no-project", "--json", "-p", "- summary: done"];
    // A database is made only where there is room for one.
    volume.fill();
    callbox(&desk, &scripted).expect(69).says("hint: make room on that disk");
    volume.make_room();
    assert_eq!(callbox(&desk, &scripted).expect(0).json()["task"]["state"], "completed");
    let store = Resident::of(&desk);
    // The log is laid out behind the first change and has room for the task, whose folder cannot be made.
    for held in ["one", "two"] {
        callbox(
            &desk,
            &["submit", "--hold", "--agent", "scripted", "--no-project", "-p", &format!("- print: {held}")],
        )
        .expect(0);
    }
    volume.fill();
    let ended = callbox(&desk, &scripted).expect(69).json();
    let (code, hint) = (ended["error"]["code"].as_str().unwrap(), ended["error"]["hint"].as_str().unwrap());
    assert!(["supervisor", "exhausted", "sandbox"].contains(&code), "{ended}");
    assert!(hint.contains("make room"), "{ended}");
    volume.make_room();
    let again = callbox(&desk, &["retry", "t4", "--run", "--json"]).expect(0).json();
    assert_eq!(again["summary"], "done", "{again}");
    store.stop();
    nothing_left(&desk);
}

#[test]
fn a_state_directory_that_is_read_only_is_refused_and_nothing_of_it_is_lost() {
    let Some((desk, volume)) = small() else { return };
    let scripted = ["run", "--agent", "scripted", "--no-project", "--json", "-p", "- summary: done"];
    volume.remount("ro");
    callbox(&desk, &scripted).expect(69).says("is read-only").says("hint: ");
    volume.remount("rw");
    callbox(&desk, &scripted).expect(0);
    volume.remount("ro");
    for arguments in [&scripted[..], &["ls"], &["serve"], &["cancel", "t1"]] {
        callbox(&desk, arguments).expect(69).says("is read-only").says("hint: ");
    }
    volume.remount("rw");
    assert_eq!(show(&desk)["summary"], "done");
}

#[test]
fn a_state_directory_that_becomes_read_only_lets_what_runs_end_and_begins_nothing_new() {
    let Some((desk, volume)) = small() else { return };
    let configuration = fs::read_to_string(desk.path("home/.config/callbox/config.toml")).unwrap();
    desk.write("home/.config/callbox/config.toml", &format!("max_concurrent = 1\n{configuration}"));
    let store = Resident::of(&desk);
    agent(&desk, "say first; wait_for covered; say last; begin; done_well");
    submit(&desk).expect(0);
    wait_for_words(desk.path("notes"), "Recorded");
    callbox(&desk, &["submit", "--agent", "scripted", "--no-project", "-p", "- summary: done"]).expect(0);
    volume.cover();
    callbox(&desk, &["ls"]).expect(69).says("is read-only");
    desk.write("covered", "");
    let socket = desk.state().join("operator/store.sock");
    wait_until("the second has failed", SOON, || {
        request(&socket, "GET /v1/tasks/t2", &PLAIN, "").1["task"]["state"] == "failed"
    });
    volume.uncover();
    let refused = callbox(&desk, &["show", "t2", "--json"]).expect(0).json();
    assert_eq!(refused["error"]["code"], "supervisor", "{refused}");
    assert!(refused["error"]["hint"].as_str().unwrap().contains("make it writable again"), "{refused}");
    assert_eq!(show(&desk)["task"]["state"], "completed");
    acknowledged_once(&desk, &show(&desk));
    let again = callbox(&desk, &["retry", "t2", "--run", "--json"]).expect(0).json();
    assert_eq!(again["summary"], "done", "{again}");
    store.stop();
    nothing_left(&desk);
}

#[test]
fn a_project_whose_disk_is_full_gets_its_work_once_there_is_room() {
    let Some((desk, volume)) = SmallDisk::of(200) else { return };
    // The project stands on the small disk and the state elsewhere.
    let project = Repository::new();
    let at = desk.state().join("project");
    fs::create_dir(&at).unwrap();
    let copied = Command::new("cp").arg("-a").arg(project.root().join(".")).arg(&at).status().unwrap();
    assert!(copied.success());
    let inside = desk.path("home/.local/state/callbox/project").display().to_string();
    let elsewhere = desk.path("elsewhere").display().to_string();
    let script =
        "- write: {path: new, text: new}\n- print: written\n- sleep: 3s\n- commit: do it\n- summary: done";
    let run = ["run", "--state", &elsewhere, "--agent", "scripted", "-C", &inside, "--json", "-p", script];
    let running = desk.callbox(run).start();
    wait_for_words(desk.path("elsewhere/executions/1/transcript.log"), "written");
    volume.fill();
    let ended = running.end().expect(1).json();
    assert_eq!(ended["error"]["code"], "delivery", "{ended}");
    assert!(ended["error"]["hint"].as_str().unwrap().contains("make room on that disk"), "{ended}");
    volume.make_room();
    let resumed = ["resume", "t1", "--state", &elsewhere, "--run", "--json"];
    let resumed = callbox(&desk, &resumed).expect(0).json();
    assert_eq!(resumed["delivery"]["commits"], 1, "{resumed}");
    let branch = at.join(".git/refs/heads").join(resumed["delivery"]["branch"].as_str().unwrap());
    assert_eq!(fs::read_to_string(branch).unwrap().trim(), resumed["delivery"]["head"], "{resumed}");
}
