//! Ending a tree of processes: ask, wait, kill, and look until nothing is left.

use std::{
    fmt, io,
    time::{Duration, Instant},
};

use tokio::time::sleep;

use super::{
    descendants::below,
    family::Family,
    mark::{Mark, marked},
    pid::Pid,
    running::{Process, all},
    signal::{Signal, signal},
    stat::Stat,
};

/// Between two looks at `/proc`.
const PAUSE: Duration = Duration::from_millis(20);

/// Which processes are to end.
#[derive(Debug, Clone, Copy)]
pub enum Tree<'a> {
    /// Everything below this process, which is a child subreaper.
    Below {
        /// The child whose process group is asked to end; everything is asked where there is none.
        root: Option<Process>,
        /// The children of this process.
        family: &'a Family,
    },
    /// What is left of an execution whose supervisor is gone: what carries its mark, what this
    /// process adopted, and all that these started.
    Left {
        /// The execution's mark.
        mark: &'a Mark,
        /// The children of this process, which is a child subreaper.
        family: &'a Family,
    },
}

/// How a tree is ended.
#[derive(Debug, Clone, Copy)]
pub struct Ladder {
    /// The signal that asks, and how long it is given before SIGKILL; `None` kills at once.
    pub ask: Option<(Signal, Duration)>,
    /// How long SIGKILL may take before what lives is reported.
    pub deadline: Duration,
}

/// Why a tree did not end.
#[derive(Debug, thiserror::Error)]
pub enum Survivors {
    /// These still lived after the deadline, or could not be signalled.
    #[error("{} still running after SIGKILL: {}", count(processes), Names(processes))]
    Alive {
        /// Which.
        processes: Vec<Process>,
    },
    /// `/proc` could not be read, so nothing is known.
    #[error("the processes could not be listed")]
    Unlisted {
        /// What the system said.
        source: io::Error,
    },
}

/// Ends `tree`: the asking signal to its group, time to obey, SIGKILL to everything of any session,
/// again and again until two looks in a row find nothing. Ended orphans are cleared away; the child
/// that tokio waits for is left for it. A look that fails finds nothing out, and is repeated for as long.
pub async fn end_tree(tree: Tree<'_>, ladder: Ladder) -> Result<(), Survivors> {
    if let Some((asking, grace)) = ladder.ask {
        let until = Instant::now() + grace;
        let mut asked = tree.asked();
        for process in asked.iter().flatten() {
            // One that cannot be signalled is found again below.
            let _ = signal(*process, asking);
        }
        while Instant::now() < until && asked.map_or(true, |asked| !asked.is_empty()) {
            sleep(PAUSE).await;
            asked = tree.asked();
        }
    }
    let until = Instant::now() + ladder.deadline;
    let mut empty_looks = 0;
    loop {
        let looked = tree.members();
        empty_looks = if looked.as_ref().is_ok_and(Vec::is_empty) { empty_looks + 1 } else { 0 };
        if empty_looks == 2 {
            return Ok(());
        }
        match looked {
            Ok(members) if !members.is_empty() && Instant::now() >= until => {
                let processes = members.into_iter().map(|(process, _)| process).collect();
                return Err(Survivors::Alive { processes });
            }
            Err(source) if Instant::now() >= until => return Err(Survivors::Unlisted { source }),
            looked => {
                for (process, _) in looked.into_iter().flatten() {
                    let _ = signal(process, Signal::Kill);
                }
            }
        }
        sleep(PAUSE).await;
        if let Err(source) = tree.family().reap_adopted() {
            tracing::debug!(%source, "ended orphans could not be cleared away");
        }
    }
}

impl Tree<'_> {
    /// The living processes of the tree.
    fn members(&self) -> io::Result<Vec<(Process, Stat)>> {
        let all = all()?;
        let roots: Vec<Pid> = match self {
            Self::Below { .. } => vec![Pid::current()],
            Self::Left { mark, family } => {
                marked(mark)?.into_iter().chain(family.adopted()?).map(|process| process.pid).collect()
            }
        };
        let mut found = below(&all, &roots);
        if let Self::Left { family, .. } = self {
            // A process that carries a mark and yet is a child of our own is a supervisor at work.
            let own = family.own();
            let spared: Vec<Pid> = own.iter().map(|process| process.pid).chain([Pid::current()]).collect();
            found.extend(all.iter().copied().filter(|(process, _)| roots.contains(&process.pid)));
            let below_spared = below(&all, &spared[..own.len()]);
            found.retain(|(process, _)| {
                !spared.contains(&process.pid) && !below_spared.iter().any(|(other, _)| other == process)
            });
        }
        found.retain(|(_, stat)| !stat.ended);
        Ok(found)
    }

    /// The processes that are asked to end first.
    fn asked(&self) -> io::Result<Vec<Process>> {
        let members = self.members()?.into_iter();
        Ok(match self {
            Self::Below { root: Some(root), .. } => members
                .filter(|(process, stat)| stat.group == root.pid.get() || process == root)
                .map(|(process, _)| process)
                .collect(),
            Self::Below { root: None, .. } | Self::Left { .. } => {
                members.map(|(process, _)| process).collect()
            }
        })
    }

    fn family(&self) -> &Family {
        match self {
            Self::Below { family, .. } | Self::Left { family, .. } => family,
        }
    }
}

fn count(processes: &[Process]) -> String {
    if processes.len() == 1 {
        "1 process is".to_owned()
    } else {
        format!("{} processes are", processes.len())
    }
}

struct Names<'a>(&'a [Process]);

impl fmt::Display for Names<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (place, process) in self.0.iter().enumerate() {
            let separator = if place == 0 { "" } else { ", " };
            let name = std::fs::read_to_string(format!("/proc/{}/comm", process.pid)).unwrap_or_default();
            let name: String = name.chars().filter(|letter| !letter.is_control()).collect();
            write!(f, "{separator}{} ({name})", process.pid)?;
        }
        Ok(())
    }
}
