//! What must stand before an agent is started: the adapter, its program, the shim, the directory.

use std::path::PathBuf;

use super::{
    apart::apart,
    execution::{Execution, make_private_folder},
    holding::Holding,
    program, wiring,
    workplace::{Place, Site},
};
use crate::{
    agents::Adapter,
    ids::Secret,
    protocol::{SOCKET_VARIABLE, TOKEN_VARIABLE},
    vocabulary::{AgentEnd, Fault, Shortage},
};

/// It stands.
pub(super) struct Prepared<'a> {
    /// What callbox knows of the agent program.
    pub(super) adapter: &'a dyn Adapter,
    /// The program.
    pub(super) program: PathBuf,
    /// The version it says it is.
    pub(super) version: Option<String>,
    /// The shim.
    pub(super) shim: PathBuf,
    /// What the shim proves itself with.
    pub(super) token: Secret,
    /// The execution's own folder.
    pub(super) folder: PathBuf,
    /// The socket of the agents' plane.
    pub(super) socket: PathBuf,
    /// The directory.
    pub(super) place: Place,
    /// What will hold the agent.
    pub(super) holding: Holding,
}

/// Prepares the run, the slow parts side by side.
pub(super) async fn prepare(execution: &Execution) -> Result<Prepared<'_>, AgentEnd> {
    let unavailable = |fault| AgentEnd::Unavailable { fault };
    let plan = &execution.plan;
    let adapter = execution.agents.find(&plan.agent).ok_or_else(|| {
        unavailable(Fault::new("agent_unknown", format!("there is no agent `{}`", plan.agent)))
    })?;
    let token = execution.token.clone().ok_or_else(|| {
        unavailable(Fault::new("internal", "this run was launched without a token for its agent"))
    })?;
    let environment = execution.environment(&std::collections::BTreeMap::new());
    let program = program::find(adapter, plan.program.as_deref(), &environment).map_err(unavailable)?;
    let holding = Holding::choose(&plan.isolation, &environment).map_err(unavailable)?;
    let shim = wiring::shim().map_err(|error| {
        unavailable(Fault::new("internal", format!("this program's own path is unknown: {error}")))
    })?;
    make_private_folder(&execution.tmp()).map_err(|error| {
        let message = format!("`{}` could not be made: {error}", execution.tmp().display());
        unavailable(Fault::new("sandbox", message).lacking(Shortage::of(&error)))
    })?;

    let mut shims = environment.clone();
    let (folder, socket) = (execution.folder(), execution.state.agent_socket());
    shims.insert(SOCKET_VARIABLE.to_owned(), Secret::new(socket.to_string_lossy()));
    shims.insert(TOKEN_VARIABLE.to_owned(), token.clone());
    let site = Site::of(execution);
    let (place, proof, version) = tokio::join!(
        apart(|| site.stand()),
        wiring::prove(&shim, &shims, &execution.family),
        program::version(adapter, &program, &environment, &execution.family),
    );
    let place =
        place.map_err(|error| unavailable(Fault::of_system("the sandbox could not be made", &error)))?;
    let place = place.map_err(unavailable)?;
    proof.map_err(|fault| AgentEnd::Failed { fault })?;
    Ok(Prepared { adapter, program, version, shim, token, folder, socket, place, holding })
}
