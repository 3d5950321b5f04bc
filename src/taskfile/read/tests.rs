use std::{fs, process::Command};

use proptest::prelude::*;

use super::*;
use crate::{
    taskfile::{AfterName, AgentWish, PartialRetry, PartialSpec},
    vocabulary::{BaseChoice, Deliver, IdleLimit, IsolationChoice, OnRateLimit, Permissions, Priority},
};

fn read_as(name: &str, text: &[u8]) -> Result<Vec<FileTask>, TaskFileError> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(name);
    fs::write(&path, text).unwrap();
    read(&path, &BTreeMap::new())
}

/// What is wrong with `text`, without the file's name.
fn faults_in(name: &str, text: &[u8]) -> Vec<String> {
    match read_as(name, text) {
        Err(TaskFileError::Wrong { faults, .. }) => faults.iter().map(ToString::to_string).collect(),
        other => panic!("{other:?} and no fault"),
    }
}

fn faults(yaml: &str) -> Vec<String> {
    faults_in("t.yaml", yaml.as_bytes())
}

#[test]
fn every_field_is_read() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("task.yaml");
    let text = "\
name: mend
instructions: |
  Mend it.
project: ../code
base: main
agent: scripted
model: big
permissions: read
isolation: none
options: {effort: high, turns: 5}
env: {PORT: 8080, QUIET: yes}
env_names: [API_KEY]
priority: high
tags: [night, '1']
copy: [.env, certs/]
sparse: [apps/shop, libs]
submodules: yes
setup: npm ci
setup_timeout: 5m
timeout: 90s
idle_timeout: 5m
max_cost_usd: 1.5
max_tokens: 100000
retry: {max_attempts: 3, delay: 1m, backoff: 4}
on_rate_limit: fail
deliver: none
review: yes
verify: make test
verify_tries: 0
require_summary: yes
require_changes: yes
resume_after_subtasks: no
after: [t12, 13]
";
    fs::write(&path, text).unwrap();
    let tasks = read(&path, &BTreeMap::new()).unwrap();
    let text = |text: &str| text.to_owned();
    let expected = PartialSpec {
        name: Some(text("mend")),
        instructions: Some(text("Mend it.\n")),
        project: Some(folder.path().join("../code")),
        base: Some(BaseChoice::Revision(text("main"))),
        agent: Some(AgentWish::One(text("scripted"))),
        model: Some(text("big")),
        permissions: Some(Permissions::Read),
        isolation: Some(IsolationChoice::None),
        options: [(text("effort"), text("high")), (text("turns"), text("5"))].into(),
        env: [(text("PORT"), text("8080")), (text("QUIET"), text("yes"))].into(),
        env_names: vec![text("API_KEY")],
        priority: Some(Priority::High),
        tags: vec![text("night"), text("1")],
        copy: vec![".env".into(), "certs".into()],
        sparse: vec!["apps/shop".into(), "libs".into()],
        submodules: Some(true),
        setup: Some(text("npm ci")),
        setup_timeout_seconds: Some(300),
        timeout_seconds: Some(90),
        idle_timeout: Some(IdleLimit::Seconds(300)),
        max_cost_usd: Some(1.5),
        max_tokens: Some(100_000),
        retry: PartialRetry { max_attempts: Some(3), delay_seconds: Some(60), backoff: Some(4) },
        on_rate_limit: Some(OnRateLimit::Fail),
        deliver: Some(Deliver::None),
        review: Some(true),
        verify: Some(text("make test")),
        verify_tries: Some(0),
        require_summary: Some(true),
        require_changes: Some(true),
        resume_after_subtasks: Some(false),
    };
    assert_eq!(tasks[0].spec, expected);
    let numbers = ["t12", "t13"].map(|number| AfterName::Task(number.parse().unwrap()));
    assert_eq!(tasks[0].after, numbers);
}

