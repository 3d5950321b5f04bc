//! What a kill costs: each process of a run is killed at each of its steps, and what becomes of the task stands
//! as a table in ARCHITECTURE.md.
//!
//! Whoever passes the step stops itself there, so that it is certain how far everybody is: an agent comes no further
//! than to its next call. Whatever is killed, and
//! whenever: what was acknowledged is on record once, what the agent did stands once in the project, no process is
//! left, and no work is gone.

use std::{
    fmt::Write as _,
    fs,
    sync::{
        Mutex,
        atomic::{AtomicUsize, Ordering},
    },
    thread,
};

use rustix::process::Signal;
use serde_json::Value;

use crate::support::{
    books::Books,
    cli::{Desk, Running},
    processes::{is_stopped, kill, kill_all, nothing_left, processes, stop},
    repository::Repository,
    resident::wait_for_store,
    wait::{SOON, wait_until},
    whole_work::nothing_is_gone,
};

/// Who is killed; a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Killed {
    Store,
    Supervisor,
    Agent,
    Shim,
}

const COLUMNS: [Killed; 4] = [Killed::Store, Killed::Supervisor, Killed::Agent, Killed::Shim];

/// A row: its name, the point between two steps, what the agent does between its first words and its last work, and
/// how many of the columns are there at this point.
type Step = (&'static str, &'static str, &'static str, usize);

const STEPS: [Step; 17] = [
    ("claimed", "store:claimed", "", 1),
    ("accepted, and its supervisor not told", "store:started_recorded", "", 2),
    ("accepted", "supervisor:after_started", "", 2),
    ("sandbox made", "supervisor:sandbox_made", "", 2),
    ("sandbox known", "store:facts_recorded", "", 2),
    ("agent started", "supervisor:agent_started", "", 3),
    ("session known", "store:session_recorded", "", 4),
    ("signal arrived", "store:signal_arrived#3", "", 4),
    ("signal recorded and not answered", "store:signal_recorded#3", "", 4),
    ("subtask recorded and not answered", "store:signal_recorded#4", SUBTASK, 4),
    ("question recorded and not answered", "store:signal_recorded#4", QUESTION, 4),
    ("summary recorded and not answered", "store:signal_recorded#4", "", 4),
    ("outcome spooled", "supervisor:outcome_spooled", "", 2),
    ("ended and not delivered", "store:agent_ended_recorded", "", 2),
    ("branch written", "supervisor:delivered_before_report", "", 2),
    ("delivery arrived", "store:ended_arrived", "", 2),
    ("delivered, and its supervisor not told", "store:ended_recorded", "", 2),
];

const SUBTASK: &str = "  - subtask: {name: side, instructions: \"- summary: side done\"}\n";
const QUESTION: &str = "  - ask: {question: Which?}\n";

/// The task, with `between` in its middle. Its first words are several, since a store that stops itself may answer one
/// more call in that instant, and nobody may be killed in the middle of a commit. The agent that is killed at "agent
/// started" `waits`, so that it is still at its first step.
fn task(project: &Repository, between: &str, waits: &str) -> String {
    format!(
        "agent: scripted\nname: work\nresume_after_subtasks: no\nproject: {}\ninstructions: |\n{waits}  \
         - progress: first\n  - progress: second\n  - write: {{path: early.txt, text: early}}\n  \
         - commit: early\n  - progress: third\n{between}  - write: {{path: late.txt, text: late}}\n  - commit: late\n  \
         - summary: all of it\n",
        project.root().display()
    )
}

/// A run that stands still at a step.
struct Scene {
    desk: Desk,
    project: Repository,
    store: Running,
    run: Running,
    /// The one that passed the step.
    stopped: u32,
}

impl Scene {
    fn at((_, point, between, _): Step, killed: Killed) -> Self {
        let (desk, project) = (Desk::new(), Repository::new());
        let holds = killed == Killed::Agent && point == "supervisor:agent_started";
        let waits = if holds { "  - sleep: 1h\n" } else { "" };
        desk.write("home/task.yaml", &task(&project, between, waits));
        let passed = desk.path("passed");
        let serve = desk.callbox(["serve"]).variable("CALLBOX_FAULT", point);
        let store =
            serve.variable("CALLBOX_FAULT_ACTION", "stop").variable("CALLBOX_FAULT_ONCE", &passed).start();
        wait_for_store(&desk, store.pid());
        let run = desk.callbox(["run", "task.yaml", "--json"]).start();
        wait_until(&format!("{point} is passed"), 2 * SOON, || passed.exists());
        let stopped = if point.starts_with("store:") { store.pid() } else { one(&desk, Killed::Supervisor) };
        wait_until("it is stopped", SOON, || is_stopped(stopped));
        if killed == Killed::Supervisor && stopped != store.pid() {
            // An agent that is there already comes no further than to its first call.
            stop(store.pid());
        }
        Self { desk, project, store, run, stopped }
    }

    /// Kills that process, and lets the stopped one go on where it is another.
    fn kill(self, killed: Killed) -> Ending {
        let pid = if killed == Killed::Store { self.store.pid() } else { one(&self.desk, killed) };
        kill(pid, Signal::KILL);
        let store = if killed == Killed::Store {
            self.store.end();
            // Whoever follows the run takes over.
            if self.stopped != pid {
                wait_for_store(&self.desk, self.run.pid());
            }
            None
        } else {
            Some(self.store)
        };
        let halted = if killed == Killed::Supervisor { store.as_ref().map(Running::pid) } else { None };
        if let Some(halted) = halted.or((self.stopped != pid).then_some(self.stopped)) {
            kill(halted, Signal::CONT);
        }
        let Self { desk, project, run, .. } = self;
        Ending::wait(desk, project, store, run)
    }
}

/// The process of that kind, once it is there.
fn one(desk: &Desk, kind: Killed) -> u32 {
    let fits = |line: &str| match kind {
        Killed::Store => line.starts_with("callbox serve"),
        Killed::Supervisor => line.starts_with("callbox supervise "),
        Killed::Agent => line.contains(" scripted "),
        Killed::Shim => line.contains("callbox-mcp"),
    };
    let mut found = Vec::new();
    wait_until(&format!("there is one {kind:?}"), SOON, || {
        found = processes(desk).into_iter().filter(|(_, line)| fits(line)).collect();
        found.len() == 1
    });
    found[0].0
}

/// How it all ended.
struct Ending {
    desk: Desk,
    project: Repository,
    report: Value,
    shown: Value,
}

impl Ending {
    /// Waits for it, answering what is asked.
    fn wait(desk: Desk, project: Repository, store: Option<Running>, run: Running) -> Self {
        let mut ended = run.end();
        while ended.status == 3 {
            let question = ended.json()["questions"].as_array().unwrap().iter().find_map(|question| {
                (question["state"] == "open").then(|| question["number"].as_str().unwrap().to_owned())
            });
            ended = desk.callbox(["answer", &question.unwrap(), "red", "--run", "--json"]).end();
        }
        let report = ended.json();
        let shown = desk.callbox(["show", "t1", "--json"]).end().expect(0).json();
        if let Some(store) = store {
            kill(store.pid(), Signal::TERM);
            store.end().expect(0);
        }
        nothing_left(&desk);
        Self { desk, project, report, shown }
    }

    /// Holds it to the laws; what became of the task.
    fn judged(&self, (_, point, between, _): Step, killed: Killed) -> String {
        let (report, shown) = (&self.report, &self.shown);
        let books = Books::open(&self.desk);
        books.are_sound();
        books.hold_what_was_acknowledged();
        books.know_no_run_twice();
        nothing_is_gone(&self.desk, &self.project);
        let state = report["task"]["state"].as_str().unwrap();
        let branches =
            self.project.git(["for-each-ref", "--format=%(refname:short)", "refs/heads/callbox/t1-work"]);
        if state == "completed" {
            assert_eq!(report["summary"], "all of it", "{report}");
            for message in ["first", "second", "third"] {
                assert!(books.times("record_progress", message) > 0, "{message} is not on record: {shown}");
            }
            let subtasks = report["subtasks"].as_array().unwrap().len();
            assert_eq!(subtasks, usize::from(between == SUBTASK), "{report}");
            let commits = self.project.git(["log", "--format=%s", "main..callbox/t1-work"]);
            assert_eq!(commits, "late\nearly", "{shown}");
        } else {
            assert_eq!(branches, "", "{report}");
        }
        // Its answer had arrived before whatever was killed.
        if point.contains('#') {
            for message in ["first", "second"] {
                assert_eq!(books.times("record_progress", message), 1, "{message}: {shown}");
            }
        }
        let first = &shown["executions"][0];
        if state == "failed" && killed == Killed::Agent {
            assert!(report["error"]["message"].as_str().unwrap().contains("signal 9"), "{report}");
        }
        if killed == Killed::Supervisor && first["outcome"] != "succeeded" {
            let expected = if between == QUESTION { "blocked" } else { "lost" };
            assert_eq!(first["outcome"], expected, "{shown}");
        }
        match shown["executions"].as_array().unwrap().len() {
            1 => format!("{state}, 1 run"),
            runs => format!("{state}, {runs} runs"),
        }
    }
}

/// Ends what is left of a cell that failed, and names it.
struct Trying<'a>(&'a str, Killed);

