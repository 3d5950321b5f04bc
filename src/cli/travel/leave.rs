//! What tasks take along.

use std::path::Path;

use super::{conversation, report::Moved};
use crate::{
    archive::{Contents, Luggage, Sandbox},
    cli::{context::Context, error::CliError, gather, opened::Opened, output, sanitise},
    host::prepared,
    ids::TaskNumber,
    protocol::travel::{Departing, ExportRequest},
    sandbox,
};

/// Gathers the rows of `tasks`, of their trees and of what they come after, with their sandboxes and conversations.
pub(crate) async fn leave(
    context: &Context,
    store: &mut Opened,
    tasks: Vec<TaskNumber>,
) -> Result<(Contents, Vec<Moved>), CliError> {
    let request = ExportRequest { tasks };
    let reply = store.look(async |operator| operator.export(&request).await).await?;
    let rows = serde_json::to_vec(&reply.rows).map_err(CliError::unavailable)?;
    let (mut contents, mut moved) = (Contents { rows, tasks: Vec::new() }, Vec::new());
    for task in &reply.tasks {
        let luggage = luggage(context, task)?;
        moved.push(Moved {
            number: task.number,
            was: task.number,
            id: task.id,
            name: task.name.clone(),
            state: task.state.clone(),
            sandbox: luggage.sandbox.is_some(),
            conversation: !luggage.transcript.is_empty(),
        });
        contents.tasks.push(luggage);
    }
    // A run that began meanwhile would have changed what was just looked at.
    let again = store.look(async |operator| operator.export(&request).await).await?;
    if again != reply {
        return Err(CliError::unavailable("the tasks have gone on while they were packed")
            .hinted("wait until they have ended their turn, and export them again"));
    }
    Ok((contents, moved))
}

fn luggage(context: &Context, task: &Departing) -> Result<Luggage, CliError> {
    let mut luggage = Luggage { task: task.id, sandbox: None, transcript: Vec::new() };
    let Some(directory) = task.sandbox.as_deref().filter(|directory| directory.is_dir()) else {
        return Ok(luggage);
    };
    let git = gather::git(context)?;
    let departed =
        sandbox::depart(&git, directory, task.project.as_deref()).map_err(CliError::unavailable)?;
    for note in &departed.notes {
        output::say(sanitise::line(&format!("{}: {note}", task.number)));
    }
    luggage.sandbox = Some(Sandbox {
        base: departed.base,
        head: departed.head,
        work: departed.work,
        bundle: departed.bundle,
    });
    luggage.transcript = transcript(context, task, directory)?;
    Ok(luggage)
}

fn transcript(
    context: &Context,
    task: &Departing,
    directory: &Path,
) -> Result<Vec<crate::archive::Transcript>, CliError> {
    let adapter = context.agents.find(&task.agent);
    let Some((adapter, session)) = adapter.zip(task.session.as_deref()) else { return Ok(Vec::new()) };
    let environment = gather::environment(context, &[])?;
    let state = prepared(context.state.root())?;
    conversation::find(adapter, &state, &environment, (session, directory))
        .map_err(|error| CliError::lacking("the conversation could not be read", error))
}
