//! What `callbox serve` logs: every line that concerns an execution names it, and none a secret.

use std::{fs, path::Path};

use crate::support::{
    cli::{Desk, Ended},
    repository::Repository,
    resident::Resident,
};

const SECRET: &str = "canary-secret-of-the-person";

/// A resident store at this level that ran two tasks, the second of which failed; what it said.
fn served(desk: &Desk, project: &Repository, level: Option<&str>) -> Ended {
    let mut serve = desk.callbox(["serve"]);
    if let Some(level) = level {
        serve = serve.variable("RUST_LOG", level);
    }
    let store = Resident::from(desk, serve.start());
    let good = "- progress: at it\n- write: {path: a.txt, text: a}\n- summary: done";
    for (steps, status) in [(good, 0), ("- exit: 3", 1)] {
        let run = ["run", "-p", steps, "--agent", "scripted", "--env", "KEY"];
        desk.callbox(run).variable("KEY", SECRET).within(project.root()).end().expect(status);
    }
    rustix::process::kill_process(
        rustix::process::Pid::from_raw(i32::try_from(store.pid()).unwrap()).unwrap(),
        rustix::process::Signal::TERM,
    )
    .unwrap();
    store.ends().expect(0)
}

/// The lines that a log holds, with what a person is told left out.
fn lines(text: &str) -> Vec<&str> {
    let logged =
        |line: &&str| ["TRACE", "DEBUG", "INFO", "WARN", "ERROR"].iter().any(|level| line.contains(level));
    text.lines().filter(logged).collect()
}

#[test]
fn a_store_logs_what_becomes_of_each_execution_under_its_number() {
    let (desk, project) = (Desk::new(), Repository::new());
    let ended = served(&desk, &project, None);
    let lines = lines(&ended.stderr);
    for number in ["x1", "x2"] {
        for words in
            ["its supervisor is started", "report=\"started\"", "report=\"agent_ended\"", "has ended"]
        {
            let field = format!("execution={number}");
            let found = lines
                .iter()
                .filter(|line| line.contains(words))
                .any(|line| line.split([' ', '{', '}']).any(|word| word == field));
            assert!(found, "no {words:?} of {number} in\n{ended}");
        }
    }
    let mut of_runs = lines.iter().filter(|line| !line.contains("store::housekeeping"));
    assert!(of_runs.all(|line| line.contains(" execution=x") || line.contains("{execution=x")), "{ended}");
}

#[test]
fn whatever_is_logged_at_the_finest_level_names_its_execution_and_no_secret() {
    let (desk, project) = (Desk::new(), Repository::new());
    let ended = served(&desk, &project, Some("trace"));
    let store = lines(&ended.stderr);
    assert!(store.iter().any(|line| line.contains("/v1/run/signals")), "{ended}");
    for line in store.iter().filter(|line| line.contains("/v1/run") || line.contains("/v1/supervise")) {
        assert!(line.contains("execution=x"), "{line}");
    }
    let log = |number: &str| {
        fs::read_to_string(desk.state().join("executions").join(number).join("supervisor.log"))
    };
    let logs = ["1", "2"].map(|number| log(number).unwrap());
    for (log, number) in logs.iter().zip(["execution=x1", "execution=x2"]) {
        assert!(!lines(log).is_empty() && lines(log).iter().all(|line| line.contains(number)), "{log}");
    }
    for text in [&ended.stderr, &logs[0], &logs[1]] {
        assert!(!text.contains("cbx_") && !text.contains(SECRET), "{text}");
    }
    assert!(Path::new(&desk.state()).exists());
}

#[test]
fn the_level_is_the_persons_to_choose() {
    let (desk, project) = (Desk::new(), Repository::new());
    let ended = served(&desk, &project, Some("error"));
    assert!(lines(&ended.stderr).is_empty(), "{ended}");
    let _ = ended.says("is ready");
    let quiet = desk.callbox(["ls"]).end().expect(0);
    assert_eq!(quiet.stderr, "");
}
