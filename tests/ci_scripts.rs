//! The scripts of CI jobs, as the action and the examples of the reference run them.

use std::{
    fs,
    os::unix::fs::PermissionsExt as _,
    path::{Path, PathBuf},
    process::{Command, Output},
};

use serde_json::Value;

use crate::support::{
    cli::{CALLBOX, Desk},
    repository::Repository,
    sources::root,
};

const KEY: &str = "a key of both jobs, long enough";

/// A runner: a desk on whose PATH `callbox` and what shells need are.
fn runner() -> Desk {
    let desk = Desk::new();
    for program in ["mkdir", "mktemp", "rm", "chmod", "dirname", "tr", "sed", "grep", "ls"] {
        desk.offer(program);
    }
    std::os::unix::fs::symlink(CALLBOX, desk.path("bin/callbox")).unwrap();
    desk
}

/// A program of this name on the runner's PATH, a shell script.
fn program(desk: &Desk, name: &str, text: &str) {
    let path = desk.write(&format!("bin/{name}"), text);
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
}

fn script(desk: &Desk, name: &str, arguments: &[&str], variables: &[(&str, &str)]) -> Output {
    let mut command = Command::new(root().join("scripts/ci").join(name));
    command.args(arguments).env_clear().current_dir(desk.path("home")).env("PATH", desk.path("bin"));
    command.env("TMPDIR", desk.path("tmp")).env("CALLBOX_ARCHIVE_KEY", KEY);
    command.envs(variables.iter().copied()).output().unwrap()
}

fn said(output: &Output) -> String {
    format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr))
}

/// What `command` makes of a comment: the question and the answer, or the exit status with its reason.
fn commanded(desk: &Desk, body: &str, more: &[(&str, &str)]) -> Result<(String, String), (i32, String)> {
    let answer = desk.path("tmp/answer");
    let _ = fs::remove_file(&answer);
    let plain = [
        ("COMMENT_BODY", body),
        ("COMMENT_CREATED", "2026-12-01T00:00:00Z"),
        ("COMMENT_UPDATED", "2026-12-01T00:00:00Z"),
        ("COMMENT_PERMISSION", "write"),
        ("CALLBOX_ANSWER", answer.to_str().unwrap()),
    ];
    let output = script(desk, "command", &[], &[&plain[..], more].concat());
    if output.status.success() {
        let question = String::from_utf8_lossy(&output.stdout).trim_end().to_owned();
        return Ok((question, fs::read_to_string(answer).unwrap()));
    }
    assert!(!answer.exists(), "what does not count leaves no answer");
    Err((output.status.code().unwrap(), said(&output)))
}

#[test]
fn an_answer_is_taken_from_a_comment_as_data() {
    let desk = runner();
    for (body, question, answer) in [
        ("/callbox answer q7 Keep the old behaviour.", "q7", "Keep the old behaviour.\n"),
        ("/callbox answer q12   two\r\nlines", "q12", "two\nlines\n"),
        ("/callbox answer q1\nbelow", "q1", "\nbelow\n"),
        ("/callbox answer  q1\tblue", "q1", "blue\n"),
        (
            "/callbox answer q1 $(touch sprung) `touch sprung` \"; touch sprung",
            "q1",
            "$(touch sprung) `touch sprung` \"; touch sprung\n",
        ),
        ("/callbox answer q1 --run -n \\n %s", "q1", "--run -n \\n %s\n"),
    ] {
        assert_eq!(commanded(&desk, body, &[]), Ok((question.to_owned(), answer.to_owned())), "{body}");
    }
    assert!(!desk.path("home/sprung").exists());
}

