//! Whole runs through the program: what is printed, how it ends, what is left in the project.

use std::fs;

use crate::support::{
    cli::{Desk, Ended},
    repository::Repository,
};

/// Runs steps of the scripted agent in `repository`.
fn run(desk: &Desk, repository: &Repository, steps: &str) -> Ended {
    desk.callbox(["run", "-p", steps, "--agent", "scripted", "--name", "greet"])
        .within(repository.root())
        .end()
}

const WORK: &str =
    "- write: {path: hello.txt, text: hello}\n- commit: say hello\n- summary: {summary: said hello}";
const ASKS: &str = "- ask: {question: Which language?, options: [Latin, Greek]}\n\
    - write: {path: hello.txt, text: \"in {answer}\"}\n- commit: say hello\n- summary: {summary: done}";

#[test]
fn a_run_prints_its_result_and_leaves_a_branch_and_nothing_else() {
    let (desk, repository) = (Desk::new(), Repository::new());
    let before = (repository.git(["rev-parse", "HEAD"]), repository.git(["status", "--porcelain"]));
    let ended = run(&desk, &repository, WORK).expect(0).says("t1 summary: said hello");
    for line in ["t1 greet: completed", "  said hello", "callbox/t1-greet (1 commit, 1 file, +1 −0)"] {
        assert!(ended.stdout.contains(line), "no {line:?} in\n{ended}");
    }
    assert_eq!(repository.git(["show", "callbox/t1-greet:hello.txt"]), "hello");
    let log = desk.callbox(["logs", "t1"]).end().expect(0);
    assert!(log.stdout.contains("[report_summary: said hello]"), "{log}");
    let after = (repository.git(["rev-parse", "HEAD"]), repository.git(["status", "--porcelain"]));
    assert_eq!(after, before);
    let diff = desk.callbox(["diff", "t1"]).end().expect(0);
    assert!(diff.stdout.contains("+hello\n"), "{diff}");
    let transcript = desk.callbox(["logs", "t1"]).end().expect(0);
    assert!(transcript.stdout.contains("report_summary"), "{transcript}");
}

#[test]
fn a_question_ends_the_run_with_3_and_its_answer_goes_on_with_it() {
    let (desk, repository) = (Desk::new(), Repository::new());
    let ended = run(&desk, &repository, ASKS).expect(3);
    for words in ["q1, asked by t1:", "  Which language?", "callbox answer q1 --option N --run"] {
        assert!(ended.stdout.contains(words), "no {words:?} in\n{ended}");
    }
    let inbox = desk.callbox(["questions"]).end().expect(0);
    assert!(inbox.stdout.contains("never answer with a secret: answers are stored"), "{inbox}");
    let why = desk.callbox(["why", "t1"]).end().expect(0);
    assert!(why.stdout.contains("waits for an answer to q1"), "{why}");
    let choice = desk.callbox(["answer", "q1", "--option", "3"]).end().expect(2);
    let _ = choice.says("no option 3").says("hint: choose one from 1 to 2");
    let resumed = desk.callbox(["answer", "t1", "--option", "2", "--run"]).end().expect(0);
    assert!(resumed.stdout.contains("t1 greet: completed"), "{resumed}");
    assert_eq!(repository.git(["show", "callbox/t1-greet:hello.txt"]), "in Greek");
    desk.callbox(["answer", "q1", "Latin"]).end().expect(1).says("error: ").says("hint: ");
    desk.callbox(["answer", "t1", "Latin"]).end().expect(1).says("`t1` has no open question");
}

#[test]
fn where_there_is_no_project_the_result_says_where_the_work_is() {
    let desk = Desk::new();
    let steps = "- write: {path: out.txt, text: x}";
    let ended = desk.callbox(["run", "-p", steps, "--agent", "scripted", "--no-project"]).end().expect(0);
    let sandbox = desk.state().join("sandboxes/1/1");
    assert!(ended.stdout.contains(&*sandbox.to_string_lossy()), "{ended}");
    assert!(!ended.stdout.contains("callbox diff"), "{ended}");
    assert!(sandbox.join("out.txt").exists());
}

