//! What a provider's refusals come to: the real Gemini CLI in front of a model that says no.

use callbox::{
    ids::Timestamp,
    vocabulary::{AgentEnd, Exit, Fact},
};
use serde_json::json;

use crate::support::{
    agent::{Desk, Order, Run},
    fake_model::{Refusal, Script, Step},
};

/// How often the provider is asked before the program gives up.
const ATTEMPTS: usize = 3;

fn retries(run: &Run) -> usize {
    run.facts().into_iter().filter(|fact| matches!(fact, Fact::ProviderRetry { .. })).count()
}

#[test]
fn a_request_that_is_refused_fails_with_the_providers_words() {
    let script = Script::default().refusing(Refusal::always(400, "INVALID_ARGUMENT", "canary: bad field"));
    let Some(desk) = Desk::of("gemini", script) else { return };
    let run = desk.run(&Order::new("go"));
    run.record(&desk, "refused-400");
    assert_eq!(run.exit, Exit::Code(144));
    assert_eq!(run.failure("provider"), "400: canary: bad field");
    assert!(!run.conclusion.turn_taken);
}

#[test]
fn a_login_that_is_refused_is_told_as_that_whatever_status_it_is_told_with() {
    for (name, status, message) in [
        ("refused-401", 401, "canary: not you"),
        ("refused-403", 403, "canary: not here"),
        ("refused-key", 400, "API key not valid. Please pass a valid API key."),
    ] {
        let script = Script::default().refusing(Refusal::always(status, "UNAUTHENTICATED", message));
        let Some(desk) = Desk::of("gemini", script) else { return };
        let run = desk.run(&Order::new("go"));
        run.record(&desk, name);
        assert!(
            matches!(&run.conclusion.end, AgentEnd::Auth { message: told } if told.contains(message)),
            "{:?}",
            run.conclusion
        );
        assert_eq!(desk.model.turns().len(), 1);
    }
}

#[test]
fn a_limit_of_a_day_names_the_time_of_its_reset_and_is_not_asked_about_again() {
    let quota = "GenerateRequestsPerDayPerProjectPerModel-FreeTier";
    let refusal = Refusal::always(
        429,
        "RESOURCE_EXHAUSTED",
        "You exceeded your current quota. Please retry in 7h2m1.5s.",
    )
    .field(
        "details",
        json!([
            {"@type": "type.googleapis.com/google.rpc.QuotaFailure", "violations": [{"quotaId": quota}]},
            {"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "25321s"},
        ]),
    );
    let Some(desk) = Desk::of("gemini", Script::default().refusing(refusal)) else { return };
    let before = Timestamp::now();
    let run = desk.run(&Order::new("go"));
    run.record(&desk, "refused-day");
    let AgentEnd::RateLimited { until: Some(until), .. } = &run.conclusion.end else {
        panic!("{:?}", run.conclusion)
    };
    let wait = until.since(before).as_millis();
    assert!((25_321_500..25_321_500 + 120_000).contains(&wait), "{wait}");
    assert_eq!((desk.model.turns().len(), retries(&run)), (1, 0));
}

#[test]
fn a_limit_that_stays_is_a_rate_limit_after_a_few_requests_each_of_which_is_told() {
    let refusal = Refusal::always(429, "RESOURCE_EXHAUSTED", "canary: slow down");
    let Some(desk) = Desk::of("gemini", Script::default().refusing(refusal)) else { return };
    let run = desk.run(&Order::new("go"));
    run.record(&desk, "refused-429");
    assert!(
        matches!(&run.conclusion.end, AgentEnd::RateLimited { until: None, message } if message.contains("canary: slow down")),
        "{:?}",
        run.conclusion
    );
    assert_eq!((desk.model.turns().len(), retries(&run)), (ATTEMPTS, ATTEMPTS - 1));
}

#[test]
fn a_provider_that_fails_once_is_asked_again_and_that_is_told() {
    let refusal = Refusal::always(500, "INTERNAL", "An internal error has occurred.").times(1);
    let Some(desk) = Desk::of("gemini", Script::of([Step::say("done")]).refusing(refusal)) else { return };
    let run = desk.run(&Order::new("go"));
    run.record(&desk, "retried");
    run.finished();
    assert_eq!(retries(&run), 1);
}

#[test]
fn a_provider_that_goes_on_failing_is_its_own_failure() {
    let refusal = Refusal::always(500, "INTERNAL", "canary: broken");
    let Some(desk) = Desk::of("gemini", Script::default().refusing(refusal)) else { return };
    let run = desk.run(&Order::new("go"));
    run.record(&desk, "refused-500");
    assert_eq!(run.exit, Exit::Code(244));
    assert_eq!(run.failure("provider"), "500: canary: broken");
}