#[test]
fn a_comment_that_may_not_answer_is_refused_and_any_other_is_none_of_callboxs() {
    let desk = runner();
    for body in [
        "",
        "Nice.",
        "see\n/callbox answer q1 x",
        "/callbox",
        "> /callbox answer q1 x",
        "/callbox answerq1 x",
    ] {
        assert_eq!(commanded(&desk, body, &[]).unwrap_err().0, 3, "{body}");
    }
    for body in [
        "/callbox answer q1",
        "/callbox answer q1  \n ",
        "/callbox answer 7 x",
        "/callbox answer q x",
        "/callbox answer q0 x",
        "/callbox answer q1;ls x",
        "/callbox answer q-1 x",
        "/callbox answer q1234567890 x",
        "/callbox answer --run x",
    ] {
        let (status, reason) = commanded(&desk, body, &[]).unwrap_err();
        assert!(status == 1 && reason.contains("refused"), "{body}: {reason}");
    }
    let body = "/callbox answer q1 yes";
    for (variable, words) in [
        (("COMMENT_UPDATED", "2026-12-01T00:00:01Z"), "was edited"),
        (("COMMENT_UPDATED", ""), "was edited"),
        (("COMMENT_PERMISSION", "read"), "write access"),
        (("COMMENT_PERMISSION", "triage"), "write access"),
        (("COMMENT_PERMISSION", ""), "write access"),
    ] {
        let (status, reason) = commanded(&desk, body, &[variable]).unwrap_err();
        assert!(status == 1 && reason.contains(words), "{variable:?}: {reason}");
    }
}

#[test]
fn a_fork_and_a_checkout_that_keeps_a_token_are_refused() {
    let (desk, project) = (runner(), Repository::new());
    let guard = |more: &[(&str, &str)]| {
        let root = project.root().display().to_string();
        let plain =
            [("CALLBOX_PROJECT", root.as_str()), ("CALLBOX_REPOSITORY", "ada/site"), ("HOME", root.as_str())];
        let output = script(&desk, "guard", &[], &[&plain[..], more].concat());
        (output.status.success(), said(&output))
    };
    assert_eq!(guard(&[]), (true, String::new()));
    assert_eq!(guard(&[("CALLBOX_HEAD_REPOSITORY", "ada/site")]), (true, String::new()));
    for head in ["eve/site", "null"] {
        let (passed, reason) = guard(&[("CALLBOX_HEAD_REPOSITORY", head)]);
        assert!(!passed && reason.contains("a fork"), "{reason}");
    }
    let beside = project.beside("token.config");
    fs::write(&beside, "[http \"https://example.com/\"]\n\textraheader = AUTHORIZATION: basic x\n").unwrap();
    fs::copy(&beside, project.root().join(".git/relative")).unwrap();
    for (key, value, words) in [
        ("http.https://example.com/.extraheader", "AUTHORIZATION: basic x", "persist-credentials"),
        ("credential.helper", "store", "credential helper"),
        ("include.path", beside.to_str().unwrap(), "persist-credentials"),
        ("includeIf.gitdir:/x/.path", beside.to_str().unwrap(), "persist-credentials"),
        ("include.path", "relative", "persist-credentials"),
        ("remote.origin.url", "https://ada:token@example.com/site", "a password in an address"),
        ("remote.origin.url", "https://token@example.com/site", "a password in an address"),
        ("url.https://x:token@example.com/.insteadOf", "https://example.com/", "a password in an address"),
    ] {
        project.git(["config", key, value]);
        let (passed, reason) = guard(&[]);
        assert!(!passed && reason.contains(words), "{key}: {reason}");
        project.git(["config", "--unset", key]);
    }
    assert_eq!(guard(&[]), (true, String::new()));
}

