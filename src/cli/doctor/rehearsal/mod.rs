//! Rehearsing an agent program: the whole job with the real program, real store and real shim, in a throw-away
//! home, against a model of callbox's own on loopback. No key is spent and nothing of the person's is touched.
//!
//! `stage` is where it is played, `play` what is played, and `judgement` what is made of it.

mod judgement;
mod play;
mod stage;

use std::{ffi::OsStr, path::Path};

use self::{
    judgement::{Seen, judge},
    play::play,
    stage::Stage,
};
use super::finding::Finding;
use crate::{agents::Adapter, cli::output};

/// The findings of one rehearsal of the `program` of `adapter`, with the programs on `search` around it.
pub(super) async fn rehearse(adapter: &dyn Adapter, program: &Path, search: Option<&OsStr>) -> Vec<Finding> {
    let seen: Result<Option<Seen>, String> = async {
        let Some(mut stage) = Stage::set(adapter, program, search)? else { return Ok(None) };
        let name = adapter.name();
        output::say(format!("rehearsing `{name}` with a model of callbox's own; this takes some seconds"));
        play(&mut stage).await.map(Some)
    }
    .await;
    let check = format!("{} rehearsal", adapter.name());
    match seen {
        Ok(None) => vec![unrehearsed(adapter.name(), &check)],
        Ok(Some(seen)) => judge(adapter.name(), &seen),
        Err(reason) => {
            let hint = "run the program by hand to see why; `--quick` leaves rehearsals out";
            vec![Finding::fail(&check, reason, hint)]
        }
    }
}

/// Of a program that callbox does not know how to lead to a model of its own.
fn unrehearsed(name: &str, check: &str) -> Finding {
    Finding::warn(
        check,
        "not rehearsed: callbox has no rehearsal for this program, so its tools, \
         permissions, answers and what a hostile repository does to it were not tried",
        format!("try `{name}` with a small task in a project that you trust before you rely on it"),
    )
}