#[test]
fn a_file_says_only_what_it_says() {
    let tasks = read_as("t.yaml", b"instructions: Mend it.").unwrap();
    let instructions = Some("Mend it.".to_owned());
    assert_eq!(
        tasks,
        [FileTask { spec: PartialSpec { instructions, ..PartialSpec::default() }, after: vec![] }]
    );
}

#[test]
fn every_fault_is_named_with_its_line_and_field() {
    let found = faults(
        "name: [x]\ninstructions: 5\ntiemout: 1s\ntimeout: 90\npermissions: all\nafter: a\nretry: {delay: 1x}\n\
         resume_after_subtasks: 1\nenv: {A-B: c}\nproject: ~/x\nagent: a/b\nmodel:\nbase: -x\nisolation: bwrap {x}\n",
    );
    let begins = [
        "1: `name` must be text, not a list",
        "2: `instructions` must be text, not a number: put it in quotes",
        "3: `tiemout` is not known: did you mean `timeout`?",
        "4: `timeout` needs a unit, as in `90s`",
        "5: `permissions` must be `read` or `edit` or `full`, not `all`",
        "6: `after` must be a list, not text",
        "7: `retry.delay` is wrong: `1x` is not a length",
        "8: `resume_after_subtasks` must be yes or no, not a number",
        "9: `env` holds a name that no variable can have",
        "10: `project` begins with `~`",
        "11: `agent` must be a name",
        "12: `model` must be text, not nothing",
        "13: `base` must be",
        "14: `isolation` holds `{x}`, which is none of `{state}`",
    ];
    assert_eq!(found.len(), begins.len(), "{found:#?}");
    for (fault, begin) in found.iter().zip(begins) {
        assert!(fault.starts_with(begin), "{fault}\nshould begin with\n{begin}");
    }
}

#[test]
fn tasks_of_a_list_are_ordered_and_start_from_their_predecessors() {
    let tasks = read_as(
        "t.yaml",
        b"tasks:\n- name: b\n  after: [a]\n  instructions: B\n- name: a\n  instructions: A\n- after: [b]\n  base: head\n  instructions: C\n",
    )
    .unwrap();
    let names: Vec<_> = tasks.iter().map(|task| task.spec.instructions.as_deref().unwrap()).collect();
    assert_eq!(names, ["A", "B", "C"]);
    assert_eq!(tasks[1].after, [AfterName::Place(0)]);
    assert_eq!(tasks[1].spec.base, Some(BaseChoice::After));
    assert_eq!(tasks[2].spec.base, Some(BaseChoice::Head));
}

#[test]
fn a_wrong_task_refuses_its_whole_file() {
    let found = faults(
        "agent: x\ntasks:\n- name: a\n  instructions: A\n- name: a\n- 5\n- instructions: B\n  after: [a, a, z]\n  base: after\n- instructions: C\n  base: after\n",
    );
    let begins = [
        "1: `agent` stands beside `tasks`",
        "5: `instructions` is missing",
        "5: `name` `a` is already that of the task on line 3",
        "6: `tasks` must be a map, not a number",
        "8: `after` names `a` twice",
        "8: `after` names `z`, which is no task of this file",
        "11: `base` is `after`, but the task has no `after`",
    ];
    assert_eq!(found.len(), begins.len(), "{found:#?}");
    for (fault, begin) in found.iter().zip(begins) {
        assert!(fault.starts_with(begin), "{fault}\nshould begin with\n{begin}");
    }
}

#[test]
fn markdown_is_a_task_whose_body_is_the_instructions() {
    let tasks = read_as("t.md", b"---\r\nagent: scripted\r\n---\r\n\r\n# Mend\r\n\r\nit.\r\n").unwrap();
    assert_eq!(tasks[0].spec.agent.as_ref().and_then(AgentWish::one), Some("scripted"));
    assert_eq!(tasks[0].spec.instructions.as_deref(), Some("# Mend\r\n\r\nit."));
    assert_eq!(read_as("t.md", b"Mend it.\n").unwrap()[0].spec.agent, None);
}

