//! What came of an act on several tasks.

use super::{
    context::{Context, Format},
    error::{CliError, ErrorKind},
    exit::ExitStatus,
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

/// Says how `tasks` come to run where no store stays to run them.
pub(crate) fn say_who_runs_it(resident: bool, tasks: &[TaskNumber]) {
    if let (false, Some(task)) = (resident, tasks.first()) {
        output::say(format!(
            "no store stays to run this: `callbox resume {task} --run` does, and so does `callbox serve`"
        ));
    }
}

fn sentence(reply: &ActReply) -> String {
    sanitise::line(&reply.message) + "\n"
}
