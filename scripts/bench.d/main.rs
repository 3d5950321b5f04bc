//! Measures callbox beside the floors of the same machine, in one run; `scripts/bench` builds and starts it.
//!
//! The figures of the shim are taken by this program as the command of a real run (`callbox attach`)
//! under a store that stays, for only there a shim has a token; that of a launch by submitting tasks.

mod calls;
mod crowd;
mod desk;
mod effort;
mod floor;
mod launches;
mod mcp;
mod programs;
mod start;
mod table;
mod times;

use std::{env, fs, path::Path, process::ExitCode};

use anyhow::{Context as _, Result, ensure};
use serde::{Deserialize, Serialize};

use crate::{
    calls::Calls,
    desk::Desk,
    effort::Effort,
    start::Starts,
    table::{Goal, Table},
};

/// Starts this program as the command of a run.
const WITHIN: &str = "within-a-run";

/// What is measured within a run.
#[derive(Debug, Serialize, Deserialize)]
struct Within {
    starts: Starts,
    calls: Calls,
}

fn main() -> Result<ExitCode> {
    let mut arguments = env::args().skip(1);
    let effort = Effort::asked();
    if arguments.next().as_deref() == Some(WITHIN) {
        let folder = arguments.next().context("the folder is missing")?;
        let calls = calls::measure(Path::new(&folder), effort)?;
        let within = Within { starts: start::measure(effort)?, calls };
        println!("{}", serde_json::to_string(&within)?);
        return Ok(ExitCode::SUCCESS);
    }
    let mut desk = Desk::open()?;
    let before = load();
    let Within { starts, calls } = within(&desk, effort)?;
    let launches = launches::measure(&desk, effort)?;
    let crowd = crowd::measure(&mut desk, effort)?;
    println!(
        "{} processors; load {before} before, {} after; rounds: {} starts, {} calls, {} launches; times in ms\n",
        std::thread::available_parallelism()?,
        load(),
        starts.shim.count(),
        calls.call.count(),
        launches.whole.count(),
    );

    let mut table = Table::default();
    Table::head();
    let floor = &starts.empty;
    table.times(
        "the shim, from its start to the list of tools",
        &starts.shim,
        Goal::Ratio { floor, most: 2.5 },
    );
    table.times("  floor: an empty program, to its end", floor, Goal::None);
    table.times("  beside it: an echo, to its second line", &starts.echo, Goal::None);
    let floor = &calls.commit.plus(&calls.round_trip);
    table.times("one tool call, on the disk when answered", &calls.call, Goal::Ratio { floor, most: 2.0 });
    table.times("  floor: one commit and one round trip", floor, Goal::None);
    table.times("    of it the commit", &calls.commit, Goal::None);
    table.times("    of it the round trip", &calls.round_trip, Goal::None);
    let besides = launches.whole.less(&launches.clone);
    table.times("a queued task to its agent, besides the clone", &besides, Goal::Most(25.0));
    table.times("  with the clone", &launches.whole, Goal::None);
    table.times("  the clone alone", &launches.clone, Goal::None);
    table.times("  the command `callbox submit`", &launches.submit, Goal::None);
    let many = |what: &str| format!("{what} with {} tasks that asked", crowd.tasks);
    table.times(&many("`callbox ls`"), &crowd.ls, Goal::Most(50.0));
    table.times(&many("`callbox questions`"), &crowd.questions, Goal::Most(50.0));
    table.times(&many("`callbox answer`"), &crowd.answer, Goal::Most(50.0));
    table.times("  beside them: `callbox status`", &crowd.status, Goal::None);
    table.share("  the store at rest, of one processor, %", crowd.at_rest, Goal::Most(1.0));
    table.size("the shim's memory behind its calls, MB", calls.resident * 1024, Goal::Most(5.0));
    table.size("  at its most", calls.peak * 1024, Goal::None);
    table.size("the shim's program, MB", fs::metadata(programs::SHIM)?.len(), Goal::Most(3.5));

    if table.missed().is_empty() || effort == Effort::Tried {
        return Ok(ExitCode::SUCCESS);
    }
    println!("\nmissed: {}", table.missed().join("; "));
    Ok(ExitCode::FAILURE)
}

fn within(desk: &Desk, effort: Effort) -> Result<Within> {
    let own = env::current_exe()?;
    let own = own.to_str().context("this program's path is text")?;
    let folder = desk.path("");
    let folder = folder.to_str().context("the folder's path is text")?;
    let output = desk.callbox(&["attach", "--", own, WITHIN, folder, effort.argument()]).output()?;
    ensure!(output.status.success(), "within a run: {}", String::from_utf8_lossy(&output.stderr));
    Ok(serde_json::from_slice(&output.stdout)?)
}

/// How many processes wanted to run in the last minute.
fn load() -> String {
    let load = fs::read_to_string("/proc/loadavg").unwrap_or_default();
    load.split(' ').next().unwrap_or_default().to_owned()
}
