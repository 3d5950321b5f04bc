//! What ends a run that takes too long, end to end: the time limit counted while the run can be watched,
//! and the limit on saying and doing nothing.

use callbox::vocabulary::AgentEnd;
use rustix::process::Signal;

use crate::support::{
    cli::{Call, Desk},
    processes::{kill, nothing_left, stop, the_process},
    supervised::Supervised,
    wait::{SOON, wait_until},
};

fn run(desk: &Desk, more: &[&str], steps: &str) -> Call {
    let task = ["run", "--agent", "scripted", "--no-project", "--json", "-p", steps];
    desk.callbox(task.iter().chain(more))
}

#[test]
fn an_agent_that_says_and_does_nothing_is_ended_as_idle_and_can_be_taken_up_again() {
    let desk = Desk::new();
    let steps = "- print: begun\n- sleep: 1h\n- summary: at last";
    let ended = run(&desk, &["--idle-timeout", "2s"], steps).end().expect(4).json();
    assert_eq!(ended["task"]["state"], "timed_out", "{ended}");
    assert_eq!(
        (&ended["execution"]["outcome"], &ended["error"]["code"]),
        (&"timed_out".into(), &"timed_out".into())
    );
    let message = ended["error"]["message"].as_str().unwrap();
    assert!(
        message.contains("idle") && message.contains("2 s") && message.contains("`idle_timeout`"),
        "{message}"
    );
    nothing_left(&desk);
    let resumed = desk.callbox(["resume", "t1", "--run", "--json"]).end().expect(0).json();
    assert_eq!(resumed["summary"], "at last");
}

/// The command computes in silence for longer than the limit, in processes that come and go.
#[test]
fn silence_is_not_idle_while_a_process_of_the_run_works() {
    let works = "end=$(($(date +%s) + 5)); while [ $(date +%s) -lt $end ]; do :; done";
    let mut run = Supervised::agent(&format!("cat >/dev/null; begin; {works}; done_well"));
    run.plan.idle_timeout_seconds = Some(2);
    assert_eq!(run.run().end, AgentEnd::Finished, "{}", run.log());

    let mut run = Supervised::agent("cat >/dev/null; begin; sleep 3600; done_well");
    run.plan.idle_timeout_seconds = Some(2);
    assert_eq!(run.run().end, AgentEnd::Idle { seconds: 2 }, "{}", run.log());
}

#[test]
fn words_of_the_agent_keep_a_run_from_being_idle() {
    let speaks = "for i in 1 2 3 4 5 6 7 8; do echo still here; sleep 0.5; done";
    let mut run = Supervised::agent(&format!("cat >/dev/null; begin; {speaks}; done_well"));
    run.plan.idle_timeout_seconds = Some(2);
    assert_eq!(run.run().end, AgentEnd::Finished, "{}", run.log());
}

/// The agent goes on alone for longer than the limit while its supervisor is stopped, and is still at work
/// when that wakes.
#[test]
fn time_in_which_the_supervisor_was_stopped_is_not_counted_as_running() {
    let desk = Desk::new();
    let steps = "- write: {path: begun, text: x}\n- sleep: 12s\n- write: {path: late, text: x}\n\
                 - sleep: 1500ms\n- summary: done";
    let running = run(&desk, &["--timeout", "10s"], steps).start();
    let place = desk.state().join("sandboxes/1/1");
    wait_until("the agent has begun", SOON, || place.join("begun").exists());
    let supervisor = the_process(&desk, |line| line.contains(" supervise "));
    stop(supervisor);
    wait_until("the agent went on alone", 2 * SOON, || place.join("late").exists());
    kill(supervisor, Signal::CONT);
    let ended = running.end().expect(0).json();
    assert_eq!(ended["summary"], "done", "{ended}");
    nothing_left(&desk);
}
