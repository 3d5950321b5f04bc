//! What a task comes to whose provider says no: the real Codex in front of a model that refuses.

use serde_json::{Value, json};

use crate::support::{
    cli::Desk,
    fake_model::{Refusal, Script, Step},
    office::Office,
};

/// A person whose provider refuses all that is asked, or the first so many requests.
#[track_caller]
fn refused(refusal: Refusal) -> Option<Office> {
    Office::of("codex", Desk::new(), Script::of([Step::say("Done.")]).refusing(refusal))
}

fn used_up() -> Refusal {
    let refusal = Refusal::always(429, "usage_limit_reached", "used up").field("plan_type", "pro");
    refusal.field("resets_at", 4_000_000_000_i64)
}

/// How the task's runs ended.
fn outcomes(office: &Office) -> Vec<Value> {
    let shown = office.callbox(&["show", "t1", "--json"]).end().expect(0).json();
    shown["executions"].as_array().unwrap().iter().map(|run| run["outcome"].clone()).collect()
}

#[test]
fn a_limit_with_a_time_is_waited_for_until_then() {
    let Some(office) = refused(used_up()) else { return };
    let ended = office.run(&["--max-wait", "0s", "--json"]).end().expect(6);
    let ended = ended.says("the provider refuses for longer than `--max-wait`").json();
    assert_eq!(ended["task"]["wait"], "rate_limit until 2096-10-02T07:07:00.000Z", "{ended}");
}

#[test]
fn a_limit_without_a_time_is_waited_for_a_while_and_counts_as_no_attempt() {
    let Some(office) = refused(Refusal::always(429, "rate_limit_exceeded", "slow down").times(1)) else {
        return;
    };
    let ended = office.run(&["--max-wait", "0s", "--json"]).end().expect(6).json();
    assert_eq!(ended["execution"]["outcome"], "rate_limited", "{ended}");
    let again = office.callbox(&["resume", "t1", "--run", "--json"]).end().expect(0).json();
    assert_eq!((&again["task"]["state"], &again["execution"]["attempt"]), (&json!("completed"), &json!(1)));
    assert_eq!(outcomes(&office), ["rate_limited", "succeeded"]);
}

#[test]
fn a_refused_login_is_waited_for_until_the_person_has_logged_in() {
    let Some(office) = refused(Refusal::always(401, "invalid_api_key", "canary: bad key").times(2)) else {
        return;
    };
    let ended = office.run(&["--json"]).end().expect(69).json();
    assert_eq!(
        (&ended["task"]["state"], &ended["task"]["wait"]),
        (&json!("queued"), &json!("auth")),
        "{ended}"
    );
    office.callbox(&["resume", "t1", "--run"]).end().expect(0);
    assert_eq!(outcomes(&office), ["auth", "succeeded"]);
}

#[test]
fn a_provider_that_refuses_the_request_fails_the_task_in_its_words() {
    let Some(office) = refused(Refusal::always(400, "invalid_request_error", "canary: on holiday")) else {
        return;
    };
    let ended = office.run(&["--json"]).end().expect(1).json();
    assert_eq!((&ended["task"]["state"], &ended["error"]["code"]), (&json!("failed"), &json!("provider")));
    assert!(ended["error"]["message"].as_str().unwrap().contains("canary: on holiday"), "{ended}");
}

#[test]
fn a_provider_that_fails_ends_the_attempt_and_the_next_one_goes_on() {
    // Codex itself asks five times for each of six tries.
    let Some(office) = refused(Refusal::always(500, "server_error", "canary: broken").times(30)) else {
        return;
    };
    let ended = office.run(&["--retry", "2", "--json"]).end().expect(0).says("queued again: ").json();
    assert_eq!(
        (&ended["task"]["state"], &ended["execution"]["attempt"]),
        (&json!("completed"), &json!(2)),
        "{ended}"
    );
    assert_eq!(outcomes(&office), ["failed", "succeeded"]);
}
