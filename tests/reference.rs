//! REFERENCE.md says what the code does: every name in the code stands in its table, and nothing else.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::Path,
};

use callbox::{
    agents::Catalogue,
    cli::EXIT_STATUSES,
    foreseen,
    protocol::error::ErrorCode,
    scripted,
    settings::{self, KnownAgents},
    taskfile::{self, AgentWish, PartialSpec},
    vocabulary::{FAULT_CODES, TaskSpec, tools::TOOL_NAMES},
};

use crate::support::{
    cli::Desk,
    reference::{Row, examples, fields_of_struct, section, table, words, words_of_enum},
    sources::{code, is_test, root, sources},
};

/// The table below `heading` has one row for each of `wanted` and no other.
#[track_caller]
fn holds<S: AsRef<str>>(heading: &str, wanted: &[S]) -> Vec<Row> {
    let found = table(heading);
    let listed: BTreeSet<&str> = found.iter().map(|row| row.name.as_str()).collect();
    assert_eq!(listed.len(), found.len(), "a row of `{heading}` stands there twice");
    let wanted: BTreeSet<&str> = wanted.iter().map(AsRef::as_ref).collect();
    assert_eq!(listed, wanted, "left: the table of `{heading}`; right: the code");
    found
}

/// The flags that are a command's own: those of tasks have a heading of their own.
fn own_flags(help: &str) -> BTreeSet<String> {
    let own = help.split("\nThe task:").next().unwrap().split("\nWith every command:").next().unwrap();
    let options = own.lines().map(str::trim_start).filter(|line| line.starts_with('-'));
    let names = options.filter_map(|line| line.split([' ', ',']).find(|word| word.starts_with("--")));
    names.filter(|flag| *flag != "--help").map(str::to_owned).collect()
}

#[test]
fn every_command_is_listed_with_its_own_flags() {
    let desk = Desk::new();
    let help = desk.callbox(["--help"]).end().expect(0).stdout;
    let commands = help.split("\nCommands:\n").nth(1).unwrap().split("\n\n").next().unwrap();
    let commands: Vec<&str> = commands.lines().filter_map(|line| line.split_whitespace().next()).collect();
    for row in holds("## Commands", &commands) {
        let help = desk.callbox([row.name.as_str(), "--help"]).end().expect(0).stdout;
        let listed = words(&row.cells[1]).filter(|word| word.starts_with("--"));
        let listed: BTreeSet<String> =
            listed.map(|word| word.split(' ').next().unwrap().to_owned()).collect();
        assert_eq!(listed, own_flags(&help), "left: the row of `{}`; right: its help", row.name);
    }
}

#[test]
fn exit_statuses_are_listed_from_the_worst_to_the_best() {
    let listed: Vec<u8> = table("## Exit statuses").iter().map(|row| row.name.parse().unwrap()).collect();
    assert_eq!(listed, EXIT_STATUSES);
}

#[test]
fn every_field_of_a_task_is_listed_and_set_to_its_default_it_changes_nothing() {
    let retry = taskfile::RETRY_FIELDS.map(|name| format!("retry.{name}"));
    let fields = taskfile::field_names().filter(|field| *field != "retry").map(str::to_owned);
    let fields: Vec<String> = fields.chain(retry).chain(["after".to_owned()]).collect();
    let expected = TaskSpec::new("scripted", "- print: x");
    let mut tried = 0;
    for row in holds("### Fields of a task", &fields) {
        let Some(default) = words(&row.cells[1]).next() else { continue };
        let text = match row.name.strip_prefix("retry.") {
            Some(inner) => {
                format!("agent: scripted\ninstructions: '- print: x'\nretry: {{{inner}: {default}}}\n")
            }
            None => format!("agent: scripted\ninstructions: '- print: x'\n{}: {default}\n", row.name),
        };
        let spec = taskfile::complete(read("t.yaml", &text), &PartialSpec::default()).unwrap();
        assert_eq!(spec, expected, "the default of `{}`", row.name);
        tried += 1;
    }
    assert!(tried >= 10, "no more than {tried} defaults were tried");
}

/// The one task of a file.
fn read(name: &str, text: &str) -> PartialSpec {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(name);
    fs::write(&path, text).unwrap();
    let tasks = taskfile::read(&path, &BTreeMap::new()).unwrap_or_else(|error| panic!("{error}\n{text}"));
    assert_eq!(tasks.len(), 1);
    tasks.into_iter().next().unwrap().spec
}

#[test]
fn the_examples_of_task_files_are_task_files() {
    let yaml = examples("## Task files", "yaml");
    let [one, several] = &yaml[..] else { panic!("{yaml:?}") };
    assert_eq!(read("t.yaml", one).agent.as_ref().and_then(AgentWish::one), Some("claude"));
    let markdown = examples("## Task files", "markdown");
    assert!(read("t.md", &markdown[0]).project.unwrap().ends_with("../site"));
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("t.yaml");
    fs::write(&path, several).unwrap();
    let vars = [("language".to_owned(), "Latin".to_owned())].into();
    assert_eq!(taskfile::read(&path, &vars).unwrap().len(), 2);
}

