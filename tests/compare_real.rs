//! Claude Code and Codex on the same task, the real programs with a fake model behind them.

use std::os::unix::fs::symlink;

use serde_json::json;

use crate::support::{
    cli::Desk,
    fake_model::{FakeModel, Script, Step},
    office::Office,
    processes::nothing_left,
    programs,
};

#[test]
fn claude_and_codex_do_the_same_task_and_one_of_them_is_taken() {
    let paints = |step: Step| Script::of([step, Step::say("Done.")]);
    let bash = Step::call("Bash", json!({"command": "echo red > colour.txt", "description": "work"}));
    let Some(office) = Office::of("claude", Desk::new(), paints(bash)) else { return };
    let Some(program) = programs::installed("codex") else { return };
    symlink(program, office.desk.path("bin/codex")).unwrap();
    let model =
        FakeModel::start(paints(Step::call("exec_command", json!({"cmd": "echo blue > colour.txt"}))))
            .unwrap();
    let variables = programs::wired("codex", &model);
    let task = ["run", "--agent", "claude,codex", "--name", "paint", "-p", "Paint it.", "--json"];
    let call = office.callbox(&task);
    let call = variables.into_iter().fold(call, |call, (name, value)| call.variable(name, value));
    let done = call.end().expect(0).json();
    let agents: Vec<_> =
        done.as_array().unwrap().iter().map(|one| one["execution"]["agent"].clone()).collect();
    assert_eq!(agents, ["claude", "codex"]);
    assert_eq!(done[0]["delivery"]["base"], done[1]["delivery"]["base"]);
    let patch = office.callbox(&["diff", "t1", "t2"]).end().expect(0).stdout;
    assert!(patch.contains("-red\n+blue"), "{patch}");
    let taken = office.callbox(&["take", "t2"]).end().expect(0).stdout;
    assert!(taken.contains("t1 had ended and keeps its branch callbox/t1-paint"), "{taken}");
    assert_eq!(office.project.git(["show", "trunk:colour.txt"]).trim(), "blue");
    nothing_left(&office.desk);
}
