//! The command line of one run: that of callbox's own client, and what it is told.

use super::{
    Bridged, Preamble, allow,
    servers::{Servers, servers},
};
use crate::{
    acp::{Rules, Session as Wanted, Told},
    agents::{
        AgentCommand, Launch, Reach, Session,
        foreign::{plain_message, quoted_message},
        lacking::holding,
        model_name::check_model,
    },
    ids::Secret,
    vocabulary::{AgentDescription, Fault, Isolation, Permissions},
};

/// callbox itself, also where its file has been replaced meanwhile.
const OWN_PROGRAM: &str = "/proc/self/exe";

/// Builds it.
pub(super) fn command(launch: &Launch<'_>, bridged: Bridged) -> Result<AgentCommand, Fault> {
    let Servers { entries: servers, files } = servers(launch, &bridged)?;
    let told = Told {
        program: launch.program.to_owned(),
        arguments: bridged.arguments,
        directory: launch.directory.to_owned(),
        session: match launch.session {
            Session::New(_) => Wanted::New,
            Session::Resume(id) => Wanted::Resume(known(id)?),
        },
        meta: bridged.meta,
        servers,
        rules: Rules {
            permissions: launch.permissions,
            allow: bridged.allow,
            servers: launch.servers.iter().map(|server| server.name.clone()).collect(),
        },
        naming: bridged.naming,
        mode: bridged.mode,
        model: bridged.model,
        prompt: prompt(launch, bridged.preamble)?,
        remembered: bridged.remembered,
        borrowed: bridged.borrowed,
    };
    let input = serde_json::to_vec(&told).map_err(|error| Fault::new("internal", error.to_string()))?;
    Ok(AgentCommand {
        program: OWN_PROGRAM.into(),
        arguments: vec!["acp".into()],
        environment: bridged.environment,
        input,
        reach: bridged.reach,
        files: bridged.files.into_iter().chain(files).collect(),
    })
}

/// What is known of a program by its description alone. Nobody knows what it asks about before it acts, so who may only
/// look is held to that by callbox's own isolation, or not started.
pub(super) fn described(
    name: &str,
    description: &AgentDescription,
    launch: &Launch<'_>,
) -> Result<Bridged, Fault> {
    check_model(launch.model)?;
    let read = launch.permissions == Permissions::Read;
    if read && !matches!(launch.isolation, Isolation::Landlock { .. }) {
        return Err(unheld(name));
    }
    let more = holding(name, description, launch.permissions)?;
    let environment = description.environment.iter();
    Ok(Bridged {
        arguments: description.command.iter().skip(1).chain(more).cloned().collect(),
        environment: environment.map(|(name, value)| (name.clone(), Secret::new(value.clone()))).collect(),
        model: launch.model.map(str::to_owned),
        allow: allow::read(launch.options)?,
        reach: if read { Reach::Read } else { Reach::Write },
        ..Bridged::default()
    })
}

/// The fault of a run that may only look, where nothing holds it to that.
pub(super) fn unheld(name: &str) -> Fault {
    let message =
        format!("`permissions: read` is refused: only callbox's own isolation holds `{name}` to that");
    Fault::new("permissions_refused", message)
        .hinted("say `isolation: landlock`, or `permissions: edit`; `callbox doctor` says whether the kernel has Landlock")
}

/// The id goes into a message and nowhere else, so it need only be one.
fn known(id: &str) -> Result<String, Fault> {
    let fit = !id.is_empty() && id.len() <= 200 && !id.chars().any(char::is_control);
    let unknown = || Fault::new("session_unknown", "the recorded session id is not one of a session");
    fit.then(|| id.to_owned()).ok_or_else(unknown)
}

/// Programs expand `@path` in what they are told, so that of others is escaped, except by those that are known not to.
fn prompt(launch: &Launch<'_>, preamble: Preamble) -> Result<String, Fault> {
    let fresh = matches!(launch.session, Session::New(_));
    match preamble {
        Preamble::BeforePrompt if fresh && !launch.preamble.is_empty() => {
            Ok(format!("{}\n\n{}", launch.preamble, plain_message(launch.message)?))
        }
        Preamble::BeforePrompt => plain_message(launch.message),
        Preamble::Elsewhere => quoted_message(launch.message),
    }
}
