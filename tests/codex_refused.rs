//! What a provider's refusals come to: the real Codex in front of a model that says no.

use callbox::{
    ids::Timestamp,
    vocabulary::{AgentEnd, Exit, Fact},
};

use crate::support::{
    agent::{Desk, Order, Run},
    fake_model::{Refusal, Script, Step},
};

/// A run whose provider answers with `refusal`.
#[track_caller]
fn refused(name: &str, refusal: Refusal) -> Option<(Desk, Run)> {
    let desk = Desk::of("codex", Script::of([Step::say("done")]).refusing(refusal))?;
    let run = desk.run(&Order::new("go"));
    run.record(&desk, name);
    Some((desk, run))
}

#[test]
fn a_request_that_is_refused_fails_with_the_providers_words() {
    let refusal = Refusal::always(400, "invalid_request_error", "canary: bad field");
    let Some((_, run)) = refused("refused-400", refusal) else { return };
    assert_eq!(run.failure("provider"), "canary: bad field");
    assert!(!run.conclusion.turn_taken);
    assert_eq!(run.exit, Exit::Code(1));
}

#[test]
fn a_refused_login_ends_the_run_before_codex_gives_up() {
    let refusal = Refusal::always(401, "authentication_error", "canary: bad key");
    let Some((desk, run)) = refused("refused-401", refusal) else { return };
    assert!(matches!(&run.hopeless, Some(AgentEnd::Auth { .. })), "{:?}", run.hopeless);
    assert!(
        matches!(&run.conclusion.end, AgentEnd::Auth { message } if message.contains("canary: bad key")),
        "{:?}",
        run.conclusion
    );
    assert!(desk.model.turns().len() <= 4, "{}", desk.model.turns().len());
}

#[test]
fn a_limit_without_a_time_is_a_rate_limit() {
    let refusal = Refusal::always(429, "rate_limit_exceeded", "canary: slow down");
    let Some((_, run)) = refused("refused-429", refusal) else { return };
    let AgentEnd::RateLimited { until, message } = &run.conclusion.end else {
        panic!("{:?}", run.conclusion)
    };
    assert!(message.contains("429"));
    assert_eq!(*until, None);
}

#[test]
fn a_limit_with_a_time_names_it_whatever_the_time_zone_of_the_run() {
    let reset = Timestamp::parse("2096-10-02T07:06:40Z").unwrap();
    let refusal = Refusal::always(429, "usage_limit_reached", "used up")
        .field("plan_type", "plus")
        .field("resets_at", reset.millis() / 1000);
    let Some(mut desk) = Desk::of("codex", Script::default().refusing(refusal)) else { return };
    desk.environment.insert("TZ".to_owned(), "XYZ7".to_owned());
    let run = desk.run(&Order::new("go"));
    run.record(&desk, "refused-limit");
    let AgentEnd::RateLimited { until: Some(until), message } = &run.conclusion.end else {
        panic!("{:?}", run.conclusion)
    };
    // Codex names the minute.
    assert_eq!(until.to_string(), "2096-10-02T07:07:00.000Z");
    assert!(message.contains("usage limit"), "{message}");
}

#[test]
fn a_provider_that_fails_is_asked_again_and_that_is_told() {
    let Some((_, run)) = refused("retried", Refusal::always(529, "overloaded", "canary: over").times(6))
    else {
        return;
    };
    run.finished();
    let retries = run.facts().into_iter().filter(|fact| matches!(fact, Fact::ProviderRetry { .. })).count();
    assert!(retries > 0);
}

#[test]
fn a_provider_without_room_is_a_rate_limit_and_one_that_is_used_up_a_failure() {
    let Some((_, run)) = refused("refused-503", Refusal::always(503, "server_is_overloaded", "full")) else {
        return;
    };
    assert!(matches!(&run.conclusion.end, AgentEnd::RateLimited { until: None, .. }), "{:?}", run.conclusion);
    let Some((_, run)) = refused("refused-quota", Refusal::always(429, "insufficient_quota", "used up"))
    else {
        return;
    };
    assert!(run.failure("provider").contains("Quota exceeded"));
}