#[test]
fn a_number_that_leads_nowhere_comes_with_what_leads_somewhere() {
    let (desk, repository) = (Desk::new(), Repository::new());
    let _ = run(&desk, &repository, "- ask: Which?").expect(3);
    let choice = desk.callbox(["answer", "q1", "--option", "1"]).end().expect(2);
    let _ = choice.says("question `q1` has no options").says("hint: give a text: `callbox answer q1 TEXT`");
    let log = desk.callbox(["logs", "x99"]).end().expect(1).says("there is no `x99`");
    let _ = log.says("`callbox show ID` the executions of one");
    let task = desk.callbox(["logs", "t99"]).end().expect(1).says("hint: `callbox ls` lists the tasks\n");
    assert!(!task.stderr.contains("executions"), "{task}");
}

#[test]
fn an_answer_comes_from_stdin_and_a_later_run_takes_it_up() {
    let (desk, repository) = (Desk::new(), Repository::new());
    let _ = run(&desk, &repository, ASKS).expect(3);
    let answered = desk.callbox(["answer", "q1", "-"]).stdin("- Old Norse\n").end().expect(0);
    let _ = answered.says("t1 waits because no store is running it; `callbox resume t1 --run`");
    desk.callbox(["run", "--queued"]).end().expect(0).says("t1 completed");
    assert_eq!(repository.git(["show", "callbox/t1-greet:hello.txt"]), "in - Old Norse");
    desk.callbox(["run", "--queued"]).end().expect(0).says("nothing waits to be run");
}

#[test]
fn json_is_one_object_for_one_task_and_an_array_for_several() {
    let (desk, repository) = (Desk::new(), Repository::new());
    let root = repository.root();
    let one =
        desk.callbox(["run", "--json", "-p", WORK, "--agent", "scripted"]).within(&root).end().expect(0);
    let report = one.json();
    assert_eq!((&report["schema"], &report["task"]["state"]), (&1.into(), &"completed".into()));
    assert_eq!(report["delivery"]["commits"], 1);
    assert!(report.get("signals").is_none() && report["error"].is_null(), "{report}");
    let text = "tasks:\n- {name: a, agent: scripted, instructions: '- print: one'}\n\
        - {name: b, agent: scripted, instructions: '- exit: 1', after: [a]}\n";
    desk.write("home/two.yaml", text);
    let two = desk.callbox(["run", "--json", "two.yaml"]).end().expect(1).json();
    let states: Vec<_> =
        two.as_array().unwrap().iter().map(|report| report["task"]["state"].clone()).collect();
    assert_eq!(states, ["completed", "failed"]);
    let shown = desk.callbox(["show", "--json", "t1"]).end().expect(0).json();
    assert_eq!(shown["signals"][0]["tool"], "report_summary");
    assert_eq!(shown["executions"].as_array().unwrap().len(), 1);
    let lines = desk.callbox(["ls", "--json", "--in", "failed"]).end().expect(0).json();
    assert_eq!((lines.as_array().unwrap().len(), &lines[0]["number"]), (1, &"t3".into()));
}

#[test]
fn a_failing_agent_ends_with_1_and_keeps_its_sandbox() {
    let (desk, repository) = (Desk::new(), Repository::new());
    let steps = "- write: {path: half.txt, text: half}\n- exit: 7";
    let ended = run(&desk, &repository, steps).expect(1);
    let sandbox = desk.state().join("sandboxes/1/1");
    assert!(ended.stdout.contains(&sandbox.display().to_string()), "{ended}");
    assert_eq!(fs::read_to_string(sandbox.join("half.txt")).unwrap(), "half");
    let diff = desk.callbox(["diff", "t1"]).end().expect(0);
    assert!(diff.stdout.contains("+half"), "{diff}");
    assert_eq!(repository.git(["branch", "--list", "callbox/*"]), "");
}

