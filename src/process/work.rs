//! How much the processes below this one have worked.

use std::{io, time::Duration};

use super::{descendants::below, pid::Pid, running::all};

/// The kernel's tick for other programs, on every machine that callbox is built for (`USER_HZ`).
const TICK: Duration = Duration::from_millis(10);

/// The processor time that all living processes below this one have used, with that of children they have
/// waited for. It goes back when a process ends whose parent does not wait for it.
pub fn work_below() -> io::Result<Duration> {
    let found = below(&all()?, &[Pid::current()]);
    let ticks: u64 = found.iter().map(|(_, stat)| stat.worked.saturating_add(stat.waited)).sum();
    Ok(TICK.saturating_mul(u32::try_from(ticks).unwrap_or(u32::MAX)))
}