#[test]
fn the_example_of_foreseen_answers_is_one() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("answers.yaml");
    fs::write(&path, &examples("### Questions without a person", "yaml")[0]).unwrap();
    let foreseen = foreseen::read(&path).unwrap_or_else(|error| panic!("{error}"));
    assert!(foreseen.reply("Keep the old API?").is_some() && foreseen.default_reply().is_some());
}

#[test]
fn every_key_of_the_configuration_is_listed_and_stands_in_the_example() {
    let keys = settings::keys();
    holds("## Configuration", &keys);
    let example = &examples("## Configuration", "toml")[0];
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("config.toml");
    fs::write(&path, example).unwrap();
    let agents = Catalogue::built_in();
    let known = KnownAgents { names: &agents.names(), refusal: &|agent, key| agents.refused_key(agent, key) };
    let read = settings::load(&path, known).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!((read.quotas.max_concurrent, read.caps.depth), (2, 2));
    assert!(read.agents["claude"].setup.program.is_some() && read.defaults.timeout_seconds.is_some());
    for key in &keys {
        let last = key.rsplit('.').next().unwrap();
        let wanted = if last == "\"PATH\"" { "[projects.".to_owned() } else { format!("{last} = ") };
        assert!(example.contains(&wanted), "the example has no `{key}`");
    }
}

#[test]
fn every_key_of_a_repositorys_file_is_listed_and_stands_in_the_example() {
    holds("### `.callbox.toml`", &settings::REPOSITORY_KEYS);
    let example = &examples("### `.callbox.toml`", "toml")[0];
    settings::read_repository(Path::new("x"), example.as_bytes()).unwrap_or_else(|error| panic!("{error}"));
}

#[test]
fn every_variable_of_callboxs_own_is_listed() {
    let mut variables = BTreeSet::new();
    for path in sources(&root().join("src")).iter().filter(|path| !is_test(path)) {
        for rest in code(path).split("CALLBOX_").skip(1) {
            let name: String =
                rest.chars().take_while(|letter| letter.is_ascii_uppercase() || *letter == '_').collect();
            if !name.is_empty() {
                variables.insert(format!("CALLBOX_{name}"));
            }
        }
    }
    holds("### Variables", &variables.into_iter().collect::<Vec<_>>());
}

#[test]
fn every_step_of_the_scripted_agent_is_listed_and_the_example_can_be_played() {
    holds("## The scripted agent", &scripted::STEPS);
    let example = &examples("## The scripted agent", "sh")[0];
    let steps = example.split("-p '").nth(1).unwrap().split('\'').next().unwrap();
    scripted::check(steps).unwrap_or_else(|error| panic!("{error}"));
}

#[test]
fn every_shape_of_the_json_is_listed_field_by_field() {
    for (heading, path, name) in [
        ("### A task, of `run` and `show`", "protocol/report.rs", "TaskReport"),
        ("### `task`", "protocol/report.rs", "TaskHead"),
        ("### `execution`, and each of `executions`", "protocol/report.rs", "ExecutionReport"),
        ("### Each of `questions`, also of `callbox questions`", "protocol/report.rs", "QuestionReport"),
        ("### Each of `messages`", "protocol/report.rs", "MessageReport"),
        ("### Each of `subtasks`", "protocol/report.rs", "SubtaskReport"),
        ("### Each of `denied`", "vocabulary/work.rs", "Denial"),
        ("### `verify`", "protocol/report.rs", "VerifyReport"),
        ("### `delivery`", "vocabulary/work.rs", "Delivery"),
        ("### `kept`", "vocabulary/work.rs", "Kept"),
        ("### `totals`", "protocol/report.rs", "Totals"),
        ("### `error`", "vocabulary/work.rs", "Fault"),
        ("### Each of `signals`", "protocol/report.rs", "SignalReport"),
        ("### Each of `callbox ls`", "protocol/report.rs", "TaskLine"),
        ("### Of `callbox why`", "protocol/operator.rs", "WhyReply"),
        ("### Of `callbox status`", "protocol/status.rs", "Status"),
        ("### Each of `agents`, of `callbox status`", "protocol/status.rs", "AgentStatus"),
        ("### `day`, of `callbox status`", "protocol/status.rs", "DayStatus"),
        ("### Of `callbox watch`, a line each", "protocol/events.rs", "Event"),
        ("### Of `callbox logs`", "cli/commands/logs.rs", "Log"),
        ("### Of `callbox diff`", "cli/commands/diff.rs", "Shown"),
        ("### Of `callbox take`", "cli/commands/take.rs", "TakenWork"),
        ("### Each of `callbox doctor`", "cli/doctor/finding.rs", "Finding"),
        ("### Of `trust`", "cli/commands/trust.rs", "Trusting"),
        ("### Of `backup`", "protocol/operator.rs", "BackupReply"),
        ("### Of `export`", "cli/travel/report.rs", "Exported"),
        ("### Of `import`", "cli/travel/report.rs", "Taken"),
        ("### Each of `tasks`, of `export` and `import`", "cli/travel/report.rs", "Moved"),
        ("### Of `gc`", "cli/gc/report.rs", "Collected"),
        ("### Of `service install` and `service status`", "cli/service/standing.rs", "Standing"),
        ("### Of `service uninstall`", "cli/service/installed.rs", "Removed"),
        ("### Of `init`", "cli/commands/init.rs", "Begun"),
        ("### Of `submit`", "protocol/operator.rs", "SubmitReply"),
        ("### Of `mcp-config`", "cli/commands/mcp_config.rs", "Opened"),
        (
            "### Of `start`, `cancel`, `accept`, `reject`, `resume`, `retry`, `tell` and `end`",
            "protocol/operator.rs",
            "ActReply",
        ),
        ("### Of `answer` and `dismiss`", "protocol/operator.rs", "AnswerReply"),
    ] {
        holds(heading, &fields_of_struct(path, name));
    }
}

