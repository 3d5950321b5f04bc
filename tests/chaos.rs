//! Many tasks of random steps while their store is killed again and again: what must hold whatever happens.
//!
//! `CALLBOX_TEST_SEED` decides what the tasks are, and is printed; when what happens is not.

use std::{
    collections::{HashMap, HashSet},
    path::PathBuf,
    sync::atomic::{AtomicBool, Ordering},
    thread,
    time::{Duration, Instant},
};

use serde_json::Value;

use crate::support::{
    books::Books,
    cli::Desk,
    dice::Dice,
    processes::{kill_all, nothing_left},
    random_tasks::random_tasks,
    repository::Repository,
    resident::Resident,
    restless_person::{Promise, decide, open_questions},
    wait::{SOON, wait_until},
    whole_work::{nothing_is_gone_of, sandboxes},
};

/// How long a store lives.
const LIFE: Duration = Duration::from_secs(1);

/// How much of it there is.
struct Size {
    tasks: usize,
    /// For how long stores are killed.
    restless: Duration,
    /// How long whatever is left may take from then on.
    rest: Duration,
}

/// A desk on which everything happens, and what remains for a look when it went wrong.
struct Chaos {
    desk: Desk,
    project: Repository,
}

impl Drop for Chaos {
    fn drop(&mut self) {
        if thread::panicking() {
            kill_all(&self.desk);
        }
    }
}

fn seed() -> u64 {
    std::env::var("CALLBOX_TEST_SEED").map_or(1, |text| text.parse().expect("CALLBOX_TEST_SEED is a number"))
}

impl Chaos {
    /// A desk where several tasks run at once.
    fn new() -> Self {
        let (desk, project) = (Desk::new(), Repository::new());
        desk.write("home/.config/callbox/config.toml", "max_concurrent = 8\n");
        Self { desk, project }
    }

    fn serve(&self) -> Resident {
        Resident::from(&self.desk, self.desk.callbox(["serve", "--wait"]).start())
    }

    /// The tasks as they stand.
    fn tasks(&self) -> Vec<Value> {
        self.desk.callbox(["ls", "--json"]).end().expect(0).json().as_array().unwrap().clone()
    }

    /// Kills one store after the other for so long while the person decides; what was promised to them.
    fn rage(&self, size: &Size, mut dice: Dice) -> Vec<Promise> {
        let over = AtomicBool::new(false);
        thread::scope(|scope| {
            let person = scope.spawn(|| {
                let rounds = (0..).take_while(|_| !over.load(Ordering::Relaxed));
                rounds.filter_map(|round| decide(&self.desk, &mut dice, size.tasks, round)).collect()
            });
            let begun = Instant::now();
            while begun.elapsed() < size.restless {
                let store = self.serve();
                let born = Instant::now();
                wait_until("the store has lived long enough", SOON, || born.elapsed() >= LIFE);
                store.kill();
            }
            over.store(true, Ordering::Relaxed);
            person.join().unwrap()
        })
    }

    /// Does what the tasks wait for until all of them have ended. Whatever has not must say in a sentence which command
    /// moves it, or be on its way.
    fn settle(&self, rest: Duration) {
        wait_until("every task has ended", rest, || {
            for question in open_questions(&self.desk) {
                // Its task may have been given up meanwhile.
                self.desk.callbox(["answer", &question, "at last"]).end();
            }
            let mut all = true;
            for task in self.tasks() {
                let (number, state) = (task["number"].as_str().unwrap(), task["state"].as_str().unwrap());
                all &= is_end(state);
                if state == "ready" {
                    let why = self.desk.callbox(["why", number]).end().expect(0).stdout;
                    assert!(why.contains("`callbox accept"), "{why}");
                    self.desk.callbox(["accept", number]).end();
                }
            }
            all
        });
    }
}

fn is_end(state: &str) -> bool {
    ["completed", "failed", "timed_out", "cancelled", "budget_exceeded"].contains(&state)
}

/// The commits that a script makes.
fn commits(script: &str) -> impl Iterator<Item = &str> {
    script.lines().filter_map(|line| line.trim().strip_prefix("- commit: "))
}

