use std::path::Path;

use proptest::prelude::*;

use super::*;
use crate::{
    agents::{Conclusion, Read},
    ids::{ExecutionNumber, Timestamp},
    vocabulary::{AgentEnd, Exit, Fact, Isolation, Message, MessageBuilder},
};

fn conclusion(lines: &[&str], exit: Exit) -> Conclusion {
    let mut reader = Scripted.reader(&Beforehand::default());
    for line in lines {
        reader.line(line.as_bytes());
    }
    reader.conclude(exit, "last words")
}

fn code(end: &AgentEnd) -> &str {
    match end {
        AgentEnd::Finished => "finished",
        AgentEnd::Failed { fault } => &fault.code,
        AgentEnd::RateLimited { .. } => "rate limited",
        AgentEnd::Auth { .. } => "auth",
        other => panic!("a reader cannot know of {other:?}"),
    }
}

#[test]
fn the_result_decides_then_the_exit() {
    let turn = r#"{"event":"turn"}"#;
    let good = r#"{"event":"result","is_error":false,"message":"done"}"#;
    let bad = r#"{"event":"result","is_error":true,"message":"no"}"#;
    let auth = r#"{"event":"auth","message":"who?"}"#;
    let limit = r#"{"event":"rate_limit","reset":"2026-12-01T00:00:00Z"}"#;
    let gone = r#"{"event":"result","is_error":true,"message":"gone","code":"session_unknown"}"#;
    let strange = r#"{"event":"result","is_error":true,"message":"no","code":"made_up"}"#;
    for (lines, status, expected) in [
        (vec![turn, strange], 1, "agent_error"),
        (vec![turn, good], 0, "finished"),
        (vec![turn, good], 3, "agent_error"),
        (vec![good], 0, "no_turn"),
        (vec![turn], 0, "agent_error"),
        (vec![turn, bad], 0, "agent_error"),
        (vec![turn, auth, bad], 1, "auth"),
        (vec![auth], 1, "auth"),
        (vec![turn, limit, bad], 0, "rate limited"),
        (vec![gone], 1, "session_unknown"),
        (vec![], 0, "agent_error"),
    ] {
        assert_eq!(code(&conclusion(&lines, Exit::Code(status)).end), expected, "{lines:?}");
    }
    let limited = conclusion(&[limit, bad], Exit::Code(0)).end;
    let until = Timestamp::parse("2026-12-01T00:00:00Z");
    assert_eq!(limited, AgentEnd::RateLimited { until, message: "no".to_owned() });
    assert!(conclusion(&[gone], Exit::Code(1)).session_unknown);
}

#[test]
fn every_event_becomes_what_it_means() {
    let mut reader = Scripted.reader(&Beforehand::default());
    let mut read = |line: &str| reader.line(line.as_bytes());
    assert_eq!(read(r#"{"event":"session","id":"s"}"#), [Read::Fact(Fact::Session { id: "s".to_owned() })]);
    assert_eq!(read(r#"{"event":"turn"}"#), [Read::Fact(Fact::TurnTaken)]);
    assert_eq!(read(r#"{"event":"turn"}"#), []);
    assert_eq!(read(r#"{"event":"text","text":"hi"}"#), [Read::Text("hi".to_owned())]);
    let denied = read(r#"{"event":"denied","tool":"Bash","input":"ls"}"#);
    assert!(matches!(&denied[..], [Read::Fact(Fact::Denied { denial })] if denial.count == 1));
    let used = read(r#"{"event":"usage","cost_usd":0.25,"tokens_in":null,"tokens_out":7}"#);
    let usage = crate::vocabulary::Usage { cost_usd: Some(0.25), tokens_in: None, tokens_out: Some(7) };
    assert_eq!(used, [Read::Fact(Fact::Usage { usage })]);
}

#[test]
fn a_resume_finds_the_file_of_its_conversation_again() {
    let message: Message = MessageBuilder::default().own("callbox: ").foreign("@x").finish();
    let id = UniqueId::mint();
    let (options, token, text) = (BTreeMap::new(), Secret::new("canary"), id.to_string());
    let told = |folder: &str, session: Session<'_>| -> serde_json::Value {
        let launch = Launch {
            program: Path::new("/bin/callbox"),
            directory: Path::new("/state/sandboxes/12/1"),
            folder: Path::new(folder),
            shim: Path::new("/bin/callbox-mcp"),
            socket: Path::new("/state/agent.sock"),
            token: &token,
            execution: ExecutionNumber::new(1),
            model: None,
            permissions: Permissions::Edit,
            cost_left_usd: None,
            isolation: &Isolation::None,
            environment: &BTreeMap::new(),
            options: &options,
            servers: &[],
            values: &BTreeMap::new(),
            session,
            message: &message,
            preamble: "",
            user: User::Ordinary,
        };
        let command = Scripted.command(&launch).unwrap();
        assert!(command.files[0].contents.expose().contains("canary"));
        assert!(!String::from_utf8_lossy(&command.input).contains("canary"));
        serde_json::from_slice(&command.input).unwrap()
    };
    let first = told("/state/executions/1", Session::New(id));
    let second = told("/state/executions/2", Session::Resume(&text));
    assert_eq!(first["session_file"], second["session_file"]);
    assert_eq!((&first["resume"], &second["resume"]), (&json!(false), &json!(true)));
    assert_eq!(second["message"], "callbox: @x");
    assert_eq!(second["mcp_config"], "/state/executions/2/mcp.json");
}

proptest! {
    #[test]
    fn no_line_however_broken_panics_or_makes_a_success(
        lines in prop::collection::vec(prop_oneof![
            prop::collection::vec(any::<u8>(), 0..100),
            "\\{\"event\":\"(turn|result|session|usage|text)\",?[ -~]{0,30}\\}".prop_map(String::into_bytes),
        ], 0..20),
    ) {
        let mut reader = Scripted.reader(&Beforehand::default());
        let plain = lines.iter().any(|line| {
            serde_json::from_slice::<serde_json::Value>(line).is_ok_and(|event| event["is_error"] == false)
        });
        for line in &lines {
            reader.line(line);
        }
        let end = reader.conclude(Exit::Code(0), "").end;
        prop_assert!(plain || end != AgentEnd::Finished);
    }
}
