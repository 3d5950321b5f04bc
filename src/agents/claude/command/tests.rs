use std::{collections::BTreeMap, path::Path};

use super::*;
use crate::{
    agents::User,
    ids::ExecutionNumber,
    vocabulary::{Message, MessageBuilder, Permissions},
};

struct Given {
    message: Message,
    options: BTreeMap<String, String>,
    token: Secret,
}

impl Given {
    fn new() -> Self {
        Self {
            message: Message::own("callbox: go"),
            options: BTreeMap::new(),
            token: Secret::new("canary-token"),
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
            options: &self.options,
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
