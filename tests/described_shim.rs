//! Described programs whose shim is killed while they work.

use rustix::process::Signal;
use serde_json::json;

use crate::support::{
    cli::{Desk, Ended},
    described::{COPILOT, OPENCODE, Program},
    fake_model::{Script, Step},
    processes::{kill, nothing_left, the_process},
    wait::{SOON, wait_until},
};

/// How a run with `more` arguments ended whose shim was killed before it reported; `None` where the program is not
/// installed.
fn ended(program: &Program, more: &[&str]) -> Option<Ended> {
    let desk = Desk::new();
    let go = desk.path("go");
    let told = program.calls("report_summary", json!({"summary": "never heard"}));
    let steps = [program.shell("echo x > begun.txt"), Step::once(go, told), Step::say("Done.")];
    let office = program.office_at(desk, Script::of(steps))?;
    let running = office.run(&[&["--json"], more].concat()).start();
    let begun = office.desk.state().join("sandboxes/1/1/begun.txt");
    wait_until("the agent works", 3 * SOON, || begun.exists());
    kill(the_process(&office.desk, |line| line.trim_end().ends_with("callbox-mcp")), Signal::KILL);
    office.desk.write("go", "");
    let ended = running.end();
    nothing_left(&office.desk);
    Some(ended)
}

#[test]
fn copilot_fails_as_soon_as_it_calls_a_shim_that_was_killed() {
    let Some(ended) = ended(&COPILOT, &[]) else { return };
    let ended = ended.expect(69).json();
    assert_eq!(ended["error"]["code"], "wiring", "{ended}");
    assert!(ended["error"]["message"].as_str().unwrap().contains("`copilot` lost the shim"), "{ended}");
}

/// opencode tells nobody: it offers its model no tool of the server any more.
#[test]
fn opencode_reports_nothing_behind_a_shim_that_was_killed_and_that_can_be_a_failure() {
    let Some(ended) = ended(&OPENCODE, &["--require-summary", "yes"]) else { return };
    let ended = ended.expect(1).json();
    assert_eq!(ended["error"]["code"], "no_summary", "{ended}");
}
