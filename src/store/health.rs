//! Keeps what runs and people tell of agent programs.

use super::{failure::Failure, news::News, transition::Occasion};
use crate::{
    database::{
        Write,
        rows::{agent, execution::ExecutionRow},
    },
    domain::{AgentHealth, PauseReason, Sign},
    ids::Timestamp,
};

/// Notes what `run` tells of its program. A person may have started the agent of one that was begun by hand with any
/// login and any provider.
pub(super) fn note(
    write: &mut Write<'_>,
    run: &ExecutionRow,
    sign: &Sign,
    occasion: &Occasion,
) -> Result<(), Failure> {
    if run.details.by_hand {
        return Ok(());
    }
    let name = &run.details.agent;
    let before = agent::get(write, name)?;
    let after = before.clone().after(sign, run.created_at, occasion.now);
    if after == before {
        return Ok(());
    }
    agent::save(write, name, &after)?;
    tell(write, run, &before, &after, occasion)
}

/// Notes that a probe of `name` begins.
pub(super) fn probed(write: &mut Write<'_>, name: &str, now: Timestamp) -> Result<(), Failure> {
    change(write, name, |health| health.probed(now))
}

/// Notes that a person began something with `name`, and may have mended it before.
pub(super) fn perhaps_mended(write: &mut Write<'_>, name: &str, now: Timestamp) -> Result<(), Failure> {
    change(write, name, |health| health.perhaps_mended(now))
}

/// Notes that a person wants `name` tried at once.
pub(super) fn tried_at_once(write: &mut Write<'_>, name: &str, now: Timestamp) -> Result<(), Failure> {
    change(write, name, |health| health.tried_at_once(now))
}

/// Notes that a store that stays opens, or is told another configuration: whatever was wrong may have been mended.
pub(super) fn all_perhaps_mended(write: &mut Write<'_>, now: Timestamp) -> Result<(), Failure> {
    for (name, health) in agent::all(write)? {
        let mended = health.clone().perhaps_mended(now);
        if mended != health {
            agent::save(write, &name, &mended)?;
        }
    }
    Ok(())
}

fn change(
    write: &mut Write<'_>,
    name: &str,
    to: impl FnOnce(AgentHealth) -> AgentHealth,
) -> Result<(), Failure> {
    let before = agent::get(write, name)?;
    let after = to(before.clone());
    if after != before {
        agent::save(write, name, &after)?;
    }
    Ok(())
}

fn tell(
    write: &mut Write<'_>,
    run: &ExecutionRow,
    before: &AgentHealth,
    after: &AgentHealth,
    occasion: &Occasion,
) -> Result<(), Failure> {
    let name = &run.details.agent;
    let words = match (&before.pause, &after.pause) {
        (None, Some(pause)) => match pause.reason {
            PauseReason::Auth => {
                format!("`{name}` is paused for all tasks, since its provider refused the login")
            }
            PauseReason::Failures => {
                format!(
                    "`{name}` is paused for all tasks, since it failed several times in a row: {}",
                    pause.message
                )
            }
        },
        (Some(_), None) => format!("`{name}` is of use again, and its tasks go on"),
        _ => return Ok(()),
    };
    News::of_run(run, "agent").tell(write, &words, occasion)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        domain::{AgentHealth, Pause},
        protocol::supervise::{Report, ReportBody},
        store::{fixture::Fixture, take_report::take_report},
        vocabulary::Fact,
    };

    #[tokio::test]
    async fn what_sets_a_sandbox_up_proves_nothing_of_the_agent() {
        let fixture = Fixture::new().await;
        let number = fixture.execution;
        let started = ReportBody::Started { pid: 1, version: String::new() };
        let agent = Fact::AgentStarted { pid: 2, version: None, credential: None };
        let working =
            |text: &str| ReportBody::Facts { facts: vec![Fact::Activity { text: text.to_owned() }] };
        let bodies = [
            started,
            working("setup: npm ci"),
            ReportBody::Facts { facts: vec![agent] },
            working("Bash: ls"),
        ];
        let mut paused = Vec::new();
        let pause = Pause {
            since: Timestamp::from_millis(1),
            reason: PauseReason::Auth,
            message: "401".to_owned(),
            probes: 1,
            again: None,
        };
        let before = AgentHealth { pause: Some(pause), ..AgentHealth::default() };
        fixture.engine.write(move |write| Ok(agent::save(write, "scripted", &before)?)).await.unwrap();
        for (place, body) in bodies.into_iter().enumerate() {
            let report = Report { number: place as u64 + 1, at: Timestamp::now(), body };
            let after = fixture
                .engine
                .write(move |write| {
                    take_report(write, number, &report, &Occasion::own())?;
                    Ok(agent::get(write, "scripted")?)
                })
                .await
                .unwrap();
            paused.push(after.pause.is_some());
        }
        assert_eq!(paused, [true, true, true, false]);
    }
}
