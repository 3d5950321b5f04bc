use std::{collections::BTreeMap, path::Path};

use serde_json::json;

use super::*;
use crate::{
    agents::User,
    ids::ExecutionNumber,
    vocabulary::{Isolation, Message, MessageBuilder, Permissions, ServerWay},
};

struct Given {
    message: Message,
    options: BTreeMap<String, String>,
    token: Secret,
    servers: Vec<McpServer>,
    values: BTreeMap<String, Secret>,
}

impl Given {
    fn new() -> Self {
        Self {
            message: Message::own("callbox: go"),
            options: BTreeMap::new(),
            token: Secret::new("canary-token"),
            servers: Vec::new(),
            values: BTreeMap::new(),
        }
    }

    fn launch(&self) -> Launch<'_> {
        Launch {
            program: Path::new("/bin/claude"),
            directory: Path::new("/sandbox"),
            folder: Path::new("/folder"),
            shim: Path::new("/bin/callbox-mcp"),
            socket: Path::new("/state/agent.sock"),
            token: &self.token,
            execution: ExecutionNumber::new(31),
            model: Some("opus"),
            permissions: Permissions::Edit,
            cost_left_usd: Some(0.25),
            isolation: &Isolation::None,
            environment: &self.values,
            options: &self.options,
            servers: &self.servers,
            values: &self.values,
            session: Session::Resume("11111111-1111-4111-8111-111111111111"),
            message: &self.message,
            preamble: "canary-preamble",
            user: User::Root,
        }
    }
}

#[test]
fn neither_token_nor_message_nor_preamble_stands_in_the_arguments() {
    let mut given = Given::new();
    given.message = Message::own("callbox: canary-message");
    let command = command(&given.launch()).unwrap();
    let arguments = format!("{:?}", command.arguments);
    assert!(!arguments.contains("canary"), "{arguments}");
    assert_eq!(command.input, b"callbox: canary-message");
    let files: Vec<_> = command.files.iter().map(|file| file.contents.expose()).collect();
    assert!(
        files[0].contains("canary-token") && files[0].contains("\"CALLBOX_EXECUTION\":\"x31\""),
        "{}",
        files[0]
    );
    assert_eq!(files[1], "canary-preamble");
}

#[test]
fn a_resume_names_its_session_and_nothing_that_is_not_one() {
    let given = Given::new();
    let resumed = command(&given.launch()).unwrap();
    assert!(resumed.arguments.contains(&"--resume=11111111-1111-4111-8111-111111111111".into()));
    for session in ["latest", "", "--continue"] {
        let launch = Launch { session: Session::Resume(session), ..given.launch() };
        assert_eq!(command(&launch).unwrap_err().code, "session_unknown");
    }
    let id = UniqueId::mint();
    let fresh = command(&Launch { session: Session::New(id), ..given.launch() }).unwrap();
    assert!(fresh.arguments.contains(&format!("--session-id={id}").into()));
}

#[test]
fn foreign_words_expand_nothing_and_never_come_first() {
    let mut given = Given::new();
    given.message = MessageBuilder::default().own("callbox: answer: ").foreign("@/etc/hosts").finish();
    assert_eq!(command(&given.launch()).unwrap().input, b"callbox: answer: \\@/etc/hosts");
    given.message = MessageBuilder::default().foreign("/clear").finish();
    assert_eq!(command(&given.launch()).unwrap_err().code, "internal");
}

#[test]
fn what_check_refuses_is_not_launched_either() {
    let mut given = Given::new();
    let launch = Launch { permissions: Permissions::Full, ..given.launch() };
    assert_eq!(command(&launch).unwrap_err().code, "permissions_refused");
    given.options.insert("contained".to_owned(), "yes".to_owned());
    let launch = Launch { permissions: Permissions::Full, ..given.launch() };
    assert!(command(&launch).unwrap().environment.contains_key("IS_SANDBOX"));
}

#[test]
fn servers_of_the_persons_own_stand_beside_the_shim_in_the_one_file_with_the_values_they_need() {
    let mut given = Given::new();
    let url = ServerWay::Url { url: "https://x/mcp".to_owned(), bearer_env: Some("FAR_KEY".to_owned()) };
    let command = "/opt/tracker".to_owned();
    let tracker = ServerWay::Command { command, args: vec!["-v".to_owned()], env: vec!["TOKEN".to_owned()] };
    given.servers = vec![
        McpServer { name: "tracker".to_owned(), way: tracker },
        McpServer { name: "far".to_owned(), way: url },
    ];
    assert_eq!(command_of(&given).unwrap_err().code, "variable_missing");
    given.values = [("TOKEN", "canary-1"), ("FAR_KEY", "canary-2"), ("OTHER", "canary-3")]
        .map(|(name, value)| (name.to_owned(), Secret::new(value)))
        .into();
    let command = command_of(&given).unwrap();
    assert!(!format!("{:?}", command.arguments).contains("canary"), "{:?}", command.arguments);
    let file: Value = serde_json::from_str(command.files[0].contents.expose()).unwrap();
    let servers = &file["mcpServers"];
    assert!(servers["callbox"]["env"]["CALLBOX_TOKEN"] == "canary-token", "{servers}");
    let tracker =
        json!({"type": "stdio", "command": "/opt/tracker", "args": ["-v"], "env": {"TOKEN": "canary-1"}});
    assert_eq!(servers["tracker"], tracker);
    let far =
        json!({"type": "http", "url": "https://x/mcp", "headers": {"Authorization": "Bearer canary-2"}});
    assert_eq!((&servers["far"], servers.as_object().unwrap().len()), (&far, 3));
    given.values.insert("TOKEN".to_owned(), Secret::new("a${HOME}b"));
    let fault = command_of(&given).unwrap_err();
    assert!(fault.message.contains("`TOKEN`") && !fault.message.contains("HOME"), "{fault:?}");
}

fn command_of(given: &Given) -> Result<AgentCommand, Fault> {
    command(&given.launch())
}
