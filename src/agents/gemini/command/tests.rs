use std::{collections::BTreeMap, path::Path};

use serde_json::{Value, json};

use super::*;
use crate::{
    agents::User,
    ids::ExecutionNumber,
    vocabulary::{Isolation, McpServer, Message, MessageBuilder, Permissions, ServerWay},
};

struct Given {
    message: Message,
    options: BTreeMap<String, String>,
    environment: BTreeMap<String, Secret>,
    token: Secret,
    servers: Vec<McpServer>,
    values: BTreeMap<String, Secret>,
}

impl Given {
    fn new(environment: &[(&str, &str)]) -> Self {
        let environment = environment.iter().map(|(name, value)| ((*name).to_owned(), Secret::new(*value)));
        Self {
            message: Message::own("callbox: go"),
            options: BTreeMap::new(),
            environment: environment.collect(),
            token: Secret::new("canary-token"),
            servers: Vec::new(),
            values: BTreeMap::new(),
        }
    }

    fn launch(&self) -> Launch<'_> {
        Launch {
            program: Path::new("/bin/gemini"),
            directory: Path::new("/state/sandboxes/12/1"),
            folder: Path::new("/state/executions/31"),
            shim: Path::new("/bin/callbox-mcp"),
            socket: Path::new("/state/agent.sock"),
            token: &self.token,
            execution: ExecutionNumber::new(31),
            model: Some("flash"),
            permissions: Permissions::Edit,
            cost_left_usd: None,
            isolation: &Isolation::None,
            environment: &self.environment,
            options: &self.options,
            servers: &self.servers,
            values: &self.values,
            session: Session::Resume("11111111-1111-4111-8111-111111111111"),
            message: &self.message,
            preamble: "canary-preamble",
            user: User::Ordinary,
        }
    }

    fn command(&self) -> AgentCommand {
        command(&self.launch()).unwrap()
    }

    fn settings(&self) -> Value {
        serde_json::from_str(self.command().files[0].contents.expose()).unwrap()
    }
}

const KEY: (&str, &str) = ("GEMINI_API_KEY", "canary-key");

#[test]
fn neither_token_nor_message_nor_preamble_stands_in_the_arguments() {
    let mut given = Given::new(&[KEY]);
    given.message = Message::own("callbox: canary-message");
    let command = given.command();
    let arguments = format!("{:?}", command.arguments);
    assert!(!arguments.contains("canary"), "{arguments}");
    assert_eq!(command.input, b"callbox: canary-message");
    assert_eq!(given.settings()["mcpServers"]["callbox"]["env"]["CALLBOX_TOKEN"], "canary-token");
    assert_eq!(command.files[1].contents.expose(), "canary-preamble");
}

#[test]
fn a_run_has_a_home_beside_its_sandbox_which_its_next_one_finds_again() {
    let command = Given::new(&[KEY, ("GEMINI_CLI_HOME", "/home/jane")]).command();
    assert_eq!(command.environment["GEMINI_CLI_HOME"].expose(), "/state/sandboxes/12/1.gemini");
    let paths: Vec<_> = command.files.iter().map(|file| file.path.to_str().unwrap()).collect();
    let home = "/state/sandboxes/12/1.gemini/.gemini";
    let settings = format!("{home}/settings.json");
    assert_eq!(paths, [&settings, &format!("{home}/GEMINI.md"), "/state/executions/31/rules.toml"]);
    assert!(command.arguments.contains(&"--resume=11111111-1111-4111-8111-111111111111".into()));
}

#[test]
fn a_resume_names_its_session_and_nothing_that_is_not_one() {
    let given = Given::new(&[KEY]);
    for session in ["latest", "", "1"] {
        let launch = Launch { session: Session::Resume(session), ..given.launch() };
        assert_eq!(command(&launch).unwrap_err().code, "session_unknown");
    }
    let id = UniqueId::mint();
    let fresh = command(&Launch { session: Session::New(id), ..given.launch() }).unwrap();
    assert!(fresh.arguments.contains(&format!("--session-id={id}").into()));
}

