//! What a provider's refusals come to, told by each program that speaks the Agent Client Protocol.

use callbox::{ids::Timestamp, vocabulary::AgentEnd};
use serde_json::json;

use crate::support::{
    agent::{Desk, Order, Run},
    bridges::{Bridge, over_bridges},
    fake_model::{Refusal, Script, Step},
};

over_bridges!(
    a_request_that_is_refused_with_400_fails_with_the_providers_words,
    a_login_that_is_refused_with_401_is_told_as_that,
    a_limit_is_a_rate_limit_until_its_reset_where_that_is_told,
    a_provider_that_goes_on_failing_with_500_is_its_own_failure,
    a_provider_that_fails_once_is_asked_again,
);

/// A run before a provider that says `refusal`.
#[track_caller]
fn refused(bridge: &Bridge, name: &str, refusal: Refusal) -> Option<(Desk, Run)> {
    let desk = bridge.desk(Script::of([Step::say("done")]).refusing(refusal))?;
    let run = desk.run(&Order::new("go"));
    run.record(&desk, &format!("{}-{name}", bridge.agent));
    Some((desk, run))
}

fn a_request_that_is_refused_with_400_fails_with_the_providers_words(bridge: &Bridge) {
    let refusal = Refusal::always(400, "invalid_request_error", "canary: bad field");
    let Some((_, run)) = refused(bridge, "refused-400", refusal) else { return };
    assert!(run.failure("provider").contains("canary: bad field"));
    assert!(!run.conclusion.turn_taken);
}

fn a_login_that_is_refused_with_401_is_told_as_that(bridge: &Bridge) {
    let refusal = Refusal::always(401, "authentication_error", "canary: not you");
    let Some((_, run)) = refused(bridge, "refused-401", refusal) else { return };
    assert!(matches!(run.conclusion.end, AgentEnd::Auth { .. }), "{:?}", run.conclusion);
    assert!(!run.conclusion.turn_taken);
}

/// Claude Code tells of the time only what it is told of a subscription.
fn a_limit_is_a_rate_limit_until_its_reset_where_that_is_told(bridge: &Bridge) {
    let at = Timestamp::now().millis() / 1000 + 7000;
    let details = json!([
        {"@type": "type.googleapis.com/google.rpc.QuotaFailure", "violations": [{"quotaId": "GenerateRequestsPerDayPerProjectPerModel-FreeTier"}]},
        {"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "7000s"},
    ]);
    let refusal = match bridge.agent {
        "gemini-acp" => {
            Refusal::always(429, "RESOURCE_EXHAUSTED", "Please retry in 1h56m40s.").field("details", details)
        }
        "codex-acp" => Refusal::always(429, "usage_limit_reached", "slow down")
            .field("type", "usage_limit_reached")
            .field("resets_at", at),
        _ => Refusal::always(429, "rate_limit_error", "slow down").header("retry-after", "7000"),
    };
    let Some((_, run)) = refused(bridge, "refused-429", refusal) else { return };
    let AgentEnd::RateLimited { until, .. } = &run.conclusion.end else { panic!("{:?}", run.conclusion) };
    match (bridge.agent, until) {
        ("claude-acp", None) => {}
        ("claude-acp", _) | (_, None) => panic!("{:?}", run.conclusion),
        (_, Some(until)) => {
            let away = (until.millis() / 1000 - at).abs();
            assert!(away <= 180, "{away} s away from the time that was told");
        }
    }
    assert!(!run.conclusion.turn_taken);
}

fn a_provider_that_goes_on_failing_with_500_is_its_own_failure(bridge: &Bridge) {
    let refusal = Refusal::always(500, "api_error", "canary: broken");
    let Some((_, run)) = refused(bridge, "refused-500", refusal) else { return };
    run.failure("provider");
    assert!(!run.conclusion.turn_taken);
}

fn a_provider_that_fails_once_is_asked_again(bridge: &Bridge) {
    let refusal = Refusal::always(500, "api_error", "canary: broken").times(1);
    let Some((_, run)) = refused(bridge, "retried", refusal) else { return };
    run.finished();
}
