//! What is played: one task that uses everything, asks, is answered and goes on, and one that is denied a tool.

use serde_json::json;

use super::{judgement::Seen, stage::Stage};
use crate::{
    agents::{OwnCall, Rehearsal},
    fake_model::{Script, Step},
};

/// The words of the first task, by which the model knows it.
const WHOLE: &str = "Rehearse the whole job.";
/// The words by which the model knows that it was answered.
const ANSWERED: &str = "Answer to question 1";
/// The words of the second.
const DENIED: &str = "Rehearse a refusal.";
/// An answer that a program would take for a command of its own if it came to it as it is.
pub(super) const ANSWER: &str = "/clear";

/// What the model says, to a program whose own tools are called as `rehearsal` says, and which calls the tool for
/// questions `ask`.
pub(super) fn script(rehearsal: &Rehearsal, ask: &str) -> Script {
    let Rehearsal { edit, shell, joined, .. } = rehearsal;
    let side = json!({"name": "side", "agent": "scripted", "instructions": "- summary: the side is done"});
    let begun = [
        Step::call("record_progress", json!({"message": "rehearsing", "percent": 10})),
        Step::call("spawn_subtask", side),
        own(edit),
        own(shell),
        Step::call(ask, json!({"question": "Which colour?"})),
        Step::say("I have asked."),
    ];
    let answered =
        [Step::call("report_summary", json!({"summary": "It was rehearsed."})), Step::say("Done.")];
    let denied = [own(shell), Step::say("I could not.")];
    // The model finds its place by how much it said before, as the program tells it.
    let before = (0..joined.unwrap_or(begun.len())).map(|_| Step::say("Never said."));
    let answered = before.chain(answered);
    Script::default().about(ANSWERED, answered).about(WHOLE, begun).about(DENIED, denied)
}

fn own(call: &OwnCall) -> Step {
    Step::call(call.tool, call.arguments.clone())
}

/// Plays all of it on `stage`. An error is a rehearsal that could not be played to its end.
pub(super) async fn play(stage: &mut Stage) -> Result<Seen, String> {
    let agent = stage.agent().to_owned();
    let run = |words: &'static str, permissions: &'static str| {
        ["run", "--name", "rehearsal", "--agent", &agent, "--permissions", permissions, "-p", words]
    };
    let asked = stage.callbox(&run(WHOLE, "edit")).await?;
    let answered =
        if asked.status == 3 { Some(stage.callbox(&["answer", "t1", ANSWER, "--run"]).await?) } else { None };
    let shown = stage.callbox(&["show", "t1"]).await?;
    let heard = stage.model.turns().last().map(|turn| turn.said().concat()).unwrap_or_default();
    let denied = stage.callbox(&run(DENIED, "read")).await?;
    Ok(Seen {
        asked,
        answered,
        shown: shown.json,
        heard,
        denied,
        shell: stage.shell(),
        sprung: stage.is_sprung(),
        decoyed: stage.decoy.requests().len(),
        turns: stage.model.turns().len(),
    })
}
