//! The command line of one run.

use std::collections::BTreeMap;

use super::{
    Described,
    filled::{self, Filled},
    mcp_file::mcp_file,
};
use crate::{
    agents::{
        AgentCommand, Launch, PrivateFile, Reach, Session,
        foreign::quoted_message,
        lacking::holding,
        mcp_config::{Limit, Wiring, shim_environment},
        model_name::check_model,
    },
    ids::Secret,
    vocabulary::{Fault, McpForm, Permissions},
};

/// Builds it. The message goes in on standard input: arguments can be read by everyone, are limited
/// to 128 KiB, and are parsed.
pub(super) fn command(agent: &Described, launch: &Launch<'_>) -> Result<AgentCommand, Fault> {
    let description = &agent.description;
    check_model(launch.model)?;
    let filled = Filled::of(launch);
    let session = match (launch.session, &description.resume) {
        (Session::New(_), _) => description.fresh.as_slice(),
        (Session::Resume(_), Some(resume)) => resume.as_slice(),
        (Session::Resume(_), None) => {
            let message =
                format!("`{}` goes on with no conversation: its description has no `resume`", agent.name);
            return Err(Fault::new("session_unknown", message));
        }
    };
    if let Session::Resume(id) = launch.session {
        check_session(id)?;
    }
    let model = if launch.model.is_some() { description.model_arguments.as_slice() } else { &[] };
    let words = description.command.iter().skip(1);
    let words = words
        .chain(holding(&agent.name, &agent.description, launch.permissions)?)
        .chain(model)
        .chain(session);

    let folder = filled::folder(launch);
    let private = |path, contents: String| PrivateFile { path, contents: Secret::new(contents) };
    let mut files: Vec<PrivateFile> = description
        .files
        .iter()
        .map(|(name, contents)| private(folder.join(name), filled.fill(contents)))
        .collect();
    files.extend(mcp_file(description, launch)?.map(|contents| private(filled::mcp_file(launch), contents)));
    Ok(AgentCommand {
        program: launch.program.to_owned(),
        arguments: words.map(|word| filled.fill(word).into()).collect(),
        environment: environment(agent, launch, &filled),
        input: input(agent, launch)?.into_bytes(),
        reach: if launch.permissions == Permissions::Read { Reach::Read } else { Reach::Write },
        files,
    })
}

/// The program itself told it, and it stands in an argument.
fn check_session(id: &str) -> Result<(), Fault> {
    let plain = id.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_.:".contains(&byte));
    if plain && !id.is_empty() && !id.starts_with('-') {
        return Ok(());
    }
    Err(Fault::new("session_unknown", "the recorded session id is none that can stand in an argument"))
}

fn environment(agent: &Described, launch: &Launch<'_>, filled: &Filled) -> BTreeMap<String, Secret> {
    let own = agent.description.environment.iter();
    let mut environment: BTreeMap<String, Secret> =
        own.map(|(name, value)| (name.clone(), Secret::new(filled.fill(value)))).collect();
    if agent.description.mcp == McpForm::None {
        let Launch { shim, socket, token, execution, .. } = *launch;
        let wired = shim_environment(&Wiring { shim, socket, token, execution }, Limit::Unknown);
        let text = |value: serde_json::Value| value.as_str().map(Secret::new);
        environment.extend(wired.into_iter().filter_map(|(name, value)| Some((name, text(value)?))));
    }
    environment
}

/// A new conversation begins with the standing instructions: no flag is known to take them.
fn input(agent: &Described, launch: &Launch<'_>) -> Result<String, Fault> {
    let message = quoted_message(launch.message)?;
    if matches!(launch.session, Session::Resume(_)) {
        return Ok(message);
    }
    let calls = match agent.description.mcp {
        McpForm::None => calls(&launch.shim.to_string_lossy()),
        McpForm::McpServers | McpForm::Opencode => String::new(),
    };
    Ok(format!("Standing instructions of callbox:\n\n{}\n{calls}\n{message}", launch.preamble))
}

/// How a program without MCP calls the tools.
fn calls(shim: &str) -> String {
    let plain = shim.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"/._-+".contains(&byte));
    // Quotes would hide the program from those that allow commands by how they begin.
    let quoted = if plain { shim.to_owned() } else { format!("'{}'", shim.replace('\'', "'\\''")) };
    format!(
        "The tools that these instructions name are commands for your shell. `callbox-mcp` stands for \
         {quoted}, and behind `call` come the tool and its arguments as JSON:\n\
         \n\
         - {quoted} call record_progress '{{\"message\": \"the tests pass\"}}'\n\
         - {quoted} call ask_user '{{\"question\": \"Red or blue?\", \"options\": [\"red\", \"blue\"]}}'\n\
         - {quoted} call spawn_subtask '{{\"name\": \"docs\", \"instructions\": \"Write the docs.\"}}'\n\
         - {quoted} call report_summary '{{\"summary\": \"It is done.\"}}'\n\
         \n\
         With `-` in the place of the arguments they are read from standard input. What the command prints is \
         the tool's answer.\n"
    )
}