#[test]
fn the_endpoint_is_always_named_and_the_login_goes_by_what_there_is() {
    let endpoint = |given: &Given| {
        given.command().environment.get("GOOGLE_GEMINI_BASE_URL").map(|url| url.expose().to_owned())
    };
    let kind = |given: &Given| given.settings()["security"]["auth"]["selectedType"].clone();
    let given = Given::new(&[KEY]);
    assert_eq!((endpoint(&given).as_deref(), kind(&given)), (Some(ENDPOINT), json!("gemini-api-key")));
    let given = Given::new(&[KEY, ("GOOGLE_GEMINI_BASE_URL", "http://proxy")]);
    assert_eq!(endpoint(&given).as_deref(), Some("http://proxy"));
    let given = Given::new(&[("GOOGLE_API_KEY", "k")]);
    assert_eq!((endpoint(&given), kind(&given)), (None, json!("vertex-ai")));
    let given = Given::new(&[("HOME", "/home/jane")]);
    assert_eq!(kind(&given), "oauth-personal");
    let login = &given.command().environment["GOOGLE_APPLICATION_CREDENTIALS"];
    assert_eq!(login.expose(), "/home/jane/.gemini/oauth_creds.json");
    let given = Given::new(&[("HOME", "/home/jane"), ("GOOGLE_APPLICATION_CREDENTIALS", "/own")]);
    assert!(!given.command().environment.contains_key("GOOGLE_APPLICATION_CREDENTIALS"));
}

#[test]
fn foreign_words_expand_nothing_and_never_come_first() {
    let mut given = Given::new(&[KEY]);
    given.message = MessageBuilder::default().own("callbox: answer: ").foreign("@/etc/hosts").finish();
    assert_eq!(given.command().input, b"callbox: answer: \\@/etc/hosts");
    given.message = MessageBuilder::default().foreign("/clear").finish();
    assert_eq!(command(&given.launch()).unwrap_err().code, "internal");
}

#[test]
fn servers_of_the_persons_own_stand_beside_the_shim_with_the_values_they_need_and_are_allowed() {
    let mut given = Given::new(&[KEY]);
    let url = ServerWay::Url { url: "https://x/mcp".to_owned(), bearer_env: Some("FAR_KEY".to_owned()) };
    let tracker =
        ServerWay::Command { command: "/opt/t".to_owned(), args: vec![], env: vec!["TOKEN".to_owned()] };
    given.servers = vec![
        McpServer { name: "tracker".to_owned(), way: tracker },
        McpServer { name: "far".to_owned(), way: url },
    ];
    assert_eq!(command(&given.launch()).unwrap_err().code, "variable_missing");
    given.values = [("TOKEN", "canary-1"), ("FAR_KEY", "canary-2")]
        .map(|(name, value)| (name.to_owned(), Secret::new(value)))
        .into();
    let arguments = format!("{:?}", given.command().arguments);
    assert!(!arguments.contains("canary"), "{arguments}");
    for name in ["callbox", "tracker", "far"] {
        assert!(arguments.contains(&format!("--allowed-mcp-server-names={name}\"")), "{arguments}");
    }
    let settings = given.settings();
    let servers = &settings["mcpServers"];
    let tracker = json!({"command": "/opt/t", "args": [], "env": {"TOKEN": "canary-1"}});
    assert_eq!(servers["tracker"], tracker);
    let headers = json!({"Authorization": "Bearer canary-2"});
    assert_eq!((&servers["far"]["headers"], servers.as_object().unwrap().len()), (&headers, 3));
    given.values.insert("TOKEN".to_owned(), Secret::new("a$HOME"));
    let fault = command(&given.launch()).unwrap_err();
    assert!(fault.message.contains("`TOKEN`") && !fault.message.contains("HOME"), "{fault:?}");
}

#[test]
fn what_check_refuses_is_not_launched_either() {
    let mut given = Given::new(&[KEY]);
    given.options.insert("max_turns".to_owned(), "7".to_owned());
    assert_eq!(given.settings()["model"]["maxSessionTurns"], 7);
    given.options.insert("effort".to_owned(), "high".to_owned());
    assert_eq!(command(&given.launch()).unwrap_err().code, "option_unknown");
}
