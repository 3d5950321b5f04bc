//! What came of an act on several tasks.

use super::{
    context::{Context, Format},
    error::{CliError, ErrorKind},
    exit::ExitStatus,
    opened::Opened,
    output, render, sanitise,
};
use crate::{ids::TaskNumber, protocol::operator::ActReply};

/// Prints every reply and says every refusal; the status is the worst of all.
pub(crate) fn answer(
    context: &Context,
    replies: Vec<Result<ActReply, CliError>>,
) -> Result<ExitStatus, CliError> {
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
        Format::Json => render::array(&done)?,
        Format::Text => done.iter().map(sentence).collect(),
    })?;
    Ok(ExitStatus::worst(statuses))
}

/// What each of `tasks` now waits for and which command moves it, where no store stays that would move
/// it by itself.
pub(crate) async fn waits(store: &mut Opened, tasks: &[TaskNumber]) -> Result<Vec<String>, CliError> {
    let mut sentences = Vec::new();
    if !store.is_resident().await {
        for task in tasks {
            let reply = store.look(async |operator| operator.why(*task).await).await?;
            sentences.push(sanitise::line(&reply.sentence));
        }
    }
    Ok(sentences)
}

fn sentence(reply: &ActReply) -> String {
    sanitise::line(&reply.message) + "\n"
}
