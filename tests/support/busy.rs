//! An agent in the middle of a command.

use super::{
    cli::Running,
    office::Office,
    processes::processes,
    wait::{SOON, wait_until},
};

/// A run of `office` in a process group of its own, whose agent makes the file `begun.txt` and then sleeps for 600
/// seconds. The agent's own process is known by `argument`.
#[track_caller]
pub(crate) fn busy(office: &Office, argument: &str) -> Running {
    let running = office.run(&["--json"]).in_a_group().start();
    let begun = office.desk.state().join("sandboxes/1/1/begun.txt");
    wait_until("the agent runs a command", SOON, || begun.exists());
    let lines = processes(&office.desk);
    for part in ["supervise", argument, "callbox-mcp", "sleep 600"] {
        assert!(lines.iter().any(|(_, line)| line.contains(part)), "no `{part}` in {lines:?}");
    }
    running
}
