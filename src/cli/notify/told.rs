//! From the order on standard input to the command, and what failed into the log.

use std::{
    io::{self, Read as _},
    process::ExitCode,
};

use rustix::process::setsid;

use super::run::run;
use crate::{
    cli::sanitise,
    ids::Timestamp,
    process::{room, subreaper},
    protocol::notice::NoticeOrder,
};

/// Carries out the order on standard input; standard error is the log by then.
pub fn notify() -> ExitCode {
    match carry_out() {
        Ok(()) => ExitCode::SUCCESS,
        Err(reason) => {
            eprintln!("{} {}", Timestamp::now(), sanitise::line(&reason));
            ExitCode::FAILURE
        }
    }
}

fn carry_out() -> Result<(), String> {
    // No terminal's signals; refused where whoever started this did it already.
    let _ = setsid();
    let mut order = Vec::new();
    io::stdin().read_to_end(&mut order).map_err(|error| format!("nothing to tell was read: {error}"))?;
    let order: NoticeOrder = serde_json::from_slice(&order)
        .map_err(|error| format!("what is to be told is not known: {error}"))?;
    let notice = serde_json::to_string(&order.notice).map_err(|error| error.to_string())?;
    let text = sanitise::json(&notice) + "\n";
    let system = |error: io::Error| format!("the command of `notify` cannot be run: {error}");
    subreaper::become_one().map_err(system)?;
    room::for_descriptors(room::RUNTIME).map_err(system)?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(system)?;
    let ran = runtime.block_on(run(&order.command, text.as_bytes()));
    let about = |reason: String| {
        let told = order.notice;
        format!(
            "`{}` was told of {} ({}): {reason}",
            order.command.program,
            told.task.number,
            word(&told.kind)
        )
    };
    ran.map_err(about)
}

/// As the notice spells it.
fn word<T: serde::Serialize>(kind: &T) -> String {
    serde_json::to_value(kind).ok().and_then(|kind| kind.as_str().map(str::to_owned)).unwrap_or_default()
}
