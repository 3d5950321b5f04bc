//! What came of an act on several tasks.

use super::{
    context::{Context, Format},
    error::{CliError, ErrorKind},
    exit::ExitStatus,
    opened::Opened,
    output, render, sanitise,
};
use crate::{ids::TaskNumber, protocol::operator::ActReply, vocabulary::ATTACHED};

/// Prints every reply and says every refusal; the status is the worst of all.
pub(crate) fn answer(
    context: &Context,
    replies: Vec<Result<ActReply, CliError>>,
) -> Result<ExitStatus, CliError> {
    let asked = replies.len();
    let mut done = Vec::new();
    let mut statuses = Vec::new();
    for reply in replies {
        match reply {
            Ok(reply) => done.push(reply),
            Err(error) if error.kind() == ErrorKind::BrokenPipe => return Err(error),
            Err(error) => {
                output::say(error.to_string().trim_end());
                statuses.push(error.status());
            }
        }
    }
    output::print(match context.format {
        // As of every command there is no answer to the one thing that was refused.
        Format::Json if asked == 1 => done.first().map(render::object).transpose()?.unwrap_or_default(),
        Format::Json => render::object(&done)?,
        Format::Text => done.iter().map(sentence).collect(),
    })?;
    Ok(ExitStatus::worst(statuses))
}

/// What each of `tasks` now waits for and which command moves it, where no store stays that would move
/// it by itself.
pub(crate) async fn waits(store: &mut Opened, tasks: &[TaskNumber]) -> Result<Vec<String>, CliError> {
    let mut sentences = Vec::new();
    let resident = store.is_resident().await;
    for task in tasks {
        if resident && !waits_for_a_hand(store, *task).await? {
            continue;
        }
        let reply = store.look(async |operator| operator.why(*task).await).await?;
        sentences.push(sanitise::line(&reply.sentence));
    }
    Ok(sentences)
}

/// Whether no store moves it, one that stays neither.
async fn waits_for_a_hand(store: &mut Opened, task: TaskNumber) -> Result<bool, CliError> {
    let report = store.look(async |operator| operator.task(task).await).await?.task;
    Ok(report.agent == ATTACHED && report.state == "queued")
}

fn sentence(reply: &ActReply) -> String {
    sanitise::line(&reply.message) + "\n"
}
