//! What a task comes to whose provider says no: the real Claude Code in front of a model that refuses.

use serde_json::{Value, json};

use crate::support::{
    fake_model::{Refusal, Script, Step},
    office::Office,
};

/// A person whose provider refuses all that is asked, or the first so many requests.
fn refused(refusal: Refusal) -> Option<Office> {
    Office::new(Script::of([Step::say("Done.")]).refusing(refusal))
}

fn limit() -> Refusal {
    Refusal::always(429, "rate_limit_error", "slow down").header("retry-after", "3600")
}

/// How the task's runs ended.
fn outcomes(office: &Office) -> Vec<Value> {
    let shown = office.callbox(&["show", "t1", "--json"]).end().expect(0).json();
    shown["executions"].as_array().unwrap().iter().map(|run| run["outcome"].clone()).collect()
}

#[test]
fn a_limit_without_a_time_is_waited_for_a_while_and_counts_as_no_attempt() {
    let Some(office) = refused(limit().times(1)) else { return };
    let ended = office.run(&["--max-wait", "0s", "--json"]).end().expect(6).json();
    assert_eq!(
        (&ended["task"]["state"], &ended["execution"]["outcome"]),
        (&json!("queued"), &json!("rate_limited"))
    );
    let why = office.callbox(&["why", "t1"]).end().expect(0).stdout;
    assert!(why.contains("callbox resume t1"), "{why}");
    let again = office.callbox(&["resume", "t1", "--run", "--json"]).end().expect(0).json();
    assert_eq!(
        (&again["task"]["state"], &again["execution"]["attempt"]),
        (&json!("completed"), &json!(1)),
        "{again}"
    );
    assert_eq!(outcomes(&office), ["rate_limited", "succeeded"]);
}

#[test]
fn a_limit_with_a_time_is_waited_for_until_then() {
    let reset = 4_000_000_000_i64;
    let mut refusal = limit();
    for (name, value) in [
        ("status", "rejected".to_owned()),
        ("reset", reset.to_string()),
        ("representative-claim", "five_hour".to_owned()),
        ("5h-status", "rejected".to_owned()),
        ("5h-reset", reset.to_string()),
        ("5h-utilization", "1.0".to_owned()),
    ] {
        refusal = refusal.header(&format!("anthropic-ratelimit-unified-{name}"), value);
    }
    let Some(office) = refused(refusal) else { return };
    let run = office.run(&["--max-wait", "0s", "--json"]);
    let run = run.variable("ANTHROPIC_API_KEY", "").variable("CLAUDE_CODE_OAUTH_TOKEN", "sk-ant-oat01-dummy");
    let ended = run.end().expect(6).says("the provider refuses for longer than `--max-wait`").json();
    assert_eq!(ended["task"]["wait"], "rate_limit until 2096-10-02T07:06:40.000Z", "{ended}");
    assert_eq!(ended["execution"]["credential"], "subscription");
}

#[test]
fn where_the_task_says_so_a_limit_fails_it() {
    let Some(office) = refused(limit()) else { return };
    let ended = office.run(&["--on-rate-limit", "fail", "--json"]).end().expect(6).json();
    assert_eq!(
        (&ended["task"]["state"], &ended["error"]["code"]),
        (&json!("failed"), &json!("rate_limited"))
    );
    assert!(ended["error"]["message"].as_str().unwrap().contains("slow down"), "{ended}");
}

#[test]
fn a_refused_login_is_waited_for_until_the_person_has_logged_in() {
    let Some(office) = refused(Refusal::always(401, "authentication_error", "invalid x-api-key").times(2))
    else {
        return;
    };
    let ended = office.run(&["--json"]).end().expect(69).json();
    assert_eq!(
        (&ended["task"]["state"], &ended["task"]["wait"]),
        (&json!("queued"), &json!("auth")),
        "{ended}"
    );
    let why = office.callbox(&["why", "t1"]).end().expect(0).stdout;
    assert!(why.contains("refused the login") && why.contains("callbox resume t1 --run"), "{why}");
    office.callbox(&["resume", "t1", "--run"]).end().expect(0);
    assert_eq!(outcomes(&office), ["auth", "succeeded"]);
}

#[test]
fn a_provider_that_is_overloaded_is_waited_for() {
    let overloaded = Refusal::always(529, "overloaded_error", "Overloaded");
    let Some(office) = refused(overloaded) else { return };
    let ended = office.run(&["--max-wait", "0s", "--json"]).end().expect(6).json();
    assert_eq!(
        (&ended["task"]["state"], &ended["execution"]["outcome"]),
        (&json!("queued"), &json!("rate_limited"))
    );
    assert!(ended["task"]["wait"].as_str().unwrap().starts_with("rate_limit until "), "{ended}");
}

#[test]
fn a_provider_that_fails_ends_the_attempt_and_the_next_one_goes_on() {
    // Asked once more by Claude Code itself, then by another attempt.
    let Some(office) = refused(Refusal::always(500, "api_error", "canary: broken").times(2)) else { return };
    let ended = office
        .run(&["--retry", "2", "--env", "CLAUDE_CODE_MAX_RETRIES", "--json"])
        .end()
        .expect(0)
        .says("queued again: ")
        .json();
    assert_eq!(
        (&ended["task"]["state"], &ended["execution"]["attempt"]),
        (&json!("completed"), &json!(2)),
        "{ended}"
    );
    assert_eq!(outcomes(&office), ["failed", "succeeded"]);

    let Some(office) = refused(Refusal::always(500, "api_error", "canary: broken")) else { return };
    let ended = office.run(&["--env", "CLAUDE_CODE_MAX_RETRIES", "--json"]).end().expect(1).json();
    assert_eq!((&ended["task"]["state"], &ended["error"]["code"]), (&json!("failed"), &json!("provider")));
    assert!(ended["error"]["message"].as_str().unwrap().contains("canary: broken"), "{ended}");
}
