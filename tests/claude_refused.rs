//! What a provider's refusals come to: the real Claude Code in front of a model that says no.

use callbox::vocabulary::{AgentEnd, Exit, Fact};

use crate::support::{
    agent::{Desk, Order},
    fake_model::{Refusal, Script, Step},
};

#[test]
fn a_request_that_is_refused_fails_with_the_providers_words() {
    let script =
        Script::default().refusing(Refusal::always(400, "invalid_request_error", "canary: bad field"));
    let Some(desk) = Desk::new(script) else { return };
    let run = desk.run(&Order::new("go"));
    run.record(&desk, "refused-400");
    assert!(run.failure("provider").contains("canary: bad field"));
    assert!(!run.conclusion.turn_taken);
    assert_eq!(run.exit, Exit::Code(1));
}

#[test]
fn a_refused_login_ends_the_run_long_before_claude_gives_up() {
    let script =
        Script::default().refusing(Refusal::always(401, "authentication_error", "invalid x-api-key"));
    let Some(mut desk) = Desk::new(script) else { return };
    desk.environment.remove("CLAUDE_CODE_MAX_RETRIES");
    let run = desk.run(&Order::new("go"));
    run.record(&desk, "refused-401");
    assert!(matches!(&run.hopeless, Some(AgentEnd::Auth { .. })), "{:?}", run.hopeless);
    assert!(
        matches!(&run.conclusion.end, AgentEnd::Auth { message } if message.contains("401")),
        "{:?}",
        run.conclusion
    );
    assert!(desk.model.turns().len() <= 4, "{}", desk.model.turns().len());
}

#[test]
fn an_account_that_may_not_is_a_refused_login_too() {
    let script = Script::default().refusing(Refusal::always(403, "permission_error", "canary: not you"));
    let Some(desk) = Desk::new(script) else { return };
    let run = desk.run(&Order::new("go"));
    run.record(&desk, "refused-403");
    assert!(matches!(&run.conclusion.end, AgentEnd::Auth { message } if message.contains("canary: not you")));
}

#[test]
fn a_run_without_any_key_is_a_refused_login_before_anything_is_asked() {
    let Some(mut desk) = Desk::new(Script::of([Step::say("done")])) else { return };
    desk.environment.remove("ANTHROPIC_API_KEY");
    let run = desk.run(&Order::new("go"));
    run.record(&desk, "no-login");
    assert!(
        matches!(&run.conclusion.end, AgentEnd::Auth { message } if message.contains("Not logged in")),
        "{:?}",
        run.conclusion
    );
    assert_eq!(desk.model.turns().len(), 0);
}

#[test]
fn a_provider_that_cannot_be_reached_is_its_failure() {
    let Some(mut desk) = Desk::new(Script::default()) else { return };
    let closed = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    desk.environment.insert("ANTHROPIC_BASE_URL".to_owned(), format!("http://{closed}"));
    desk.environment.insert("CLAUDE_CODE_MAX_RETRIES".to_owned(), "0".to_owned());
    let run = desk.run(&Order::new("go"));
    run.record(&desk, "no-connection");
    assert!(run.failure("provider").contains("ECONNREFUSED"));
}

#[test]
fn a_limit_with_a_far_end_is_a_rate_limit_at_once() {
    let refusal = Refusal::always(429, "rate_limit_error", "canary: slow down").header("retry-after", "3600");
    let Some(desk) = Desk::new(Script::default().refusing(refusal)) else { return };
    let run = desk.run(&Order::new("go"));
    run.record(&desk, "refused-429");
    let AgentEnd::RateLimited { until, message } = &run.conclusion.end else {
        panic!("{:?}", run.conclusion)
    };
    assert!(message.contains("canary: slow down"));
    assert_eq!(*until, None);
}

#[test]
fn a_subscriptions_limit_names_the_time_of_its_reset() {
    let reset = 4_000_000_000_i64;
    let refusal = Refusal::always(429, "rate_limit_error", "slow down")
        .header("retry-after", "3600")
        .header("anthropic-ratelimit-unified-status", "rejected")
        .header("anthropic-ratelimit-unified-reset", reset.to_string())
        .header("anthropic-ratelimit-unified-representative-claim", "five_hour")
        .header("anthropic-ratelimit-unified-5h-status", "rejected")
        .header("anthropic-ratelimit-unified-5h-reset", reset.to_string())
        .header("anthropic-ratelimit-unified-5h-utilization", "1.0");
    let Some(mut desk) = Desk::new(Script::default().refusing(refusal)) else { return };
    desk.environment.remove("ANTHROPIC_API_KEY");
    desk.environment.insert("CLAUDE_CODE_OAUTH_TOKEN".to_owned(), "sk-ant-oat01-dummy".to_owned());
    let run = desk.run(&Order::new("go"));
    run.record(&desk, "refused-limit");
    let AgentEnd::RateLimited { until: Some(until), .. } = &run.conclusion.end else {
        panic!("{:?}", run.conclusion)
    };
    assert_eq!(until.millis(), reset * 1000);
}

#[test]
fn a_provider_that_fails_twice_is_asked_again_and_that_is_told() {
    let refusal = Refusal::always(529, "overloaded_error", "Overloaded").times(2);
    let Some(mut desk) = Desk::new(Script::of([Step::say("done")]).refusing(refusal)) else { return };
    desk.environment.remove("CLAUDE_CODE_MAX_RETRIES");
    let run = desk.run(&Order::new("go"));
    run.record(&desk, "retried");
    run.finished();
    let retries = run.facts().into_iter().filter(|fact| matches!(fact, Fact::ProviderRetry { .. })).count();
    assert_eq!(retries, 2);
}
