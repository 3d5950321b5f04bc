//! Tasks that cannot be run are refused with a sentence and a hint, and nothing is half done.

use std::{fs, os::unix::fs::PermissionsExt as _};

use crate::support::{
    cli::{Call, Desk, Ended},
    repository::Repository,
    resident::wait_for_store,
};

const STEPS: &str = "- progress: working";

/// Refused: the status, a sentence, a hint, nothing on stdout and nothing in a database.
#[track_caller]
fn refused(desk: &Desk, ended: Ended, status: i32, sentence: &str) {
    let ended = ended.expect(status).says("error: ").says(sentence).says("\nhint: ");
    assert_eq!(ended.stdout, "", "{ended}");
    assert!(!desk.has_database(), "something was queued:\n{ended}");
}

fn run(desk: &Desk, arguments: &[&str]) -> Ended {
    let all = [&["run", "-p", STEPS, "--agent", "scripted"], arguments].concat();
    desk.callbox(all).end()
}

#[test]
fn a_task_file_with_three_faults_names_all_three_by_line() {
    let desk = Desk::new();
    let text = "instructions: mend it\nprioritty: high\npermissions: all\nretry: {delay: soon}\n";
    let file = desk.write("home/wrong.yaml", text);
    let ended = desk.callbox(["submit", "wrong.yaml"]).end().expect(2);
    for line in ["wrong.yaml:2: `prioritty`", "wrong.yaml:3: `permissions`", "wrong.yaml:4: `retry"] {
        assert!(ended.stderr.contains(line), "no {line:?} in\n{ended}");
    }
    refused(&desk, ended, 2, "nothing was queued");
    let twice = desk.callbox(["submit", file.to_str().unwrap(), "none.yaml"]).end();
    refused(&desk, twice, 2, "none.yaml");
}

#[test]
fn an_unknown_agent_is_named_and_the_known_ones_are_listed() {
    let desk = Desk::new();
    let ended = desk.callbox(["run", "-p", "x", "--agent", "cluade"]).end();
    refused(&desk, ended, 2, "no agent called `cluade`");
}

#[test]
fn what_comes_on_stdin_is_checked_like_any_other() {
    let desk = Desk::new();
    let ended = desk.callbox(["run", "-p", "-", "--agent", "scripted"]).stdin(" \n").end();
    ended.expect(2).says("error: the text of `-p` ");
    assert!(!desk.has_database());
}

#[test]
fn a_missing_program_is_named_with_the_agents_that_are_there() {
    let desk = Desk::new();
    let ended = desk.callbox(["run", "-p", "x", "--agent", "claude", "--no-project"]).end();
    refused(&desk, ended, 69, "`claude` of the agent `claude` is not on the PATH");
}

#[test]
fn without_any_agent_program_a_task_must_name_one() {
    let desk = Desk::new();
    let ended = desk.callbox(["run", "-p", "x", "--no-project"]).end();
    let hint = "name one with `--agent`: `scripted` is built in and plays a list of steps";
    refused(&desk, ended.says(hint), 69, "no agent program is installed");
}

#[test]
fn instructions_that_the_scripted_agent_cannot_play_are_refused_before_they_are_queued() {
    let desk = Desk::new();
    let wrong = |words: &str| desk.callbox(["run", "-p", words, "--agent", "scripted"]).end();
    let told = wrong("mend it").says("hint: write a list such as `- print: hello`; the steps are progress, ");
    refused(&desk, told, 2, "no list of steps: line 1: a list of steps is expected here, not text");
    refused(
        &desk,
        wrong("- progres: x\n- sleep: soon"),
        2,
        "`progres` is not known: did you mean `progress`?",
    );
    desk.write("home/wrong.yaml", "agent: scripted\ninstructions: mend it\n");
    refused(&desk, desk.callbox(["submit", "wrong.yaml"]).end(), 2, "no list of steps");
}

#[test]
fn nothing_to_do_is_wrong_usage() {
    let desk = Desk::new();
    refused(&desk, desk.callbox(["run", "--agent", "scripted"]).end(), 2, "nothing to do");
}

#[test]
fn a_project_that_is_not_there_or_no_repository_is_not_to_be_had() {
    let desk = Desk::new();
    refused(&desk, run(&desk, &["-C", "no/such"]), 69, "does not exist");
    let file = desk.write("file", "");
    refused(&desk, run(&desk, &["-C", file.to_str().unwrap()]), 69, "is not a folder");
    refused(&desk, run(&desk, &["-C", "."]), 69, "is not in a git repository");
}

