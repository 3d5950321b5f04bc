use std::{fs, path::PathBuf};

use proptest::prelude::*;

use super::*;
use crate::{
    domain::Caps,
    settings::AgentSettings,
    taskfile::{PartialRetry, complete},
    vocabulary::Permissions,
};

fn load_text(text: &[u8]) -> (Result<Settings, SettingsError>, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("config.toml");
    fs::write(&path, text).unwrap();
    (load(&path, known()), folder.path().to_owned())
}

fn known() -> KnownAgents<'static> {
    KnownAgents { names: &["claude", "codex", "parrot"], refusal: &refusal }
}

/// Of no agent but one.
fn refusal(agent: &str, key: &str) -> Option<&'static str> {
    (agent == "parrot" && key == "preamble").then_some("is refused: it listens to nobody")
}

fn faults(text: &str) -> Vec<String> {
    match load_text(text.as_bytes()).0 {
        Err(SettingsError::Wrong { faults, .. }) => faults.iter().map(ToString::to_string).collect(),
        other => panic!("{other:?} and no fault"),
    }
}

#[test]
fn without_a_file_the_configuration_is_the_default_one() {
    let folder = tempfile::tempdir().unwrap();
    assert_eq!(load(&folder.path().join("none/config.toml"), known()).unwrap(), Settings::default());
    assert_eq!(load_text(b"# nothing\n").0.unwrap(), Settings::default());
    let link = folder.path().join("config.toml");
    std::os::unix::fs::symlink("nowhere.toml", &link).unwrap();
    assert!(matches!(load(&link, known()), Err(SettingsError::Unreadable { .. })), "it leads nowhere");
}

#[test]
fn every_key_is_read() {
    let (settings, folder) = load_text(
        b"\
agent = 'claude'
model = 'big'
permissions = 'read'
timeout = '15m'
retry = { max_attempts = 3, delay = '1m' }
env = { PORT = 8080 }
tags = ['night']
resume_after_subtasks = false
max_concurrent = 8
env_file = 'keys.env'

[options]
effort = 'high'

[agents.codex]
program = '/opt/codex'
model = 'small'
options = { effort = 'low' }
env_names = ['OPENAI_API_KEY']

[limits]
depth = 0
children = 5
tree = 50
signals = 500
subtask_agents = ['codex']
",
    );
    let settings = settings.unwrap();
    assert_eq!(settings.defaults.permissions, Some(Permissions::Read));
    assert_eq!(settings.defaults.timeout_seconds, Some(900));
    let retry = PartialRetry { max_attempts: Some(3), delay_seconds: Some(60), backoff: None };
    assert_eq!(settings.defaults.retry, retry);
    assert_eq!(settings.defaults.env["PORT"], "8080");
    assert_eq!(settings.defaults.resume_after_subtasks, Some(false));
    assert_eq!(settings.quotas.max_concurrent, 8);
    assert_eq!(settings.env_file, Some(folder.join("keys.env")));
    assert_eq!(settings.caps, Caps { depth: 0, children: 5, tree: 50, signals: 500 });
    assert_eq!(settings.subtask_agents, ["codex"]);
    assert_eq!(settings.programs(), [("codex".to_owned(), PathBuf::from("/opt/codex"))].into());
}

#[test]
fn defaults_of_an_agent_go_before_those_of_all_tasks() {
    let (settings, _) = load_text(
        b"model = 'big'\ntags = ['t']\n[options]\na = '1'\nb = '1'\n[agents.codex]\nmodel = 'small'\noptions = { b = '2' }\n",
    );
    let settings = settings.unwrap();
    let task = |agent: &str| {
        let said = PartialSpec {
            agent: Some(crate::taskfile::AgentWish::One(agent.to_owned())),
            instructions: Some("x".to_owned()),
            ..PartialSpec::default()
        };
        complete(said, &settings.defaults_for(agent)).unwrap()
    };
    let (codex, claude) = (task("codex"), task("claude"));
    assert_eq!((codex.model.as_deref(), codex.options["b"].as_str()), (Some("small"), "2"));
    assert_eq!((claude.model.as_deref(), claude.options["b"].as_str()), (Some("big"), "1"));
    assert_eq!((codex.options["a"].as_str(), codex.tags.as_slice()), ("1", ["t".to_owned()].as_slice()));
    assert_eq!(settings.agents["codex"].setup, AgentSettings::default().setup);
}

