//! `.callbox.toml` and what a person's configuration says of one project, end to end: nothing that a repository says
//! counts before it was trusted, nor any more once it has changed.

use std::fs;

use serde_json::{Value, json};

use crate::support::{
    cli::{Call, Desk},
    repository::Repository,
};

const CONFIG: &str = "home/.config/callbox/config.toml";

fn run(desk: &Desk, project: &Repository, more: &[&str]) -> Call {
    let root = project.root().display().to_string();
    desk.callbox(["run", "-C", &root, "--json", "-p", "- print: x"].iter().chain(more))
}

fn trust(desk: &Desk, project: &Repository) -> Call {
    desk.callbox(["trust", "-C", project.root().to_str().unwrap()])
}

/// What the `verify` command of a task that ended well printed; `null` where it had none.
fn verified(ended: &Value) -> Value {
    ended["verify"]["tail"].clone()
}

#[test]
fn what_a_repository_says_counts_once_it_is_trusted_and_until_it_changes() {
    let (desk, project) = (Desk::new(), Repository::new());
    project.write(
        ".callbox.toml",
        "agent = \"scripted\"\nsetup = \"echo ready > ready\"\nverify = \"cat ready\"\n",
    );
    project.commit("of its own");
    let root = project.root().display().to_string();
    let hint = format!("`.callbox.toml` is not trusted and does not count: `callbox trust -C {root}`");
    let ended = run(&desk, &project, &["--agent", "scripted"]).end().expect(0).says(&hint);
    assert_eq!(verified(&ended.json()), Value::Null);

    let shown = trust(&desk, &project).end().expect(0).stdout;
    assert!(shown.contains("setup = \"echo ready > ready\"") && shown.contains("trusted for"), "{shown}");
    let ended = run(&desk, &project, &[]).end().expect(0);
    assert!(!ended.stderr.contains("trust"), "{ended}");
    assert_eq!(verified(&ended.json()), "ready\n");

    // What stands in the work tree alone does not count, whatever it says.
    project.write(".callbox.toml", "verify = \"false\"\n");
    assert_eq!(verified(&run(&desk, &project, &[]).end().expect(0).json()), "ready\n");
    let _ = trust(&desk, &project).end().expect(0);
    project.commit("changed");
    let changed = run(&desk, &project, &["--agent", "scripted"])
        .end()
        .expect(0)
        .says("has changed since it was trusted");
    assert_eq!(verified(&changed.json()), Value::Null);
    let _ = trust(&desk, &project).end().expect(0);
    assert_eq!(
        run(&desk, &project, &["--agent", "scripted"]).end().expect(1).json()["error"]["code"],
        "verify"
    );
    // It is read from the commit that the task starts from.
    let ended = run(&desk, &project, &["--agent", "scripted", "--base", "main~1"]).end().expect(0);
    assert!(ended.stderr.contains("has changed since it was trusted"), "{ended}");
}

#[test]
fn a_wrong_file_is_not_trusted_and_every_fault_is_named() {
    let (desk, project) = (Desk::new(), Repository::new());
    let _ = trust(&desk, &project).end().expect(1).says("has no `.callbox.toml`");
    project.write(".callbox.toml", "verify = \"true\"\npermissions = \"full\"\ntimeout = 5\n");
    project.commit("wrong");
    let refused = trust(&desk, &project).end().expect(2);
    for fault in [".callbox.toml:2: `permissions` is not known", ".callbox.toml:3: `timeout` needs a unit"] {
        assert!(refused.stderr.contains(fault), "{refused}");
    }
    let _ = run(&desk, &project, &["--agent", "scripted"]).end().expect(0).says("is not trusted");
}

#[test]
fn an_agent_cannot_trust_what_agents_wrote() {
    let (desk, project) = (Desk::new(), Repository::new());
    project.write(".callbox.toml", "verify = \"true\"\n");
    project.commit("of its own");
    let root = project.root().display().to_string();
    // What is trusted belongs to all state directories: another one than the run's is no way around.
    let elsewhere = desk.path("elsewhere");
    let trust = format!("{} trust -C {root}", env!("CARGO_BIN_EXE_callbox"));
    let attempt =
        format!("({trust}; echo $?; {trust} --state {}; echo $?) > tried 2>&1", elsewhere.display());
    let verify = ["--agent", "scripted", "--isolation", "none", "--deliver", "none", "--verify", &attempt];
    let ended = run(&desk, &project, &verify).end().expect(0).json();
    let tried = fs::read_to_string(format!("{}/tried", ended["sandbox"].as_str().unwrap())).unwrap();
    assert_eq!(tried.matches("\n1\n").count(), 2, "{tried}");
    assert_eq!(tried.matches("only a person may give it").count(), 2, "{tried}");
    assert!(!desk.path("home/.config/callbox/trusted").exists());
}

#[test]
fn flags_go_before_the_persons_word_on_a_project_and_that_before_the_repositorys() {
    let (desk, project) = (Desk::new(), Repository::new());
    project.write(".callbox.toml", "agent = \"claude\"\nverify = \"echo repository\"\nverify_tries = 7\n");
    project.commit("of its own");
    let _ = trust(&desk, &project).end().expect(0);
    let root = project.root().display().to_string();
    desk.write(
        CONFIG,
        &format!(
            "verify = \"echo everywhere\"\n[projects.\"{root}\"]\nagent = \"scripted\"\ntags = [\"shop\"]\n"
        ),
    );
    let ended = run(&desk, &project, &[]).end().expect(0).json();
    assert_eq!((verified(&ended), &ended["task"]["tags"]), (json!("repository\n"), &json!(["shop"])));
    desk.write(CONFIG, &format!("[projects.\"{root}\"]\nagent = \"scripted\"\nverify = \"echo person\"\n"));
    assert_eq!(verified(&run(&desk, &project, &[]).end().expect(0).json()), "person\n");
    let flags = ["--verify", "echo flag"];
    assert_eq!(verified(&run(&desk, &project, &flags).end().expect(0).json()), "flag\n");
}

#[test]
fn an_agent_that_an_untrusted_repository_names_is_said_where_none_is_known() {
    let (desk, project) = (Desk::new(), Repository::new());
    project.write(".callbox.toml", "agent = \"scripted\"\n");
    project.commit("of its own");
    let root = project.root().display().to_string();
    let hint = format!("names `scripted` and is not trusted: `callbox trust -C {root}` has it count");
    run(&desk, &project, &[]).end().expect(69).says("no agent program is installed").says(&hint);
    let _ = trust(&desk, &project).end().expect(0);
    let _ = run(&desk, &project, &[]).end().expect(0);
}