#[test]
fn a_base_that_the_project_does_not_have_is_refused_unless_a_task_before_may_make_it() {
    let (desk, repository) = (Desk::new(), Repository::new());
    let root = repository.root();
    let arguments = ["-C", root.to_str().unwrap(), "--base", "no-such"];
    refused(&desk, run(&desk, &arguments), 69, "no-such");
    let text = "tasks:\n- {name: a, agent: scripted, project: P, instructions: '- write: {path: x, text: x}'}\n\
        - {name: b, agent: scripted, project: P, base: callbox/t1-a, after: [a], instructions: '- print: x'}\n";
    desk.write("home/two.yaml", &text.replace('P', root.to_str().unwrap()));
    desk.callbox(["run", "two.yaml"]).end().expect(0).says("t2 completed");
}

#[test]
fn a_bare_repository_and_one_without_a_commit_are_refused() {
    let desk = Desk::new();
    let unborn = Repository::unborn("main");
    refused(&desk, run(&desk, &["-C", unborn.root().to_str().unwrap()]), 69, "has no commit yet");
    let repository = Repository::new();
    let bare = repository.beside("bare.git");
    repository.git(["clone", "-q", "--bare", ".", bare.to_str().unwrap()]);
    refused(&desk, run(&desk, &["-C", bare.to_str().unwrap()]), 69, "is a bare repository");
}

#[test]
fn the_project_around_the_working_directory_must_be_usable_too() {
    let desk = Desk::new();
    let unborn = Repository::unborn("main");
    let ended = desk.callbox(["run", "-p", STEPS, "--agent", "scripted"]).within(unborn.root()).end();
    refused(&desk, ended, 69, "has no commit yet");
}

#[test]
fn an_unreadable_project_is_an_error_and_nothing_else() {
    let desk = Desk::new();
    let repository = Repository::new();
    let root = repository.root();
    fs::set_permissions(&root, fs::Permissions::from_mode(0o000)).unwrap();
    let call = desk.callbox(["run", "-p", STEPS, "--agent", "scripted", "-C", root.to_str().unwrap()]);
    let ended = call.without_privileges().map(Call::end);
    fs::set_permissions(&root, fs::Permissions::from_mode(0o700)).unwrap();
    if let Some(ended) = ended {
        refused(&desk, ended, 69, "cannot be read");
    }
}

#[test]
fn a_broken_project_is_an_error_and_nothing_else() {
    let desk = Desk::new();
    let repository = Repository::new();
    fs::write(repository.root().join(".git/HEAD"), "nonsense").unwrap();
    refused(
        &desk,
        run(&desk, &["-C", repository.root().to_str().unwrap()]),
        69,
        "is not in a git repository",
    );
}

#[test]
fn a_variable_that_is_missing_is_named() {
    let desk = Desk::new();
    refused(&desk, run(&desk, &["--no-project", "--env", "NO_SUCH"]), 2, "`NO_SUCH`");
}

#[test]
fn a_wrong_flag_is_named_as_it_was_typed() {
    let desk = Desk::new();
    run(&desk, &["--permissions", "all"]).expect(2).says("error: `--permissions` must be");
    run(&desk, &["--timeout", "90"]).expect(2).says("error: `--timeout`");
    run(&desk, &["--env", "A-B"]).expect(2).says("error: `--env`");
    assert!(!desk.has_database());
}

#[test]
fn hostile_words_on_the_command_line_come_back_harmless() {
    let desk = Desk::new();
    let ended = desk.callbox(["run", "-p", "x", "--agent", "\u{1b}[2J\u{202e}"]).end().expect(2);
    assert!(!ended.stderr.contains(['\u{1b}', '\u{202e}']), "{ended}");
}

#[test]
fn an_act_whose_answer_did_not_come_is_said_to_be_done_perhaps() {
    let desk = Desk::new();
    let store = desk.callbox(["serve"]).variable("CALLBOX_FAULT", "store:submit_recorded").start();
    wait_for_store(&desk, store.pid());
    let submit = ["submit", "--agent", "scripted", "--no-project", "--hold", "-p", "- summary: x"];
    let _ = desk.callbox(submit).end().expect(69).says("may have been done all the same: `callbox ls`");
    drop(store.end());
    assert_eq!(desk.standing("t1"), "pending");
}