#[test]
fn every_fault_is_named_with_its_line_and_key() {
    let found = faults(
        "max_concurent = 1\npermissions = 'all'\ntimeout = 5\nname = 'x'\nmodel = 3\nmax_concurrent = 0\n\
         [limits]\ndepht = 1\nsignals = 'many'\n[agents.codex]\nprogram = 5\nmodle = 'x'\n[agents]\nclaude = 1\n",
    );
    let begins = [
        "1: `max_concurent` is not known: did you mean `max_concurrent`?",
        "2: `permissions` must be",
        "3: `timeout` needs a unit",
        "4: `name` belongs to one task",
        "5: `model` must be text, not a number",
        "6: `max_concurrent` must be a whole number from 1 to 1000",
        "8: `limits.depht` is not known: did you mean `depth`?",
        "9: `limits.signals` must be a whole number, not text",
        "11: `agents.codex.program` must be text",
        "12: `agents.codex.modle` is not known: did you mean `model`?",
        "14: `agents.claude` must be a map, not a number",
    ];
    assert_eq!(found.len(), begins.len(), "{found:#?}");
    for (fault, begin) in found.iter().zip(begins) {
        assert!(fault.starts_with(begin), "{fault}\nshould begin with\n{begin}");
    }
}

#[test]
fn what_holds_for_every_sandbox_is_read_and_a_size_without_its_unit_is_not() {
    let (settings, _) = load_text(
        b"[sandbox]\nhardlinks = true\nkeep_free = '1GiB'\nmax_size = '20GiB'\nmax_each = '2GiB'\n",
    );
    let rules = settings.unwrap().sandbox;
    assert!(rules.hardlinks);
    assert_eq!((rules.keep_free, rules.max_size), (1 << 30, Some(20 << 30)));
    assert_eq!(rules.max_each, Some(2 << 30));
    let each = |text: &str| load_text(text.as_bytes()).0.unwrap().sandbox.max_each;
    assert_eq!((each("[sandbox]\n"), each("[sandbox]\nmax_each = 'none'\n")), (Some(50 << 30), None));
    let found = faults("[sandbox]\nmax_size = '20'\nhardlink = true\n");
    assert!(found[0].starts_with("2: `sandbox.max_size` must be a whole number and a unit"), "{found:#?}");
    assert!(
        found[1].starts_with("3: `sandbox.hardlink` is not known: did you mean `hardlinks`?"),
        "{found:#?}"
    );
}

#[test]
fn what_holds_for_one_project_stands_under_its_path() {
    let (settings, _) = load_text(b"[projects.'/nowhere/./shop/']\nsetup = 'npm ci'\ncopy = ['.env']\n");
    let settings = settings.unwrap();
    let shop = &settings.projects[Path::new("/nowhere/shop")];
    assert_eq!((shop.setup.as_deref(), shop.copy.len()), (Some("npm ci"), 1));
    let found = faults("[projects.shop]\nsetup = 'x'\n[projects.'/p']\nname = 'x'\nstup = 'x'\n");
    assert_eq!(found.len(), 3, "{found:#?}");
    assert!(found[0].starts_with("1: `projects.\"shop\"` must be the absolute path"), "{found:#?}");
    assert!(found[1].starts_with("4: `projects.\"/p\".name` cannot be set for all tasks"), "{found:#?}");
    assert!(found[2].starts_with("5: `stup` is not known: did you mean `setup`?"), "{found:#?}");
}