impl Drop for Trying<'_> {
    fn drop(&mut self) {
        if thread::panicking() {
            eprintln!("at \"{}\", {:?} killed", self.0, self.1);
        }
    }
}

impl Drop for Ending {
    fn drop(&mut self) {
        if thread::panicking() {
            kill_all(&self.desk);
        }
    }
}

/// One cell.
fn tried(step: Step, killed: Killed) -> String {
    let _trying = Trying(step.0, killed);
    Scene::at(step, killed).kill(killed).judged(step, killed)
}

/// The table as it stands in ARCHITECTURE.md.
fn table(outcome: impl Fn(usize, usize) -> String) -> String {
    let mut table = "| killed when | store | supervisor | agent | shim |\n|---|---|---|---|---|\n".to_owned();
    for (row, (name, ..)) in STEPS.iter().enumerate() {
        let cells: Vec<_> = (0..COLUMNS.len()).map(|column| outcome(row, column)).collect();
        let _ = writeln!(table, "| {name} | {} |", cells.join(" | "));
    }
    table
}

#[test]
fn whatever_is_killed_at_whatever_step_nothing_is_lost_and_nothing_is_done_twice() {
    let cells: Vec<(usize, usize)> = STEPS
        .iter()
        .enumerate()
        .flat_map(|(row, (.., there))| (0..*there).map(move |column| (row, column)))
        .collect();
    let (next, found) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                while let Some((row, column)) = cells.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let outcome = tried(STEPS[*row], COLUMNS[*column]);
                    found.lock().unwrap().push((*row, *column, outcome));
                }
            });
        }
    });
    let found = found.into_inner().unwrap();
    let found = table(|row, column| {
        let outcome = found.iter().find(|cell| (cell.0, cell.1) == (row, column));
        outcome.map_or_else(|| "–".to_owned(), |(.., outcome)| outcome.clone())
    });
    println!("{found}");
    let documented = fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/ARCHITECTURE.md")).unwrap();
    assert!(documented.contains(&found), "ARCHITECTURE.md needs this table:\n{found}");
}
