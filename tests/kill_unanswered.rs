//! Store, supervisor, agent and shim killed while a tool call waits for its answer.
//!
//! The store stops itself at the chosen point, so that the call is certain to be unanswered.

use rustix::process::Signal;
use serde_json::Value;

use crate::support::{
    cli::{Desk, Running},
    processes::{is_stopped, kill, nothing_left, the_process},
    repository::Repository,
    wait::{SOON, wait_until},
};

/// The second call arrived, or is recorded too, and is not answered.
const POINTS: [&str; 2] = ["store:signal_arrived#2", "store:signal_recorded#2"];

const TASK: &str = r"agent: scripted
name: work
instructions: |
  - progress: first
  - progress: second
  - write: {path: done.txt, text: done}
  - commit: do it
  - summary: all of it
";

/// A run whose second call waits for a stopped store.
struct Scene {
    desk: Desk,
    project: Repository,
    store: Running,
    run: Running,
}

impl Scene {
    fn at(point: &str) -> Self {
        let (desk, project) = (Desk::new(), Repository::new());
        desk.write("home/task.yaml", &format!("project: {}\n{TASK}", project.root().display()));
        let serve = desk.callbox(["serve"]).variable("CALLBOX_FAULT", point);
        let store = serve.variable("CALLBOX_FAULT_ACTION", "stop").start();
        wait_until("the store answers", SOON, || desk.state().join("operator/store.sock").exists());
        let run = desk.callbox(["run", "task.yaml", "--json"]).start();
        wait_until("the store is stopped", SOON, || is_stopped(store.pid()));
        Self { desk, project, store, run }
    }

    /// Kills the process whose command line `fits` and lets the store go on.
    #[track_caller]
    fn kill_one(&self, fits: impl Fn(&str) -> bool) {
        kill(the_process(&self.desk, fits), Signal::KILL);
        kill(self.store.pid(), Signal::CONT);
    }

    /// The report of the run, and of the task as it then stands.
    #[track_caller]
    fn end(self, status: i32) -> (Value, Value) {
        let report = self.run.end().expect(status).json();
        let shown = self.desk.callbox(["show", "t1", "--json"]).end().expect(0).json();
        kill(self.store.pid(), Signal::TERM);
        self.store.end().expect(0);
        nothing_left(&self.desk);
        (report, shown)
    }
}

/// How often each execution of the task said `message`.
fn said(shown: &Value, message: &str) -> Vec<usize> {
    let runs = shown["executions"].as_array().unwrap().iter();
    let of = |run: &Value| {
        let signals = shown["signals"].as_array().unwrap().iter();
        let own = signals.filter(|signal| signal["execution"] == run["number"]);
        own.filter(|signal| signal["arguments"]["message"] == message).count()
    };
    runs.map(of).collect()
}

fn is_agent(line: &str) -> bool {
    line.contains(" scripted ")
}

#[test]
fn a_store_that_is_killed_loses_no_call_and_records_none_twice() {
    for point in POINTS {
        let Scene { desk, project, store, run } = Scene::at(point);
        kill(store.pid(), Signal::KILL);
        store.end();
        let report = run.end().expect(0).json();
        assert_eq!(report["summary"], "all of it", "{point}: {report}");
        let shown = desk.callbox(["show", "t1", "--json"]).end().expect(0).json();
        assert_eq!((said(&shown, "first"), said(&shown, "second")), (vec![1], vec![1]), "{point}: {shown}");
        assert_eq!(project.git(["show", "callbox/t1-work:done.txt"]), "done");
        nothing_left(&desk);
    }
}

#[test]
fn a_run_whose_supervisor_is_killed_goes_on_in_another_execution() {
    for point in POINTS {
        let scene = Scene::at(point);
        scene.kill_one(|line| line.starts_with("callbox supervise "));
        let (report, shown) = scene.end(0);
        assert_eq!(report["task"]["state"], "completed", "{point}: {report}");
        assert_eq!(shown["executions"][0]["outcome"], "lost", "{point}: {shown}");
        assert_eq!(said(&shown, "first"), [1, 0], "{point}: {shown}");
        // Nobody told the agent that it was heard, so the conversation that goes on says it again.
        assert!(said(&shown, "second").iter().all(|times| *times <= 1), "{point}: {shown}");
    }
}

#[test]
fn a_killed_agent_has_failed_and_what_it_said_is_kept() {
    for point in POINTS {
        let scene = Scene::at(point);
        scene.kill_one(is_agent);
        let (report, shown) = scene.end(1);
        assert_eq!(report["task"]["state"], "failed", "{point}: {report}");
        assert!(report["error"]["message"].as_str().unwrap().contains("signal 9"), "{point}: {report}");
        assert_eq!(said(&shown, "first"), [1], "{point}: {shown}");
        assert!(said(&shown, "second")[0] <= 1, "{point}: {shown}");
    }
}

#[test]
fn an_agent_whose_shim_is_killed_does_not_end_well() {
    for point in POINTS {
        let scene = Scene::at(point);
        scene.kill_one(|line| line.contains("callbox-mcp"));
        let (report, shown) = scene.end(1);
        assert_eq!(report["task"]["state"], "failed", "{point}: {report}");
        assert_eq!(said(&shown, "first"), [1], "{point}: {shown}");
        assert!(said(&shown, "second")[0] <= 1, "{point}: {shown}");
    }
}
