//! How a supervisor ends an agent, and what of it is left: nothing.

use std::fs;

use callbox::{
    process::{Pid, Process, Signal, signal},
    protocol::supervise::Desired,
    vocabulary::{AgentEnd, StopReason},
};

use crate::support::{
    repository::git,
    supervised::{Supervised, fault},
    wait::{SOON, wait_until},
};

/// A grandchild in a session of its own that ignores what can be ignored.
const ORPHAN: &str =
    "setsid sh -c 'trap \"\" TERM INT HUP; echo yes > ../../../../orphan; while :; do sleep 1; done' & ";

#[test]
fn an_agent_that_ignores_everything_is_ended_with_all_it_started() {
    let run = Supervised::agent(&format!(
        "cat >/dev/null; trap '' TERM INT; begin; {ORPHAN} while :; do sleep 1; done"
    ));
    let supervisor = run.start();
    run.wait_for("orphan");
    assert!(run.is_populated());
    run.store.order(|orders| orders.desired = Desired::Stop(StopReason::Cancelled));
    supervisor.wait();
    assert_eq!(run.ending().end, AgentEnd::Stopped { reason: StopReason::Cancelled });
    assert!(!run.is_populated());
}

#[test]
fn a_kill_does_not_wait_for_last_words() {
    let run = Supervised::agent(
        "cat >/dev/null; trap 'sleep 3; echo no > ../../../../last' INT TERM; begin; echo yes > ../../../../ready; while :; do sleep 0.1; done",
    );
    let supervisor = run.start();
    run.wait_for("ready");
    run.store.order(|orders| orders.desired = Desired::Kill(StopReason::Budget));
    supervisor.wait();
    assert_eq!(run.ending().end, AgentEnd::Stopped { reason: StopReason::Budget });
    assert!(!run.repository.beside("last").exists());
}

#[test]
fn a_run_ends_at_its_time_limit_and_keeps_its_work() {
    let mut run = Supervised::agent("cat >/dev/null; begin; echo half > half.txt; while :; do sleep 1; done");
    run.plan.timeout_seconds = Some(1);
    let ending = run.run();
    assert_eq!(ending.end, AgentEnd::TimedOut { seconds: 1 });
    assert!(ending.changed);
    assert_eq!(fs::read_to_string(run.sandbox().join("half.txt")).unwrap(), "half\n");
}

#[test]
fn an_agent_that_gives_its_result_and_stays_keeps_it() {
    let run = Supervised::agent("cat >/dev/null; begin; done_well; while :; do sleep 1; done");
    let ending = run.run();
    assert_eq!(ending.end, AgentEnd::Finished, "{}", run.log());
    assert!(!run.is_populated());
}

#[test]
fn what_a_finished_agent_leaves_behind_is_ended_though_it_holds_the_pipes() {
    let run = Supervised::agent(&format!(
        "cat >/dev/null; begin; {ORPHAN} until [ -e ../../../../orphan ]; do sleep 0.01; done; done_well"
    ));
    assert_eq!(run.run().end, AgentEnd::Finished, "{}", run.log());
    assert!(!run.is_populated());
}

#[test]
fn a_flood_neither_fills_the_disk_nor_hides_the_result() {
    let run = Supervised::agent(
        "cat >/dev/null; begin; yes 'a line of no meaning to anybody' | head -c 60000000; yes error | head -c 20000000 >&2; done_well",
    );
    assert_eq!(run.run().end, AgentEnd::Finished, "{}", run.log());
    for name in ["agent.log", "agent.stderr.log"] {
        let log = fs::read(run.folder().join(name)).unwrap();
        assert!(log.len() < 10 << 20, "{name} has {} bytes", log.len());
        let text = String::from_utf8_lossy(&log);
        assert!(text.contains("bytes are left out here"), "{name}");
    }
    assert!(fs::read_to_string(run.folder().join("agent.log")).unwrap().trim_end().ends_with('}'));
}

#[test]
fn an_agent_whose_shim_is_never_heard_of_is_stopped_before_it_costs_more() {
    let run = Supervised::agent("cat >/dev/null; begin; while :; do sleep 1; done");
    run.store.order(|orders| orders.hello_seen = false);
    assert_eq!(fault(&run.run()).code, "wiring");
}

#[test]
fn a_supervisor_that_is_asked_to_end_interrupts_its_run() {
    let run =
        Supervised::agent("cat >/dev/null; begin; echo yes > ../../../../ready; while :; do sleep 1; done");
    let supervisor = run.start();
    run.wait_for("ready");
    let process = Process::of(Pid::new(supervisor.pid()).unwrap()).unwrap();
    signal(process, Signal::Terminate).unwrap();
    supervisor.wait();
    assert_eq!(run.ending().end, AgentEnd::Interrupted);
    assert!(!run.is_populated());
}

#[test]
fn a_killed_supervisor_takes_its_agent_along() {
    let run = Supervised::agent(
        "cat >/dev/null; begin; echo $$ > ../../../../new; mv ../../../../new ../../../../agent; while :; do sleep 1; done",
    );
    let supervisor = run.start();
    let agent = Process::of(run.wait_for("agent").trim().parse().unwrap()).unwrap();
    assert!(agent.is_alive());
    drop(supervisor);
    wait_until("the agent is gone", SOON, || !agent.is_alive());
}

#[test]
fn a_run_that_is_cancelled_while_its_sandbox_is_made_starts_no_agent() {
    let run = Supervised::agent("echo yes > ../../../../started; begin; done_well");
    let tools = run.repository.beside("tools");
    fs::create_dir(&tools).unwrap();
    let slow = "#!/bin/sh\necho yes > \"$(dirname \"$0\")/../cloning\"\nexec sleep 600\n";
    fs::write(tools.join("git"), slow).unwrap();
    fs::set_permissions(tools.join("git"), std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    let path = format!("{}:{}", tools.display(), std::env::var("PATH").unwrap());
    let supervisor = run.start_with(&[("PATH", &path)]);
    run.wait_for("cloning");
    run.store.order(|orders| orders.desired = Desired::Stop(StopReason::Cancelled));
    supervisor.wait();
    assert_eq!(run.ending().end, AgentEnd::Stopped { reason: StopReason::Cancelled });
    assert_eq!(run.ending().exit, None);
    assert!(!run.repository.beside("started").exists() && !run.sandbox().exists());
    // The project is as it was.
    assert_eq!(git(&run.repository.root(), ["status", "--porcelain"]), "");
}