/// Every ended task's work stands in the project once: a completed one's on its branch, any other's under the
/// reference of the run that left it; and no commit was made twice.
fn work_stands_once(chaos: &Chaos, books: &Books) {
    let project = &chaos.project;
    let made = project.git(["log", "--all", "--not", "main", "--format=%s"]);
    let mut seen = HashSet::new();
    for subject in made.lines().filter(|subject| subject.starts_with('c') && !subject.starts_with("callbox"))
    {
        assert!(seen.insert(subject), "`{subject}` was done twice");
    }
    let references =
        project.git(["for-each-ref", "--format=%(refname)", "refs/heads/callbox", "refs/callbox"]);
    let mut runs = HashMap::<i64, Vec<i64>>::new();
    for (execution, task) in books.runs() {
        runs.entry(task).or_default().push(execution);
    }
    for (task, state, name, instructions) in books.tasks() {
        let branch = format!("refs/heads/callbox/t{task}-{name}");
        let kept = |execution: &i64| format!("refs/callbox/{execution}");
        let own: Vec<_> = runs.get(&task).into_iter().flatten().map(kept).collect();
        let stands: Vec<_> = references
            .lines()
            .filter(|reference| *reference == branch || own.iter().any(|kept| kept == reference))
            .collect();
        assert!(stands.len() <= 1, "t{task} ({state}) stands twice: {stands:?}");
        if state == "completed" {
            assert!(stands.iter().all(|reference| **reference == branch), "t{task}: {stands:?}");
            for commit in commits(&instructions) {
                assert!(seen.contains(commit), "t{task} is completed without `{commit}`");
            }
        } else {
            assert!(!stands.contains(&&*branch), "t{task} is {state}, and delivered: {stands:?}");
        }
    }
    let all: Vec<PathBuf> = sandboxes(&chaos.desk);
    nothing_is_gone_of(&all, project);
}

/// What the person was told to be done is done.
fn promises_are_kept(books: &Books, promises: &[Promise]) {
    for promise in promises {
        let kept = match promise {
            Promise::Answered { question, answer } => books.has_answer(question, answer),
            Promise::Told { task, text } => books.has_message(task, text),
            Promise::Cancelled { task } => {
                books.tasks().iter().any(|(number, state, ..)| format!("t{number}") == *task && is_end(state))
            }
        };
        assert!(kept, "{promise:?} is not kept");
    }
}

fn whatever_happens(size: &Size) {
    let seed = seed();
    println!("CALLBOX_TEST_SEED={seed}");
    let chaos = Chaos::new();
    let mut dice = Dice::new(seed);
    let text = random_tasks(&mut dice, size.tasks, &chaos.project.root());
    let file = chaos.desk.write("home/tasks.yaml", &text);
    chaos.desk.callbox(["submit", file.to_str().unwrap()]).end().expect(0);
    let promises = chaos.rage(size, dice);
    let store = chaos.serve();
    chaos.settle(size.rest);
    store.stop();
    nothing_left(&chaos.desk);
    let books = Books::open(&chaos.desk);
    books.are_sound();
    let acknowledged = books.hold_what_was_acknowledged();
    books.know_no_run_twice();
    promises_are_kept(&books, &promises);
    work_stands_once(&chaos, &books);
    let mut ends = HashMap::<String, u32>::new();
    for (_, state, ..) in books.tasks() {
        *ends.entry(state).or_default() += 1;
    }
    println!("{ends:?}, {} runs, {acknowledged} calls, {} promises", books.runs().len(), promises.len());
    assert!(acknowledged > size.tasks && ends.get("completed").is_some_and(|number| *number > 0));
}

#[test]
fn whatever_happens_while_stores_are_killed_nothing_is_lost_or_done_twice() {
    whatever_happens(&Size { tasks: 40, restless: Duration::from_secs(15), rest: Duration::from_secs(300) });
}

#[test]
#[ignore = "takes minutes: scripts/chaos runs it"]
fn whatever_happens_while_stores_are_killed_for_a_minute_nothing_is_lost_or_done_twice() {
    whatever_happens(&Size {
        tasks: 200,
        restless: Duration::from_secs(60),
        rest: Duration::from_secs(1800),
    });
}
