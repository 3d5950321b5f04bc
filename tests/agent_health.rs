//! An agent program that is of no use now is left alone for all tasks at once: a provider that refuses, a login that
//! is not accepted, a program that fails whatever it is given. One probe finds out whether that is over.

use serde_json::Value;

use crate::support::{
    cli::Desk,
    resident::Resident,
    supervised::write_agent,
    wait::{SOON, wait_until},
};

fn submit(desk: &Desk, name: &str, steps: &str) {
    let task = ["submit", "--agent", "scripted", "--no-project", "--name", name, "-p", steps];
    let _ = desk.callbox(task).end().expect(0);
}

fn lines(desk: &Desk) -> Vec<Value> {
    let listed = desk.callbox(["ls", "--json"]).end().expect(0).json();
    listed.as_array().unwrap().clone()
}

/// The state of every task and what it waits for, without a time.
fn standings(desk: &Desk) -> Vec<(String, String)> {
    let plain = |wait: &str| wait.split(" until ").next().unwrap_or_default().to_owned();
    let mut lines = lines(desk);
    lines.sort_by_key(|line| line["number"].as_str().unwrap()[1..].parse::<u32>().unwrap());
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    lines.iter().map(|line| (text(&line["state"]), plain(&text(&line["wait"])))).collect()
}

fn stand(desk: &Desk, wanted: &[(&str, &str)]) -> bool {
    let wanted: Vec<_> =
        wanted.iter().map(|(state, wait)| ((*state).to_owned(), (*wait).to_owned())).collect();
    standings(desk) == wanted
}

fn runs_of(desk: &Desk, task: &str) -> usize {
    let shown = desk.callbox(["show", task, "--json"]).end().expect(0).json();
    shown["executions"].as_array().unwrap().len()
}

#[test]
fn a_provider_that_refuses_one_task_is_not_asked_for_the_others_before_the_time_it_named() {
    let desk = Desk::new();
    desk.write("home/.config/callbox/config.toml", "max_concurrent = 1\n");
    let _store = Resident::start(&desk);
    submit(&desk, "refused", "- rate_limit: {reset: 1h}\n- summary: first");
    wait_until("the first is refused", SOON, || stand(&desk, &[("queued", "rate_limit")]));
    submit(&desk, "waits", "- summary: second");
    wait_until("the second waits too", SOON, || {
        stand(&desk, &[("queued", "rate_limit"), ("queued", "rate_limit")])
    });
    let why = desk.callbox(["why", "t2"]).end().expect(0);
    assert!(why.stdout.contains("the provider refuses for now"), "{why}");
    assert_eq!(runs_of(&desk, "t2"), 0);

    // A person who knows better need not wait, and what serves one serves all.
    let _ = desk.callbox(["resume", "t2"]).end().expect(0);
    wait_until("the second runs", SOON, || desk.standing("t2") == "completed");
    let _ = desk.callbox(["resume", "t1"]).end().expect(0);
    wait_until("the first goes on", SOON, || desk.standing("t1") == "completed");
}

#[test]
fn what_is_over_by_itself_is_waited_out_by_all_tasks_of_the_agent() {
    let desk = Desk::new();
    let _store = Resident::start(&desk);
    submit(&desk, "refused", "- rate_limit: {reset: 3s}\n- summary: first");
    submit(&desk, "other", "- sleep: 1ms\n- summary: second");
    wait_until("both are done", 2 * SOON, || stand(&desk, &[("completed", ""), ("completed", "")]));
}

#[test]
fn a_login_that_is_refused_pauses_its_agent_for_all_tasks_until_one_probe_succeeds() {
    let desk = Desk::new();
    let _store = Resident::start(&desk);
    submit(&desk, "expired", "- auth\n- auth\n- summary: first");
    wait_until("the first is refused", SOON, || stand(&desk, &[("queued", "auth")]));
    // Whoever queues more may have logged in meanwhile: one run finds that out, and no more.
    submit(&desk, "waits", "- summary: second");
    wait_until("the probe is refused", SOON, || runs_of(&desk, "t1") == 2);
    wait_until("all wait", SOON, || stand(&desk, &[("queued", "auth"), ("queued", "auth")]));
    let why = desk.callbox(["why", "t2"]).end().expect(0);
    assert!(why.stdout.contains("refused the login; log in, then `callbox resume t2 --run`"), "{why}");
    assert!(why.stdout.contains("One run tries it again by itself from "), "{why}");

    let _ = desk.callbox(["resume", "t2"]).end().expect(0);
    wait_until("the rest follows the probe", SOON, || stand(&desk, &[("completed", ""), ("completed", "")]));
    assert_eq!((runs_of(&desk, "t1"), runs_of(&desk, "t2")), (3, 1));
}

#[test]
fn a_program_that_fails_alike_three_times_is_given_no_more_tasks_until_a_person_takes_one_up() {
    let desk = Desk::new();
    let program = desk.path("claude-of-mine");
    let configuration = format!("max_concurrent = 1\n[agents.claude]\nprogram = \"{}\"\n", program.display());
    desk.write("home/.config/callbox/config.toml", &configuration);
    write_agent(&program, "exit 7");
    for name in ["one", "two", "three", "four", "five"] {
        let task = ["submit", "--agent", "claude", "--no-project", "--name", name, "-p", "x"];
        let _ = desk.callbox(task).variable("ANTHROPIC_API_KEY", "sk-ant-dummy").end().expect(0);
    }
    let _store = Resident::of(&desk);
    let paused =
        [("failed", ""), ("failed", ""), ("failed", ""), ("queued", "failures"), ("queued", "failures")];
    wait_until("three have failed and nothing more is tried", SOON, || stand(&desk, &paused));
    let why = desk.callbox(["why", "t5"]).end().expect(0);
    assert!(why.stdout.contains("`claude` failed several times in a row: "), "{why}");

    write_agent(&program, "cat >/dev/null\nbegin\ndone_well");
    let _ = desk.callbox(["resume", "t5"]).end().expect(0);
    wait_until("the rest is done", SOON, || {
        desk.standing("t4") == "completed" && desk.standing("t5") == "completed"
    });
    let news = desk.callbox(["show", "t4", "--json"]).end().expect(0).json();
    assert_eq!(news["error"], Value::Null);
}
