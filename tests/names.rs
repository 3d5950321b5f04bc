//! Names of tasks, branches and folders as people and file systems really have them.

use std::fs;

use crate::support::{cli::Desk, repository::Repository};

const WORK: &str = "- write: {path: done.txt, text: done}\n- commit: do it\n- summary: did it";

/// What a terminal obeys must not come through.
#[track_caller]
fn harmless(text: &str) {
    let obeyed = |letter: char| letter.is_control() && letter != '\n' || letter == '\u{202e}';
    assert!(!text.contains(obeyed), "{text:?}");
}

#[test]
fn a_task_may_be_called_anything_and_delivers_on_a_branch_of_its_own() {
    let (desk, project) = (Desk::new(), Repository::new());
    let names = [
        "feature/slash",
        "../../etc/passwd",
        "two  words",
        "--detach",
        "日本語",
        "'; touch ran; '",
        "@{-1}",
        "HEAD",
        "x.lock",
        "..",
        "~",
        "\u{202e}evil",
    ];
    for name in ["\u{1b}[31mred\u{1b}[0m", "two\nlines", "", " "] {
        let flag = format!("--name={name}");
        let ended = desk.callbox(["run", "-p", WORK, "--agent", "scripted", &flag]).end().expect(2);
        harmless(&ended.says("error: `--name` ").stderr);
        assert!(!desk.has_database());
    }
    for (place, name) in names.into_iter().enumerate() {
        let number = place + 1;
        let flag = format!("--name={name}");
        let run = ["run", "-p", WORK, "--agent", "scripted", &flag, "--json"];
        let ended = desk.callbox(run).within(project.root()).end().expect(0);
        let report = ended.json();
        let branch = report["delivery"]["branch"].as_str().unwrap();
        assert!(branch.starts_with(&format!("callbox/t{number}-")), "{name:?}: {branch}");
        assert_eq!(project.git(["show", &format!("{branch}:done.txt")]), "done", "{name:?}");
        harmless(&ended.stderr);
        let task = format!("t{number}");
        for words in [vec!["show", &task], vec!["ls"], vec!["why", &task], vec!["logs", &task]] {
            harmless(&desk.callbox(words).end().expect(0).stdout);
        }
    }
    assert!(!project.root().join("ran").exists() && !desk.path("home/ran").exists());
}

#[test]
fn folders_and_branches_may_be_called_anything() {
    for name in [
        "with blanks",
        "it's \"quoted\"",
        "$(touch ran);`id`",
        "line\nbreak",
        "\u{1b}]0;x\u{7}",
        "-dash",
        "ünï\u{202e}",
    ] {
        let (desk, repository) = (Desk::new(), Repository::new());
        let project = repository.beside(name);
        fs::rename(repository.root(), &project).unwrap();
        let git = |arguments: &[&str]| crate::support::repository::git(&project, arguments);
        git(&["checkout", "-q", "-b", "feature/déep/er"]);
        git(&["commit", "-q", "--allow-empty", "-m", "on the branch"]);
        git(&["checkout", "-q", "main"]);
        let state = desk.path("states").join(name);
        let (project, state) = (project.to_str().unwrap().to_owned(), state.to_str().unwrap().to_owned());
        let run = [
            "run",
            "-p",
            WORK,
            "--agent",
            "scripted",
            "--name",
            "work",
            "--base",
            "feature/déep/er",
            "-C",
            &project,
            "--state",
            &state,
        ];
        let ended = desk.callbox(run).end().expect(0);
        harmless(&ended.stderr);
        harmless(&ended.stdout);
        assert_eq!(git(&["show", "callbox/t1-work:done.txt"]), "done", "{name:?}");
        assert_eq!(git(&["log", "-1", "--format=%s", "callbox/t1-work~1"]), "on the branch", "{name:?}");
        assert_eq!(git(&["status", "--porcelain"]), "", "{name:?}");
        let about = |words: &[&str]| desk.callbox([words, &["--state", &state]].concat()).end();
        harmless(&about(&["show", "t1"]).expect(0).stdout);
        let doctor = about(&["doctor"]).expect(0);
        assert!(doctor.stdout.contains("states"), "{doctor}");
        harmless(&doctor.stdout);
        let nowhere = ["run", "-p", WORK, "--agent", "scripted", "-C", &format!("{project}/none")];
        harmless(&about(&nowhere).expect(69).says("does not exist").stderr);
        let diff = about(&["diff", "t1"]).expect(0);
        assert!(diff.stdout.contains("+done"), "{name:?}: {diff}");
        assert!(!desk.path("home/ran").exists());
    }
}
