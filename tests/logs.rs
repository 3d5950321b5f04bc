//! What `callbox logs` gives: a transcript, an end that says why, JSON where it is asked for.

use std::fs;

use serde_json::json;

use crate::support::{
    cli::Desk,
    processes::nothing_left,
    resident::Resident,
    wait::{SOON, wait_until},
};

#[test]
fn the_transcript_of_a_run_that_failed_before_its_agent_spoke_says_why() {
    let desk = Desk::with_own_installation();
    fs::remove_file(desk.path("opt/callbox-mcp")).unwrap();
    let run = ["run", "-p", "- print: x", "--agent", "scripted", "--no-project"];
    desk.callbox(run).end().expect(69);
    let logs = desk.callbox(["logs", "t1"]).end().expect(0).stdout;
    assert!(logs.contains("[callbox: the run failed: ") && logs.contains("callbox-mcp"), "{logs}");
}

#[test]
fn a_log_with_nothing_in_it_says_so_and_where_the_reason_stands() {
    let desk = Desk::new();
    desk.callbox(["run", "-p", "- print: x", "--agent", "scripted", "--no-project"]).end().expect(0);
    fs::write(desk.state().join("executions/1/transcript.log"), "").unwrap();
    let said = desk.callbox(["logs", "x1"]).end().expect(0);
    assert_eq!(said.stdout, "");
    said.says("the agent of x1 said nothing");
}

#[test]
fn in_json_the_log_is_one_value_followed_or_not() {
    let desk = Desk::new();
    let steps = "- progress: half way\n- print: all done";
    desk.callbox(["run", "-p", steps, "--agent", "scripted", "--no-project"]).end().expect(0);
    for more in [&["--json"][..], &["--json", "--follow"], &["--json", "--raw"]] {
        let arguments = ["logs", "t1"].into_iter().chain(more.iter().copied());
        let log = desk.callbox(arguments).end().expect(0).json();
        assert_eq!((&log["execution"], &log["ended"]), (&json!("x1"), &json!(true)));
        assert!(log["text"].as_str().unwrap().contains("all done"), "{log}");
    }
}

#[test]
fn whoever_follows_a_log_is_in_no_stores_way() {
    let desk = Desk::new();
    let store = Resident::start(&desk);
    let submit =
        ["submit", "-p", "- progress: at work\n- sleep: 600s", "--agent", "scripted", "--no-project"];
    desk.callbox(submit).end().expect(0);
    wait_until("it runs", SOON, || desk.standing("t1") == "running");
    let following = desk.callbox(["logs", "t1", "-f"]).start();
    store.stop();
    let own = format!("\"pid\":{},", following.pid());
    let lock = desk.state().join("lock");
    wait_until("it has looked by itself", SOON, || {
        fs::read_to_string(&lock).is_ok_and(|held| held.contains(&own))
    });
    let store = Resident::start(&desk);
    desk.callbox(["cancel", "t1"]).end().expect(0);
    let log = following.end().expect(0).stdout;
    assert!(log.contains("at work"), "{log}");
    store.stop();
    nothing_left(&desk);
}
