//! What came of an act on several tasks.

use super::{
    context::{Context, Format},
    error::{CliError, ErrorKind},
    exit::ExitStatus,
    output, render, sanitise,
};
use crate::{client::ClientError, protocol::operator::ActReply};

/// Prints every reply and says every refusal; the status is the worst of all.
pub fn answer(
    context: &Context,
    replies: Vec<Result<ActReply, ClientError>>,
) -> Result<ExitStatus, CliError> {
    let mut done = Vec::new();
    let mut statuses = Vec::new();
    for reply in replies {
        match reply.map_err(CliError::from) {
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

fn sentence(reply: &ActReply) -> String {
    sanitise::line(&reply.message) + "\n"
}