#[test]
fn a_preamble_is_text_of_a_limited_length_that_somebody_hears() {
    let (settings, _) = load_text(b"preamble = 'all'\n[agents.codex]\npreamble = '''\none\ntwo'''\n");
    let settings = settings.unwrap();
    assert_eq!(settings.preamble.as_deref(), Some("all"));
    assert_eq!(settings.agents["codex"].setup.preamble.as_deref(), Some("one\ntwo"));
    assert!(load_text(format!("preamble = '{}'\n", "ü".repeat(20_000)).as_bytes()).0.is_ok());
    let long = "ü".repeat(20_001);
    let text =
        format!("preamble = '{long}'\n[agents.codex]\npreamble = ' '\n[agents.parrot]\npreamble = 'x'\n");
    let wanted = [
        "1: `preamble` has 20001 characters, and at most 20000 are allowed",
        "3: `agents.codex.preamble` is empty: leave it out for callbox's own words",
        "5: `agents.parrot.preamble` is refused: it listens to nobody",
    ];
    assert_eq!(faults(&text), wanted);
}

#[test]
fn how_much_goes_on_at_once_and_on_one_day_is_limited_by_whole_runs_and_real_money() {
    let (settings, _) = load_text(
        b"max_concurrent = 8\n[budget]\nper_day_usd = 2.5\n[agents.codex]\nmax_concurrent = 2\n\
          [projects.'/p']\nmax_concurrent = 1\nper_day_usd = 1\n[projects.'/q']\nmodel = 'm'\n",
    );
    let quotas = settings.unwrap().quotas;
    assert_eq!((quotas.max_concurrent, quotas.per_day_usd), (8, Some(2.5)));
    assert_eq!(quotas.agents, [("codex".to_owned(), 2)].into());
    let project = crate::vocabulary::ProjectQuota { max_concurrent: Some(1), per_day_usd: Some(1.0) };
    assert_eq!(quotas.projects, [(PathBuf::from("/p"), project)].into());
    let wrong = "[budget]\nper_day_usd = 0\nper_week_usd = 1\n[agents.codex]\nmax_concurrent = 0\n\
                 [projects.'/p']\nper_day_usd = -1\n";
    let faults = faults(wrong);
    assert!(faults[0].starts_with("2: `budget.per_day_usd` must be more than 0"), "{faults:?}");
    assert!(faults[1].starts_with("3: `budget.per_week_usd` is not known"), "{faults:?}");
    assert!(faults[2].contains("`agents.codex.max_concurrent` must be a whole number"), "{faults:?}");
    assert!(faults[3].starts_with("7: `projects.\"/p\".per_day_usd` must"), "{faults:?}");
}

#[test]
fn a_description_of_an_agent_is_read_or_refused_with_what_is_wrong_in_it() {
    let found = faults("[agents.mine]\ncommand = 'x'\n");
    assert!(found[0].starts_with("2: `agents.mine.command` is not understood: invalid type"), "{found:?}");
    let found = faults("[agents.mine]\ncommand = ['x']\n");
    assert!(found.iter().any(|fault| fault.contains("needs `permissions`")), "{found:?}");
}

#[test]
fn what_is_no_toml_file_is_refused() {
    assert!(faults("max_concurrent = 4\nmax_concurrent = 5\n")[0].starts_with("2: this is not TOML"));
    let (error, _) = load_text(b"a = '\xff'");
    assert!(error.unwrap_err().to_string().contains("config.toml:1: this is not UTF-8"));
    let folder = tempfile::tempdir().unwrap();
    assert!(matches!(load(folder.path(), known()), Err(SettingsError::Unreadable { .. })));
}

proptest! {
    #[test]
    fn any_bytes_are_read_or_refused(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
        let _ = load_text(&bytes);
    }
}

#[test]
fn what_is_said_of_no_agent_is_refused_with_the_name_that_was_meant() {
    let names = "which are `claude`, `codex`, `parrot`";
    assert_eq!(
        faults("[agents.cluade]\nmodel = 'x'\n[agents.quill]\nmodle = 'x'\n"),
        [
            format!("1: `agents.cluade` is no agent that callbox knows, {names}; did you mean `claude`?"),
            format!("3: `agents.quill` is no agent that callbox knows, {names}"),
            "4: `agents.quill.modle` is not known: did you mean `model`?".to_owned(),
        ]
    );
}