#[test]
fn wrong_markdown_is_refused_with_the_lines_of_the_file() {
    for (text, fault) in [
        ("---\nagent: x\n", "1: the front matter has no end"),
        ("---\nagent: x\ncolour: y\n---\nz", "3: `colour` is not known"),
        ("---\n- x\n---\nz", "2: the front matter must be"),
        ("---\n\ninstructions: x\n---\nz", "3: `instructions` stands in the front matter"),
        ("---\ntasks: []\n---\nz", "2: `tasks` can't stand in front matter"),
        ("---\nagent: x\n---\n\n", "4: `instructions` is empty"),
        ("---\nagent: x\n---\n\na\0b", "5: a NUL character"),
        ("---\na: [\n---\nz", "this is not YAML"),
    ] {
        let found = faults_in("t.md", text.as_bytes());
        assert!(found[0].contains(fault), "{found:?}\nshould contain\n{fault}");
    }
}

#[test]
fn places_are_filled_only_in_instructions_and_none_is_left_over() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("t.yaml");
    fs::write(&path, "name: '{{a}}'\ninstructions: do {{a}}\n").unwrap();
    let vars =
        |pairs: &[(&str, &str)]| pairs.iter().map(|(k, v)| ((*k).to_owned(), (*v).to_owned())).collect();
    let task = &read(&path, &vars(&[("a", "it")])).unwrap()[0];
    assert_eq!(task.spec.name.as_deref(), Some("{{a}}"));
    assert_eq!(task.spec.instructions.as_deref(), Some("do it"));
    let error = read(&path, &vars(&[("b", "x")])).unwrap_err().to_string();
    assert!(error.contains("t.yaml:2: `instructions` has the place `{{a}}`"), "{error}");
    assert!(error.contains("t.yaml:1: `--var b` is of no use"), "{error}");
}

#[test]
fn what_is_no_text_file_is_refused() {
    assert!(faults_in("t.yaml", b"a: 1\nb: \xff\n")[0].starts_with("2: this is not UTF-8"));
    assert!(faults_in("t.yaml", &vec![b'#'; (1 << 20) + 1])[0].contains("larger than 1048576 bytes"));
    assert!(faults_in("t.txt", b"x")[0].contains("must end in .yaml"));
    assert!(faults_in("t.yaml", b"- a\n")[0].contains("not a list"));
    assert!(faults_in("t.yaml", b"")[0].contains("not nothing"));
    assert!(faults_in("t.yaml", b"tasks: []")[0].contains("is empty"));
    let many = format!("tasks:\n{}", "- instructions: x\n".repeat(1001));
    assert!(faults(&many)[0].contains("at most 1000"));
}

#[test]
fn what_is_no_regular_file_is_refused_without_waiting_for_it() {
    let folder = tempfile::tempdir().unwrap();
    let pipe = folder.path().join("pipe.yaml");
    assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    for path in [pipe.as_path(), folder.path(), &folder.path().join("gone.yaml")] {
        let error = read(path, &BTreeMap::new()).unwrap_err();
        assert!(matches!(error, TaskFileError::Unreadable { .. }), "{error:?}");
    }
}

proptest! {
    #[test]
    fn any_bytes_are_read_or_refused(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
        let _ = read_as("t.yaml", &bytes);
        let _ = read_as("t.md", &bytes);
    }

    #[test]
    fn any_map_of_known_names_is_read_or_refused(
        pairs in proptest::collection::vec((
            proptest::sample::select(crate::taskfile::field_names().chain(["after", "tasks", "max_tokens"]).collect::<Vec<_>>()),
            "[-a-z0-9{}\\[\\]:,'~. ]{0,20}",
        ), 0..8)
    ) {
        let lines: Vec<String> = pairs.iter().map(|(name, value)| format!("{name}: {value}")).collect();
        let text = lines.join("\n");
        if let Err(error) = read_as("t.yaml", text.as_bytes()) {
            prop_assert!(error.to_string().lines().all(|line| line.contains("t.yaml:")), "{}", error);
        }
    }
}
