use std::path::Path;

use super::*;
use crate::{
    agents::{Reach, User},
    ids::ExecutionNumber,
    vocabulary::{Isolation, Message, MessageBuilder},
};

const THREAD: &str = "01a22e78-c635-7cd3-b0f9-80353463e7a9";

struct Given {
    message: Message,
    options: BTreeMap<String, String>,
    token: Secret,
    servers: Vec<McpServer>,
    values: BTreeMap<String, Secret>,
    environment: BTreeMap<String, Secret>,
}

impl Given {
    fn new() -> Self {
        let secret = |(name, value): (&str, &str)| (name.to_owned(), Secret::new(value));
        Self {
            message: Message::own("callbox: go"),
            options: BTreeMap::new(),
            token: Secret::new("canary-token"),
            servers: Vec::new(),
            values: BTreeMap::new(),
            environment: [("HOME", "/home/p"), ("CODEX_API_KEY", "canary-key")].map(secret).into(),
        }
    }

    fn launch(&self) -> Launch<'_> {
        Launch {
            program: Path::new("/bin/codex"),
            directory: Path::new("/sandbox"),
            folder: Path::new("/folder"),
            shim: Path::new("/bin/callbox-mcp"),
            socket: Path::new("/state/agent.sock"),
            token: &self.token,
            execution: ExecutionNumber::new(31),
            model: Some("gpt-x"),
            permissions: Permissions::Edit,
            isolation: &Isolation::None,
            environment: &self.environment,
            cost_left_usd: None,
            options: &self.options,
            servers: &self.servers,
            values: &self.values,
            session: Session::Resume(THREAD),
            message: &self.message,
            preamble: "canary-preamble",
            user: User::Root,
        }
    }
}

fn line(command: &AgentCommand) -> String {
    let words = command.arguments.iter().map(|argument| argument.to_string_lossy());
    words.collect::<Vec<_>>().join(" ")
}

#[test]
fn neither_secrets_nor_message_nor_preamble_stand_in_the_arguments() {
    let mut given = Given::new();
    given.message = MessageBuilder::default().own("callbox: canary-own ").foreign("canary-foreign").finish();
    let server = |name: &str, way| McpServer { name: name.to_owned(), way };
    given.servers = vec![
        server(
            "tracker",
            ServerWay::Command {
                command: "tracker".to_owned(),
                args: vec!["-x".to_owned()],
                env: vec!["TRACKER_TOKEN".to_owned()],
            },
        ),
        server("wiki", ServerWay::Url { url: "https://w".to_owned(), bearer_env: Some("WIKI".to_owned()) }),
    ];
    given.values =
        ["TRACKER_TOKEN", "WIKI"].map(|name| (name.to_owned(), Secret::new("canary-value"))).into();
    let command = command(&given.launch()).unwrap();
    assert!(!line(&command).contains("canary"), "{}", line(&command));
    assert!(command.files.is_empty());
    assert_eq!(command.environment["CALLBOX_TOKEN"].expose(), "canary-token");
    assert_eq!(command.environment["WIKI"].expose(), "canary-value");
    let kept = "shell_environment_policy.exclude=[\"CALLBOX_SOCKET\",\"CALLBOX_TOKEN\",\"CALLBOX_TOOL_LIMIT\",\
                \"TRACKER_TOKEN\",\"WIKI\",\"CODEX_API_KEY\",\"RUST_LOG\",\"TZ\"]";
    assert!(line(&command).contains(kept), "{}", line(&command));
}

#[test]
fn a_variable_that_the_task_gives_its_agent_is_kept_from_no_command_and_the_time_zone_stays_the_runs() {
    let mut given = Given::new();
    let way = ServerWay::Url { url: "https://w".to_owned(), bearer_env: Some("WIKI".to_owned()) };
    given.servers = vec![McpServer { name: "wiki".to_owned(), way }];
    given.values = [("WIKI".to_owned(), Secret::new("w"))].into();
    given.environment.insert("WIKI".to_owned(), Secret::new("w"));
    given.environment.insert("TZ".to_owned(), Secret::new("Europe/Rome"));
    let line = line(&command(&given.launch()).unwrap());
    let exclude = line.split("shell_environment_policy.exclude=").nth(1).unwrap();
    assert!(!exclude.split(']').next().unwrap().contains("WIKI"), "{line}");
    assert!(line.contains("shell_environment_policy.set={\"TZ\"=\"Europe/Rome\"}"), "{line}");
}

#[test]
fn a_new_conversation_begins_with_the_standing_instructions_and_a_resume_names_its_own_and_no_other() {
    let given = Given::new();
    let resumed = command(&given.launch()).unwrap();
    assert!(line(&resumed).starts_with("exec resume --json "), "{}", line(&resumed));
    assert!(line(&resumed).ends_with(&format!(" {THREAD} -")));
    assert_eq!(resumed.input, b"callbox: go");
    let fresh = command(&Launch { session: Session::New(UniqueId::mint()), ..given.launch() }).unwrap();
    assert!(line(&fresh).starts_with("exec --json ") && line(&fresh).ends_with(" -"));
    assert!(!line(&fresh).contains(THREAD));
    assert_eq!(fresh.input, b"canary-preamble\n\ncallbox: go");
    for name in ["latest", "", "--last", "my-thread"] {
        let fault = command(&Launch { session: Session::Resume(name), ..given.launch() }).unwrap_err();
        assert_eq!(fault.code, "session_unknown");
    }
}

#[test]
fn a_message_that_does_not_begin_with_callboxs_own_words_is_refused() {
    let mut given = Given::new();
    given.message = MessageBuilder::default().own("").foreign("/clear").finish();
    assert_eq!(command(&given.launch()).unwrap_err().code, "internal");
}

#[test]
fn another_place_of_the_provider_is_passed_on_unless_it_holds_more_than_a_place() {
    let mut given = Given::new();
    assert!(!line(&command(&given.launch()).unwrap()).contains("openai_base_url"));
    let name = || "OPENAI_BASE_URL".to_owned();
    given.environment.insert(name(), Secret::new("http://127.0.0.1:1/v1"));
    assert!(line(&command(&given.launch()).unwrap()).contains("openai_base_url=\"http://127.0.0.1:1/v1\""));
    given.environment.insert(name(), Secret::new("https://me:secret@x/v1"));
    let fault = command(&given.launch()).unwrap_err();
    assert!(fault.message.contains("OPENAI_BASE_URL") && !fault.message.contains("secret"), "{fault:?}");
}

#[test]
fn who_may_only_look_is_held_by_the_rules_around_where_there_are_any() {
    let given = Given::new();
    let landlock = Isolation::Landlock { abi: 6 };
    let launch = Launch { permissions: Permissions::Read, ..given.launch() };
    let bare = command(&launch).unwrap();
    assert!(line(&bare).contains("sandbox_mode=\"read-only\"") && bare.reach == Reach::Write);
    let held = command(&Launch { isolation: &landlock, ..launch }).unwrap();
    assert!(line(&held).contains("sandbox_mode=\"danger-full-access\"") && held.reach == Reach::Read);
}

#[test]
fn who_may_only_look_is_given_no_server_of_the_persons() {
    let mut given = Given::new();
    let way = ServerWay::Url { url: "https://w".to_owned(), bearer_env: None };
    given.servers = vec![McpServer { name: "wiki".to_owned(), way }];
    let is_given = |permissions| {
        let command = command(&Launch { permissions, ..given.launch() }).unwrap();
        line(&command).contains("mcp_servers.wiki.")
    };
    assert_eq!([Permissions::Read, Permissions::Edit, Permissions::Full].map(is_given), [false, true, true]);
}