fn read(out: &Path, name: &str) -> String {
    fs::read_to_string(out.join(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
}

const ASKS: &str =
    "- ask: {question: Which colour?}\n- write: {path: colour.txt, text: '{answer}'}\n- summary: done";

#[test]
fn a_job_that_asks_leaves_an_archive_with_which_a_later_one_goes_on() {
    let (first, project) = (runner(), Repository::new());
    let (root, out) = (project.root().display().to_string(), first.path("out").display().to_string());
    let variables = [("CALLBOX_PROJECT", root.as_str()), ("CALLBOX_OUT", out.as_str())];
    let task = ["run", "--agent", "scripted", "--name", "job", "-p", ASKS];
    let asked = script(&first, "job", &task, &variables);
    assert_eq!(asked.status.code(), Some(3), "{}", said(&asked));
    let out = PathBuf::from(out);
    assert_eq!(read(&out, "status"), "3\n");
    assert!(read(&out, "summary.md").contains("**t1** asks, as q1"));
    assert!(
        read(&out, "junit.xml").contains("<error ") && read(&out, "events.jsonl").contains("\"question\"")
    );
    let archive = fs::read(out.join("tasks.archive")).unwrap();
    assert!(archive.starts_with(b"age-encryption.org/v1"), "it is encrypted unless that is not wanted");
    assert_eq!(fs::read_dir(first.path("tmp")).unwrap().count(), 0, "the state of the job is gone");

    let second = runner();
    let archive = second.path("tasks.archive");
    fs::copy(out.join("tasks.archive"), &archive).unwrap();
    drop(first);
    let answer = second.write("answer", "blue\n").display().to_string();
    let out = second.path("out").display().to_string();
    let variables = [
        ("CALLBOX_PROJECT", root.as_str()),
        ("CALLBOX_OUT", out.as_str()),
        ("CALLBOX_ARCHIVE", archive.to_str().unwrap()),
    ];
    let wrong = script(&second, "job", &["answer", "q9", &answer], &variables);
    assert!(!wrong.status.success() && Path::new(&out).join("tasks.archive").exists(), "{}", said(&wrong));
    let went_on = script(&second, "job", &["answer", "q1", &answer], &variables);
    assert_eq!(went_on.status.code(), Some(0), "{}", said(&went_on));
    let result: Value = serde_json::from_str(&read(Path::new(&out), "result.json")).unwrap();
    assert_eq!(result["delivery"]["branch"], "callbox/t1-job", "{result}");
    assert_eq!(project.git(["show", "callbox/t1-job:colour.txt"]).trim(), "blue");
    assert!(read(Path::new(&out), "body.md").contains("Answer:\n\n```text\nblue\n```"));
    assert!(!Path::new(&out).join("tasks.archive").exists(), "nothing waits any more");
}

/// Answers as GitHub's own program does for the requests of the scripts.
const GH: &str = "#!/bin/sh\ncase \"$2 $4\" in\n*/comments/5\\ .body) cat \"$TMPDIR/body\" ;;\n*/comments/5\\ .created_at|*/comments/5\\ .updated_at) echo now ;;\n\
    */comments/5\\ .user.login) echo ada ;;\n*/collaborators/ada/permission\\ .permission) echo \"${MAY:-write}\" ;;\n*/pulls/8\\ .head.repo.full_name) echo \"${HEAD:-ada/site}\" ;;\n*) exit 1 ;;\nesac\n";

#[test]
fn on_github_a_question_is_no_failed_workflow_and_the_comment_is_read_anew() {
    let (desk, project) = (runner(), Repository::new());
    program(&desk, "gh", GH);
    let (root, output) = (project.root().display().to_string(), desk.path("output").display().to_string());
    let plain = [
        ("CALLBOX_PROJECT", root.as_str()),
        ("GITHUB_OUTPUT", output.as_str()),
        ("REPOSITORY", "ada/site"),
        ("COMMENT", "5"),
        ("PULL_REQUEST", "8"),
    ];
    let arguments = "--agent\nscripted\n--name\ntwo words\n";
    let task = [("CALLBOX_PROMPT", ASKS), ("CALLBOX_ARGUMENTS", arguments)];
    let asked = script(&desk, "github-job", &[], &[&plain[..], &task].concat());
    assert!(asked.status.success(), "{}", said(&asked));
    assert_eq!(fs::read_to_string(&output).unwrap(), "status=3\nasked=yes\n");

    desk.write("tmp/body", "/callbox answer q1 red");
    for more in [[("MAY", "read")], [("HEAD", "eve/site")]] {
        let refused = script(&desk, "github-command", &[], &[&plain[..], &more].concat());
        assert!(said(&refused).contains("refused") && !refused.status.success(), "{more:?}");
    }
    fs::write(&output, "").unwrap();
    let taken = script(&desk, "github-command", &[], &plain);
    assert!(taken.status.success(), "{}", said(&taken));
    let outputs = fs::read_to_string(&output).unwrap();
    let (question, answer) = outputs.trim_end().split_once("\nanswer=").unwrap();
    assert_eq!((question, fs::read_to_string(answer).unwrap().as_str()), ("question=q1", "red\n"));

    let archive = desk.path("home/kept.archive");
    fs::rename(desk.path("home/callbox-out/tasks.archive"), &archive).unwrap();
    let more = [
        ("CALLBOX_QUESTION", "q1"),
        ("CALLBOX_ANSWERS", answer),
        ("CALLBOX_ARCHIVE", archive.to_str().unwrap()),
    ];
    let went_on = script(&desk, "github-job", &[], &[&plain[..], &more].concat());
    assert!(went_on.status.success(), "{}", said(&went_on));
    assert_eq!(project.git(["show", "callbox/t1-two-words:colour.txt"]).trim(), "red");
    let failing = [("CALLBOX_PROMPT", "- exit: 3"), ("CALLBOX_ARGUMENTS", arguments)];
    let failed = script(&desk, "github-job", &[], &[&plain[..], &failing].concat());
    assert_eq!(failed.status.code(), Some(1), "{}", said(&failed));
}

#[test]
fn the_action_puts_no_text_of_anybodys_into_a_script() {
    let action = fs::read_to_string(root().join("action.yml")).unwrap();
    let scripts: Vec<&str> = action.lines().filter(|line| line.trim_start().starts_with("run:")).collect();
    assert_eq!(scripts.len(), 3, "{scripts:?}");
    for line in scripts {
        let name = line.split("scripts/ci/").nth(1).unwrap().trim_end_matches(['"', '\'']);
        assert!(!line.contains("${{") && root().join("scripts/ci").join(name).exists(), "{line}");
    }
}

#[test]
fn whatever_else_came_of_a_job_its_open_questions_are_kept() {
    let (desk, project) = (runner(), Repository::new());
    let (root, out) = (project.root().display().to_string(), desk.path("out").display().to_string());
    let variables = [("CALLBOX_PROJECT", root.as_str()), ("CALLBOX_OUT", out.as_str())];
    let tasks = desk.write(
        "two.yaml",
        "tasks:\n- {name: asks, instructions: '- ask: Which?'}\n- {name: fails, instructions: '- exit: 1'}\n",
    );
    let tasks = tasks.display().to_string();
    for line in [
        &["run", "--agent", "scripted", &tasks][..],
        &["run", "--agent", "scripted", "-p", "- ask: Which?", "--on-question", "fail"],
        &["run", "--agent", "scripted", "--no-project", "-p", "- ask: Which?", "--on-question", "fail"],
    ] {
        let job = script(&desk, "job", line, &variables);
        assert_eq!(job.status.code(), Some(1), "{}", said(&job));
        assert!(Path::new(&out).join("tasks.archive").exists(), "{line:?}");
    }
}

#[test]
fn a_job_that_could_keep_nothing_runs_nothing_and_removes_nothing() {
    let (desk, project) = (runner(), Repository::new());
    let (root, out) = (project.root().display().to_string(), desk.path("out").display().to_string());
    let kept = desk.write("out/kept", "kept");
    let answer = desk.write("answer", "blue").display().to_string();
    let task = ["run", "--agent", "scripted", "-p", ASKS];
    let plain = [("CALLBOX_PROJECT", root.as_str()), ("CALLBOX_OUT", out.as_str())];
    let elsewhere = desk.path("elsewhere").display().to_string();
    let archive = desk.write("elsewhere/tasks.archive", "x").display().to_string();
    desk.write("elsewhere/.callbox-out", "");
    for (line, more, words) in [
        (&task[..], &[][..], "holds something that no job left"),
        (&task, &[("CALLBOX_OUT", "two words")], "no blanks"),
        (&task, &[("CALLBOX_OUT", "new"), ("CALLBOX_ARCHIVE_KEY", "short")], "16 characters"),
        (&["neither"], &[("CALLBOX_OUT", "new")], "run or answer"),
        (&["answer", "q1", &answer], &[("CALLBOX_OUT", "new")], "there is no archive"),
        (
            &["answer", "q1", &answer],
            &[("CALLBOX_OUT", elsewhere.as_str()), ("CALLBOX_ARCHIVE", archive.as_str())],
            "move it out first",
        ),
    ] {
        let refused = script(&desk, "job", line, &[&plain[..], more].concat());
        assert_eq!(refused.status.code(), Some(2), "{line:?} {more:?}: {}", said(&refused));
        assert!(said(&refused).contains(words), "{words}: {}", said(&refused));
    }
    assert!(kept.exists() && Path::new(&archive).exists() && !desk.path("home/new/result.json").exists());
}