#[test]
fn what_a_rate_limited_run_may_not_wait_for_ends_it_with_6() {
    let (desk, repository) = (Desk::new(), Repository::new());
    let steps = "- rate_limit: {reset: 1h}";
    desk.callbox(["run", "-p", steps, "--agent", "scripted", "--max-wait", "1s"])
        .within(repository.root())
        .end()
        .expect(6)
        .says("longer than `--max-wait` (1 s)");
}

#[test]
fn projects_with_odd_names_and_of_every_valid_kind_work() {
    let desk = Desk::new();
    let repository = Repository::new();
    let linked = repository.beside("a b/it's \u{1b}[2J a – \u{202e}tree");
    fs::create_dir_all(linked.parent().unwrap()).unwrap();
    repository.git(["worktree", "add", "-q", "--detach", linked.to_str().unwrap()]);
    let ended = desk.callbox(["run", "-p", WORK, "--agent", "scripted"]).within(&linked).end().expect(0);
    assert!(!ended.stdout.contains(['\u{1b}', '\u{202e}']), "{ended}");
    let shallow = repository.beside("shallow");
    repository.commit("another");
    let url = format!("file://{}", repository.root().display());
    repository.git(["clone", "-q", "--depth", "1", &url, shallow.to_str().unwrap()]);
    let arguments = ["run", "-p", WORK, "--agent", "scripted", "--name", "of a/b: c", "-C"];
    let of_shallow = desk.callbox(arguments.into_iter().chain([shallow.to_str().unwrap()])).end().expect(0);
    assert!(of_shallow.stdout.contains("callbox/t2-of-a-b-c"), "{of_shallow}");
}

#[test]
fn what_a_clone_lacks_is_said_before_the_run() {
    let (desk, repository) = (Desk::new(), Repository::new());
    repository.write("new", "x");
    run(&desk, &repository, WORK).expect(0).says("1 changed file is not included");
}

#[test]
fn a_hostile_agent_moves_no_terminal() {
    let (desk, repository) = (Desk::new(), Repository::new());
    let evil = r#""\e]52;c;ZQ==\a\e[2J\x9b2J\u202e""#;
    let steps = format!("- print: {evil}\n- progress: {{message: {evil}}}\n- ask: {{question: {evil}}}");
    let ended = run(&desk, &repository, &steps).expect(3);
    let all = [&["logs", "t1"][..], &["show", "t1"], &["questions"], &["show", "t1", "--json"], &["ls"]];
    for said in all.iter().map(|line| desk.callbox(*line).end().expect(0)).chain([ended]) {
        let hostile =
            |letter: char| letter.is_control() && letter != '\n' && letter != '\t' || letter == '\u{202e}';
        assert!(!said.stdout.contains(hostile) && !said.stderr.contains(hostile), "{said:?}");
    }
}

#[test]
fn a_task_that_waited_for_what_was_run_is_said_to_be_able_to_run() {
    let desk = Desk::new();
    let scripted = ["--agent", "scripted", "--no-project", "-p"];
    let asks = ["run"].iter().chain(&scripted).chain(&["- ask: which?\n- summary: x"]);
    desk.callbox(asks).end().expect(3);
    let after = ["submit", "--after", "t1"].iter().chain(&scripted).chain(&["- print: y"]);
    desk.callbox(after).end().expect(0);
    let ended = desk.callbox(["answer", "t1", "this", "--run"]).end().expect(0);
    let _ = ended.says("t2 waited for this and can run now: `callbox run --queued`");
    let last = desk.callbox(["run", "--queued"]).end().expect(0);
    assert!(!last.stderr.contains("can run now"), "it has run: {last}");
    assert_eq!(desk.standing("t2"), "completed");
}
