//! The life of one execution, step by step.

use std::{collections::BTreeMap, io, sync::Arc};

use tokio::sync::watch;

use super::{
    agent::{self, PrivateFiles},
    apart::apart,
    conversation::{Held, hold},
    ending::{ended_for, ending},
    execution::Execution,
    fault_point::Point,
    finish::{finish, keep},
    handover::{forget, inherit},
    last_words::last_words,
    opening::Opening,
    outgrown::{AtWork, look},
    output::Output,
    preparation::{Prepared, prepare},
    reporter::{Reporter, reporter},
    setup::{NotSetUp, set_up},
    spawn_bases::name_spawn_bases,
    spool::{Left, Spool},
    standing::{Standing, follow_orders},
    surroundings::Surroundings,
    watch::Cause,
    workplace::GitSetup,
};
use crate::{
    agents::{Launch, Read, Session, User, preamble},
    client::SupervisorClient,
    ids::Secret,
    process::alive,
    protocol::{
        launch::Conversation,
        supervise::{ReportBody, Verdict},
    },
    sandbox::{WorkError, WorkState, state},
    vocabulary::{AgentEnd, Ending, Fact, Fault, with_sources},
};

/// Supervises `execution` to its end, or until the store wants to hear no more of it. `held` is the lock
/// that says this process lives.
pub(super) async fn run(
    execution: &Execution,
    client: SupervisorClient,
    (spool, left): (Spool, Left),
    held: &Arc<alive::Held>,
) -> io::Result<()> {
    let (reporter, reporting) = reporter(client.clone(), spool, left, execution.faults.clone());
    let (sender, standing) = watch::channel(Standing::default());
    tokio::spawn(reporting.run());
    tokio::spawn(follow_orders(client, sender, Arc::clone(held)));
    let mut surroundings = Surroundings::watch(execution, &reporter, standing)?;

    let body = ReportBody::Started { pid: std::process::id(), version: env!("CARGO_PKG_VERSION").to_owned() };
    let mut verdict = surroundings.report(body).await;
    if verdict.is_some() {
        execution.faults.pass(Point::AfterStarted);
        if let Err(error) = inherit(execution) {
            tracing::warn!(%error, "what is remembered of earlier work was not taken over");
        }
    }
    let only_finishes = execution.plan.conversation == Conversation::Finished;
    if !only_finishes {
        verdict = match verdict {
            Some(Verdict::Go) => {
                let Some(ending) = agents_part(&mut surroundings).await? else { return Ok(()) };
                tracing::info!(end = ?ending.end, exit = ?ending.exit, "the agent's part is over");
                surroundings.report(ReportBody::AgentEnded { ending: Box::new(ending) }).await
            }
            // Whatever else is due is not due for an agent that never began.
            _ => None,
        };
    }
    match verdict {
        Some(Verdict::Deliver) => finish(&mut surroundings).await,
        Some(Verdict::Go) if only_finishes => finish(&mut surroundings).await,
        Some(Verdict::KeepWork) => keep(&mut surroundings, None).await,
        Some(Verdict::Go | Verdict::Keep) | None => {}
    }
    remove_folder(GitSetup::of(execution).folder());
    Ok(())
}

/// From the sandbox to the end of the agent's processes; `None` where the run is nobody's any more.
async fn agents_part(surroundings: &mut Surroundings<'_>) -> io::Result<Option<Ending>> {
    let execution = surroundings.execution;
    let mut output = match Output::open(&execution.state, execution.plan.execution) {
        Ok(output) => output,
        Err(error) => {
            let fault = Fault::of_system("the logs of the run could not be opened", &error);
            return Ok(Some(Ending::not_begun(AgentEnd::Unavailable { fault })));
        }
    };
    let prepared = surroundings.unless_stopped(prepare(execution)).await;
    let ending = match prepared {
        Ok(Ok(prepared)) => converse(surroundings, &mut output, &prepared).await?,
        Ok(Err(end)) => Some(Ending::not_begun(end)),
        Err(Cause::Disowned) => None,
        Err(cause) => Some(Ending::not_begun(ended_for(cause).unwrap_or(AgentEnd::Interrupted))),
    };
    if let Some(words) = ending.as_ref().and_then(|ending| last_words(&ending.end)) {
        output.say(&words);
    }
    output.finish();
    remove_folder(&execution.tmp());
    Ok(ending)
}