/// The quoted words that stand first behind `call` in `code`.
fn first_arguments(code: &str, call: &str) -> Vec<String> {
    let behind = code.split(call).skip(1).map(str::trim_start);
    let quoted = behind.filter_map(|rest| rest.strip_prefix('"')?.split('"').next());
    quoted.map(str::to_owned).collect()
}

#[test]
fn every_code_that_a_task_may_end_with_is_listed() {
    holds("### Codes of a task", &FAULT_CODES);
    let mut all = String::new();
    for path in sources(&root().join("src")).iter().filter(|path| !is_test(path)) {
        let code = code(path);
        for given in first_arguments(&code, "Fault::new(") {
            assert!(FAULT_CODES.contains(&given.as_str()), "{}: `{given}` is not listed", path.display());
        }
        if !path.ends_with(Path::new("vocabulary/fault_code.rs")) {
            all += &code;
        }
    }
    for listed in FAULT_CODES {
        assert!(all.contains(&format!("\"{listed}\"")), "nothing says `{listed}`");
    }
}

#[test]
fn what_a_person_is_told_is_listed_by_kind_and_by_field() {
    holds("### What you are told", &words_of_enum("protocol/notice.rs", "NoticeKind"));
    let section = section("### What you are told");
    let (_, fields) = section.split_once("\n| field | means |\n").unwrap();
    for (name, inner) in [("Notice", ""), ("NoticeTask", "task"), ("NoticeQuestion", "question")] {
        for field in fields_of_struct("protocol/notice.rs", name) {
            let row = if inner.is_empty() { field.as_str() } else { inner };
            let row = fields.lines().find(|line| line.starts_with(&format!("| `{row}` |"))).unwrap();
            assert!(row.contains(&format!("`{field}`")), "`{field}` of {name} is missing in {row}");
        }
    }
}

#[test]
fn every_refusal_of_the_store_is_listed_with_its_http_status() {
    for row in holds("### Codes of the store", &words_of_enum("protocol/error.rs", "ErrorCode")) {
        let code: ErrorCode = serde_json::from_value(row.name.as_str().into()).unwrap();
        assert_eq!(row.cells[0], code.status().to_string(), "the HTTP status of `{}`", row.name);
    }
}

#[test]
fn every_tool_is_listed_with_its_arguments() {
    for row in holds("## The tools of an agent", &TOOL_NAMES) {
        let name: String = row.name.split('_').map(|word| word[..1].to_uppercase() + &word[1..]).collect();
        let listed: Vec<&str> = words(&row.cells[0]).collect();
        for argument in fields_of_struct("vocabulary/tools.rs", &name) {
            assert!(listed.contains(&argument.as_str()), "`{argument}` of `{}` is missing", row.name);
        }
    }
}

#[test]
fn the_readme_leads_to_the_reference_and_says_what_a_newcomer_must_know() {
    let readme = fs::read_to_string(root().join("README.md")).unwrap();
    for words in ["(REFERENCE.md)", "cargo install --path . --locked", "callbox attach", "callbox serve"] {
        assert!(readme.contains(words), "{words}");
    }
    for words in ["run --queued", "--detach", "CALLBOX_STATE", "~/.local/state/callbox"] {
        assert!(readme.contains(words), "{words}");
    }
    assert!(section("### Where state lives").contains("`~/.local/state/callbox`"));
}
