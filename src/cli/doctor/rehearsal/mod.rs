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
use crate::agents::Adapter;

/// The findings of one rehearsal of the `program` of `adapter`, with the programs on `search` around it. None
/// where the agent is callbox itself.
pub(super) async fn rehearse(adapter: &dyn Adapter, program: &Path, search: Option<&OsStr>) -> Vec<Finding> {
    let seen: Result<Option<Seen>, String> = async {
        let Some(mut stage) = Stage::set(adapter, program, search)? else { return Ok(None) };
        play(&mut stage).await.map(Some)
    }
    .await;
    match seen {
        Ok(None) => Vec::new(),
        Ok(Some(seen)) => judge(adapter.name(), &seen),
        Err(reason) => {
            let check = format!("{} rehearsal", adapter.name());
            vec![Finding::fail(
                &check,
                reason,
                "run the program by hand to see why; `--quick` leaves rehearsals out",
            )]
        }
    }
}