async fn converse(
    surroundings: &mut Surroundings<'_>,
    output: &mut Output,
    prepared: &Prepared<'_>,
) -> io::Result<Option<Ending>> {
    let execution = surroundings.execution;
    let place = &prepared.place;
    execution.faults.pass(Point::SandboxMade);
    let directory = execution.state.relative(&place.directory).unwrap_or(&place.directory).to_owned();
    tell(surroundings.reporter, output, Fact::Sandbox { directory, base: place.base.clone() });
    for text in place.notices.iter().chain(&prepared.holding.notice) {
        tell(surroundings.reporter, output, Fact::Notice { text: text.clone() });
    }
    tell(surroundings.reporter, output, Fact::Isolated { isolation: prepared.holding.isolation.clone() });
    let naming = place.base.is_some().then(|| {
        let (standing, directory) = (surroundings.standing.clone(), place.directory.clone());
        tokio::spawn(name_spawn_bases(standing, directory, surroundings.reporter.clone()))
    });
    let ending = match set_up(surroundings, output, place).await {
        Ok(()) => hold_conversation(surroundings, output, prepared).await,
        Err(NotSetUp::Failed(fault)) => Ok(Some(Ending::not_begun(AgentEnd::Failed { fault }))),
        Err(NotSetUp::Ended(Cause::Disowned)) => Ok(None),
        Err(NotSetUp::Ended(cause)) => {
            Ok(Some(Ending::not_begun(ended_for(cause).unwrap_or(AgentEnd::Interrupted))))
        }
    };
    if let Some(naming) = naming {
        naming.abort();
    }
    ending
}

/// Over as many agent processes as the conversation takes.
async fn hold_conversation(
    surroundings: &mut Surroundings<'_>,
    output: &mut Output,
    prepared: &Prepared<'_>,
) -> io::Result<Option<Ending>> {
    let (execution, place) = (surroundings.execution, &prepared.place);
    let Some(mut opening) = Opening::first(&execution.plan.conversation, place.origin) else {
        let fault = Fault::new("internal", "this run has no conversation to hold");
        return Ok(Some(Ending::not_begun(AgentEnd::Failed { fault })));
    };
    loop {
        if let Some(reason) = opening.retold {
            tell(surroundings.reporter, output, Fact::Retold { reason: reason.to_owned() });
        }
        let held = match speak(surroundings, output, prepared, &opening).await {
            Ok(held) => held,
            Err(fault) if fault.code == "session_unknown" => match opening.again() {
                Some(again) => {
                    opening = again;
                    continue;
                }
                None => return Ok(Some(Ending::not_begun(AgentEnd::Failed { fault }))),
            },
            Err(fault) => return Ok(Some(Ending::not_begun(AgentEnd::Failed { fault }))),
        };
        if held.cause == Some(Cause::Disowned) {
            return Ok(None);
        }
        match opening.again() {
            Some(again) if held.conclusion.session_unknown && held.cause.is_none() => opening = again,
            _ => {
                let work = work(execution, prepared).await;
                let mut ending = ending(held, work, prepared.adapter);
                // One that is over sooner than anybody looked has outgrown its room all the same.
                if ending.end == AgentEnd::Finished
                    && let Some(fault) = look(execution, AtWork::Agent).await
                {
                    ending.end = AgentEnd::Unavailable { fault };
                }
                return Ok(Some(ending));
            }
        }
    }
}

