//! A state directory with very many tasks that wait for an answer: what looking and answering take, and what the
//! store does meanwhile.
//!
//! One task is really run up to its question; the others are that task's rows once more, since ten thousand real runs
//! would take the better part of an hour.

use std::{
    fs,
    path::Path,
    process::{Command, Stdio},
    thread,
    time::Duration,
};

use anyhow::{Context as _, Result, ensure};
use rusqlite::Connection;

use crate::{
    desk::Desk,
    effort::{Effort, Rounds},
    times::Times,
};

const ROUNDS: Rounds = Rounds { warm_up: 2, counted: 15 };
/// How long the store is watched while nobody asks it for anything.
const REST: Duration = Duration::from_secs(3);

/// What was measured.
#[derive(Debug)]
pub(crate) struct Crowd {
    /// How many tasks wait.
    pub(crate) tasks: usize,
    /// `callbox ls`.
    pub(crate) ls: Times,
    /// `callbox questions`.
    pub(crate) questions: Times,
    /// `callbox answer`.
    pub(crate) answer: Times,
    /// The smallest command that talks to the store.
    pub(crate) status: Times,
    /// What part of one processor the store takes at rest.
    pub(crate) at_rest: f64,
}

/// Measures all of it at `desk`, whose store is begun anew for it.
pub(crate) fn measure(desk: &mut Desk, effort: Effort) -> Result<Crowd> {
    let tasks = match effort {
        Effort::Measured => 10_000,
        Effort::Tried => 100,
    };
    let ask = "- ask: {question: which of the two?, options: [one, two]}\n- summary: '{answer}'";
    let run = ["run", "--agent", "scripted", "--no-project", "-p", ask];
    let status = desk.callbox(&run).stdout(Stdio::null()).stderr(Stdio::null()).status()?;
    ensure!(status.code() == Some(3), "the task did not ask: {status}");
    desk.stop()?;
    multiply(&desk.path("state/callbox.db"), tasks)?;
    desk.serve()?;

    let Rounds { warm_up, counted } = effort.take(ROUNDS);
    let mut crowd = Crowd {
        tasks,
        ls: Times::default(),
        questions: Times::default(),
        answer: Times::default(),
        status: Times::default(),
        at_rest: 0.0,
    };
    for round in 0..warm_up + counted {
        crowd.status.time(|| done(desk.callbox(&["status"])))?;
        crowd.ls.time(|| done(desk.callbox(&["ls"])))?;
        crowd.questions.time(|| done(desk.callbox(&["questions"])))?;
        let question = format!("q{}", tasks - round);
        crowd.answer.time(|| done(desk.callbox(&["answer", &question, "one"])))?;
    }
    let Crowd { ls, questions, answer, status, .. } = crowd;
    thread::sleep(REST);
    let pid = desk.store().context("the store runs")?;
    let before = ticks(pid)?;
    thread::sleep(REST);
    let used = f64::from(u32::try_from(ticks(pid)? - before)?);
    let second = f64::from(u32::try_from(rustix::param::clock_ticks_per_second())?);
    Ok(Crowd {
        tasks,
        ls: ls.warmed(warm_up),
        questions: questions.warmed(warm_up),
        answer: answer.warmed(warm_up),
        status: status.warmed(warm_up),
        at_rest: used / second / REST.as_secs_f64(),
    })
}

fn done(mut command: Command) -> Result<()> {
    let output = command.output()?;
    ensure!(output.status.success(), "{command:?}: {}", String::from_utf8_lossy(&output.stderr));
    Ok(())
}

/// Processor time of the process so far, in clock ticks: fields 14 and 15 of `proc_pid_stat(5)`.
fn ticks(pid: u32) -> Result<u64> {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat"))?;
    let rest = stat.rsplit_once(") ").context("`stat` has a command")?.1;
    let fields: Vec<&str> = rest.split(' ').collect();
    Ok(fields[11].parse::<u64>()? + fields[12].parse::<u64>()?)
}

/// Puts the rows of the last task, of its run and of its question there until so many tasks ask.
fn multiply(database: &Path, tasks: usize) -> Result<()> {
    let connection = Connection::open(database)?;
    let count = i64::try_from(tasks)?;
    let (task, execution, question): (i64, i64, i64) = connection.query_row(
        "SELECT task, execution, number FROM questions ORDER BY number DESC LIMIT 1",
        [],
        |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)),
    )?;
    connection.execute_batch("BEGIN")?;
    for (table, number, changed) in [
        ("tasks", task, vec![("number", "number + i"), ("id", "substr(id, 1, 24) || printf('%012x', i)")]),
        (
            "executions",
            execution,
            vec![
                ("number", "number + i"),
                ("task", "task + i"),
                ("token_hash", "NULL"),
                ("supervisor_hash", "NULL"),
            ],
        ),
        (
            "questions",
            question,
            vec![("number", "number + i"), ("task", "task + i"), ("execution", "execution + i")],
        ),
    ] {
        let mut statement = connection.prepare("SELECT name FROM pragma_table_info(?1)")?;
        let columns: Vec<String> =
            statement.query_map([table], |row| row.get(0))?.collect::<Result<_, _>>()?;
        let values: Vec<&str> = columns
            .iter()
            .map(|column| {
                changed.iter().find(|(name, _)| name == column).map_or(column.as_str(), |(_, value)| value)
            })
            .collect();
        let sql = format!(
            "WITH RECURSIVE n(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < {})
             INSERT INTO {table} ({}) SELECT {} FROM {table}, n WHERE number = {number}",
            count - 1,
            columns.join(", "),
            values.join(", "),
        );
        connection.execute_batch(&sql)?;
    }
    connection.execute_batch("COMMIT")?;
    Ok(())
}
