//! A supervisor whose store goes away: the run goes on, and nothing that it reports is lost.

use std::fs;

use callbox::{
    protocol::supervise::{Report, ReportBody},
    vocabulary::{AgentEnd, Finish},
};

use crate::support::{
    supervised::Supervised,
    wait::{SOON, wait_until},
};

fn spool(run: &Supervised) -> Vec<Report> {
    let text = fs::read_to_string(run.folder().join("spool.jsonl")).unwrap_or_default();
    text.lines().map_while(|line| serde_json::from_str(line).ok()).collect()
}

fn has_ended(report: &Report) -> bool {
    matches!(report.body, ReportBody::AgentEnded { .. })
}

#[test]
fn a_run_goes_on_without_a_store_and_its_reports_arrive_in_order() {
    let run = Supervised::agent(
        "cat >/dev/null; begin; echo yes > ../../../../ready; until [ -e ../../../../go ]; do sleep 0.01; done; echo new > new.txt; done_well",
    );
    let supervisor = run.start();
    run.wait_for("ready");
    run.store.vanish();
    fs::write(run.repository.beside("go"), "").unwrap();
    wait_until("the end is spooled", SOON, || spool(&run).iter().any(has_ended));
    assert!(!run.store.reports().iter().any(has_ended));
    run.store.appear();
    supervisor.wait();
    assert_eq!(run.ending().end, AgentEnd::Finished);
    assert!(matches!(run.finish(), Finish::Delivered { delivery: Some(_), .. }));
    assert_eq!(run.store.reports(), spool(&run));
}

#[test]
fn a_supervisor_that_is_started_before_its_store_answers_waits_and_starts_nothing() {
    let run = Supervised::agent("cat >/dev/null; begin; done_well");
    run.store.vanish();
    let supervisor = run.start();
    wait_until("it asks", SOON, || spool(&run).len() == 1);
    assert!(!run.sandbox().exists());
    run.store.appear();
    supervisor.wait();
    assert_eq!(run.ending().end, AgentEnd::Finished, "{}", run.log());
}

#[test]
fn a_run_whose_store_stays_away_is_interrupted_and_that_is_spooled() {
    let mut run =
        Supervised::agent("cat >/dev/null; begin; echo yes > ../../../../ready; while :; do sleep 1; done");
    run.plan.patience_seconds = Some(1);
    let supervisor = run.start();
    run.wait_for("ready");
    run.store.vanish();
    assert!(supervisor.wait().success());
    assert!(!run.is_populated());
    let ended = spool(&run).into_iter().find_map(|report| match report.body {
        ReportBody::AgentEnded { ending } => Some(ending.end),
        _ => None,
    });
    assert_eq!(ended, Some(AgentEnd::Interrupted));
}

#[test]
fn a_run_whose_state_directory_is_removed_ends_for_nobody_will_ever_hear_of_it() {
    let mut run =
        Supervised::agent("cat >/dev/null; begin; echo yes > ../../../../ready; while :; do sleep 1; done");
    run.plan.patience_seconds = None;
    let supervisor = run.start();
    run.wait_for("ready");
    run.store.vanish();
    fs::remove_dir_all(run.state.root()).unwrap();
    assert!(supervisor.wait().success());
    assert!(!run.is_populated());
}

#[test]
fn what_was_spooled_and_never_sent_is_handed_over_by_the_next_supervisor() {
    let mut run = Supervised::agent("cat >/dev/null; begin; echo new > new.txt; done_well");
    run.dies_at("supervisor:outcome_spooled");
    run.start().wait();
    assert!(spool(&run).iter().any(has_ended) && !run.store.reports().iter().any(has_ended));
    run.dies_at("nowhere");
    run.plan.conversation = callbox::protocol::launch::Conversation::Finished;
    run.start().wait();
    assert_eq!(run.ending().end, AgentEnd::Finished, "{}", run.log());
    assert!(matches!(run.finish(), Finish::Delivered { delivery: Some(_), .. }));
    assert_eq!(run.store.reports(), spool(&run));
}