/// One agent process, with its files there for as long as it lives.
async fn speak(
    surroundings: &mut Surroundings<'_>,
    output: &mut Output,
    prepared: &Prepared<'_>,
    opening: &Opening<'_>,
) -> Result<Held, Fault> {
    let execution = surroundings.execution;
    let preamble = execution.plan.preamble.clone().unwrap_or_else(|| preamble(prepared.adapter));
    let bare = execution.environment(&BTreeMap::new());
    let launch = launch(execution, prepared, opening, (&preamble, &bare));
    let command = prepared.adapter.command(&launch)?;
    let environment = execution.environment(&command.environment);
    let own = prepared.adapter.own_places(&launch, &environment);
    let held = prepared.holding.hold(execution, &command, &own)?;
    let failed = |what: &str, error: io::Error| Fault::of_system(what, &error);
    let files = PrivateFiles::write(&command.files)
        .map_err(|error| failed("the agent's files could not be written", error))?;
    forget(execution)
        .map_err(|error| failed("what is known of earlier work could not be forgotten", error))?;
    let agent = agent::start(execution, held, command.input.clone(), &environment)
        .map_err(|error| failed("the agent could not be started", error))?;
    execution.faults.pass(Point::AgentStarted);
    let login = prepared.adapter.login_file(&environment);
    let login = login.and_then(|path| std::fs::read_to_string(path).ok());
    let started = Fact::AgentStarted {
        pid: agent.process.pid.get(),
        version: prepared.version.clone(),
        credential: prepared.adapter.credential(&environment, login.as_deref()),
    };
    tell(surroundings.reporter, output, started);
    let expected = match opening.session {
        Session::Resume(id) => Some(id.to_owned()),
        Session::New(_) => None,
    };
    let held = hold(surroundings, output, prepared.adapter, agent, expected).await;
    drop(files);
    held.map_err(|error| failed("the agent could not be watched", error))
}

fn launch<'a>(
    execution: &'a Execution,
    prepared: &'a Prepared<'a>,
    opening: &Opening<'a>,
    (preamble, environment): (&'a str, &'a BTreeMap<String, Secret>),
) -> Launch<'a> {
    let plan = &execution.plan;
    Launch {
        program: &prepared.program,
        directory: &prepared.place.directory,
        folder: &prepared.folder,
        shim: &prepared.shim,
        socket: &prepared.socket,
        token: &prepared.token,
        execution: plan.execution,
        model: plan.model.as_deref(),
        permissions: plan.permissions,
        isolation: &prepared.holding.isolation,
        environment,
        options: &plan.options,
        servers: &plan.servers,
        values: &execution.given,
        cost_left_usd: plan.cost_left_usd,
        session: opening.session,
        message: opening.message,
        preamble,
        user: User::current(),
    }
}

/// How the sandbox stands now; `None` where there is no project.
async fn work(execution: &Execution, prepared: &Prepared<'_>) -> Option<Result<WorkState, WorkError>> {
    let base = prepared.place.base.clone()?;
    let (setup, directory) = (GitSetup::of(execution), prepared.place.directory.clone());
    let looked = apart(move || {
        let git = setup.git().map_err(|source| WorkError::Files { directory: directory.clone(), source })?;
        state(&git, &directory, &base)
    });
    let directory = prepared.place.directory.clone();
    let failed = |source| Err(WorkError::Files { directory, source });
    Some(looked.await.unwrap_or_else(failed))
}

fn tell(reporter: &Reporter, output: &mut Output, fact: Fact) {
    let read = Read::Fact(fact.clone());
    output.transcribe(&read);
    reporter.learned(fact);
}

fn remove_folder(folder: &std::path::Path) {
    match std::fs::remove_dir_all(folder) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => {
            tracing::warn!(reason = with_sources(&error), folder = %folder.display(), "a folder could not be removed");
        }
        _ => {}
    }
}
