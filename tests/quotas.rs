//! Limits over all tasks: runs of one agent or project at once, and what a day may cost.

use std::fs;

use crate::support::{
    cli::Desk,
    processes::nothing_left,
    repository::Repository,
    resident::Resident,
    wait::{SOON, wait_until},
};

const FILE: &str = "home/.config/callbox/config.toml";

fn waits(desk: &Desk, task: &str) -> String {
    let shown = desk.callbox(["show", task, "--json"]).end().expect(0).json();
    let state = shown["task"]["state"].as_str().unwrap().to_owned();
    format!("{state} {}", shown["task"]["wait"].as_str().unwrap_or_default())
}

fn submit(desk: &Desk, place: &[&str], steps: &str) {
    let task = ["submit", "--agent", "scripted", "-p", steps];
    let _ = desk.callbox(task.iter().chain(place)).end().expect(0);
}

#[test]
fn an_agent_and_a_project_have_slots_of_their_own() {
    let desk = Desk::new();
    let project = Repository::on_branch("trunk");
    project.write("a.txt", "one");
    project.commit("one");
    let root = project.root().display().to_string();
    let on_project = ["-C", root.as_str()];
    desk.write(FILE, &format!("[projects.\"{root}\"]\nmax_concurrent = 1\n"));
    let store = Resident::start(&desk);
    submit(&desk, &on_project, "- sleep: 1h");
    submit(&desk, &on_project, "- summary: second");
    submit(&desk, &["--no-project"], "- sleep: 1h");
    wait_until("what is not of the project runs beside it", SOON, || {
        waits(&desk, "t1") == "running " && waits(&desk, "t3") == "running "
    });
    assert_eq!(waits(&desk, "t2"), "queued slot of its project");
    store.stop();

    desk.write(FILE, "[agents.scripted]\nmax_concurrent = 2\n");
    let store = Resident::start(&desk);
    submit(&desk, &["--no-project"], "- summary: fourth");
    wait_until("the agent is full", SOON, || waits(&desk, "t2") == "queued slot of scripted");
    assert_eq!(waits(&desk, "t4"), "queued slot of scripted");
    let why = desk.callbox(["why", "t4"]).end().expect(0);
    assert!(why.stdout.contains("as many runs of `scripted` as may be are at work"), "{why}");
    let _ = desk.callbox(["cancel", "t1", "t3"]).end().expect(0);
    wait_until("the others had their turn", SOON, || {
        waits(&desk, "t2") == "completed " && waits(&desk, "t4") == "completed "
    });
    store.stop();
    nothing_left(&desk);
}

#[test]
fn a_day_whose_money_is_spent_ends_what_runs_and_holds_what_waits_and_a_higher_limit_lets_both_go_on() {
    let desk = Desk::new();
    let notify = "[notify]\ncommand = 'cat >> told'\n";
    desk.write(FILE, &format!("[budget]\nper_day_usd = 0.4\n{notify}"));
    let store = Resident::start(&desk);
    submit(&desk, &["--no-project"], "- cost: 0.25\n- cost: 0.25\n- sleep: 1h\n- summary: at last");
    wait_until("the day is spent", SOON, || waits(&desk, "t1").starts_with("queued budget until "));
    submit(&desk, &["--no-project"], "- summary: cheap");
    wait_until("others wait too", SOON, || waits(&desk, "t2").starts_with("queued budget until "));
    let why = desk.callbox(["why", "t2"]).end().expect(0);
    assert!(why.stdout.contains("because the money for today is spent; `per_day_usd`"), "{why}");
    let alone = ["run", "--agent", "scripted", "--no-project", "-p", "- summary: no"];
    let refused = desk.callbox(alone).end();
    assert_eq!(refused.status, 5, "{refused}");
    store.stop();
    let told = || fs::read_to_string(desk.path("home/told")).unwrap_or_default();
    wait_until("the person is told", SOON, || told().contains("\"kind\":\"day_budget\""));
    assert_eq!(told().matches("the money for this day is spent\"").count(), 1, "{}", told());

    desk.write(FILE, "[budget]\nper_day_usd = 4\n");
    let _store = Resident::start(&desk);
    wait_until("what waited has run", SOON, || waits(&desk, "t2") == "completed ");
    wait_until("the first goes on where it was", SOON, || waits(&desk, "t1") == "completed ");
    let shown = desk.callbox(["show", "t1", "--json"]).end().expect(0).json();
    assert_eq!(
        (shown["summary"].as_str(), shown["totals"]["cost_usd"].as_f64()),
        (Some("at last"), Some(0.5))
    );
}

#[test]
fn the_money_of_one_project_holds_that_project_alone() {
    let desk = Desk::new();
    let project = Repository::on_branch("trunk");
    project.write("a.txt", "one");
    project.commit("one");
    let root = project.root().display().to_string();
    desk.write(FILE, &format!("[projects.\"{root}\"]\nper_day_usd = 0.2\n"));
    let _store = Resident::start(&desk);
    submit(&desk, &["-C", &root], "- cost: 0.25\n- sleep: 1h");
    wait_until("its day is spent", SOON, || waits(&desk, "t1").starts_with("queued budget until "));
    let why = desk.callbox(["why", "t1"]).end().expect(0);
    assert!(why.stdout.contains("the money for its project and today is spent"), "{why}");
    submit(&desk, &["--no-project"], "- cost: 1\n- summary: fine");
    wait_until("another runs", SOON, || waits(&desk, "t2") == "completed ");
}
