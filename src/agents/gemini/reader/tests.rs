use serde_json::{Value, json};

use super::*;
use crate::ids::Timestamp;

fn read_by(reader: &mut GeminiReader, event: &Value) -> Vec<Read> {
    reader.line(event.to_string().as_bytes())
}

fn said(words: &str) -> Value {
    json!({"type": "message", "role": "assistant", "content": words, "delta": true})
}

fn result() -> Value {
    json!({"type": "result", "timestamp": "2026-11-30T21:56:10.046Z", "status": "success"})
}

fn call(tool: &str) -> Value {
    json!({"type": "tool_use", "tool_name": tool, "tool_id": "c1", "parameters": {"command": "ls"}})
}

/// How a run of `events` ends.
fn ending(events: &[Value], exit: Exit, stderr: &str) -> AgentEnd {
    let mut reader = GeminiReader::default();
    for event in events {
        read_by(&mut reader, event);
    }
    Box::new(reader).conclude(exit, stderr).end
}

fn fault(end: AgentEnd) -> Fault {
    match end {
        AgentEnd::Failed { fault } => fault,
        other => panic!("no failure: {other:?}"),
    }
}

#[test]
fn every_event_becomes_what_it_means() {
    let mut reader = GeminiReader::default();
    let init = json!({"type": "init", "session_id": "s", "model": "flash"});
    let facts =
        [Fact::Session { id: "s".to_owned() }, Fact::Model { name: "flash".to_owned() }].map(Read::Fact);
    assert_eq!(read_by(&mut reader, &init), facts);
    let asked = json!({"type": "message", "role": "user", "content": "callbox: go"});
    assert_eq!(read_by(&mut reader, &asked), [], "what was said to the model proves nothing");
    assert_eq!(read_by(&mut reader, &said("I look")), [Read::Fact(Fact::TurnTaken)]);
    let activity = Read::Fact(Fact::Activity { text: "run_shell_command: ls".to_owned() });
    let shown = [Read::Text("I look".to_owned()), activity, Read::Text("> run_shell_command: ls".to_owned())];
    assert_eq!(read_by(&mut reader, &call("run_shell_command")), shown);
    let answer = json!({"type": "tool_result", "tool_id": "c1", "status": "success", "output": "a\nb"});
    assert_eq!(read_by(&mut reader, &answer), [Read::Text("  a\n  b".to_owned())]);
    let mut ended = result();
    ended["stats"] = json!({"total_tokens": 1025, "input_tokens": 1000, "output_tokens": 20});
    let usage = Usage { cost_usd: None, tokens_in: Some(1000), tokens_out: Some(25) };
    assert_eq!(read_by(&mut reader, &ended), [Read::Fact(Fact::Usage { usage })]);
    assert!(reader.done());
    read_by(&mut reader, &said("and on"));
    assert!(!reader.done(), "what is said behind a result opens the run again");
}

#[test]
fn callboxs_own_tools_go_by_their_own_names() {
    let mut reader = GeminiReader::default();
    let read = read_by(&mut reader, &call("mcp_callbox_ask_human"));
    assert!(read.contains(&Read::Text("> ask_user: ls".to_owned())), "{read:?}");
}

#[test]
fn a_denied_call_is_told_once_with_what_it_was_to_do() {
    let mut reader = GeminiReader::default();
    read_by(&mut reader, &call("run_shell_command"));
    let error = json!({"type": "policy_violation", "message": "Tool execution denied by policy."});
    let answer =
        json!({"type": "tool_result", "tool_id": "c1", "status": "error", "output": "", "error": error});
    let read = read_by(&mut reader, &answer);
    let denial = |read: &[Read]| {
        read.iter().any(|read| {
            matches!(read, Read::Fact(Fact::Denied { denial })
                if denial.tool == "run_shell_command" && denial.input == "ls" && denial.count == 1)
        })
    };
    assert!(denial(&read), "{read:?}");
    assert!(!denial(&read_by(&mut reader, &answer)), "a call is answered once");
}

#[test]
fn an_exit_with_0_and_without_a_result_is_a_failure() {
    let end = ending(&[said("working")], Exit::Code(0), "");
    assert!(fault(end).message.contains("status 0 and without a result"));
}

#[test]
fn a_good_result_is_believed_only_of_a_model_that_spoke_and_met_no_trouble() {
    let trouble =
        |severity: &str, message: &str| json!({"type": "error", "severity": severity, "message": message});
    let ended = |more: Value| fault(ending(&[said("x"), more, result()], Exit::Code(0), "")).message;
    assert_eq!(ending(&[said("x"), result()], Exit::Code(0), ""), AgentEnd::Finished);
    assert_eq!(ending(&[said("x"), result()], Exit::Signal(9), ""), AgentEnd::Finished);
    assert_eq!(fault(ending(&[result()], Exit::Code(0), "")).code, "no_turn");
    assert!(ended(trouble("error", "Maximum session turns exceeded")).contains("Maximum session turns"));
    assert!(ended(trouble("warning", "Loop detected, stopping execution")).contains("Loop detected"));
    let mild = [said("x"), trouble("warning", "a hook said no"), result()];
    assert_eq!(ending(&mild, Exit::Code(0), ""), AgentEnd::Finished);
    let odd = fault(ending(&[said("x"), result()], Exit::Code(7), "on stderr"));
    assert!(odd.message.contains("exited with status 7: on stderr"), "{odd:?}");
}

#[test]
fn a_limit_names_its_reset_where_the_provider_did() {
    let refused = |message: &str| {
        let error = json!({"type": "unknown", "message": message});
        json!({"type": "result", "timestamp": "2026-11-30T22:00:00Z", "status": "error", "error": error})
    };
    let until = |message: &str, stderr: &str| match ending(&[refused(message)], Exit::Code(173), stderr) {
        AgentEnd::RateLimited { until, .. } => until.map(|until| until.to_string()),
        other => panic!("{other:?}"),
    };
    let hour = "2026-11-30T23:00:00.000Z";
    assert_eq!(until("[API Error: quota. Please retry in 1h.]", "").as_deref(), Some(hour));
    let report = "Error when talking to Gemini API Full report\n message: 'Please retry in 1h.'";
    assert_eq!(until("[API Error: daily quota]", report).as_deref(), Some(hour));
    assert_eq!(until("[API Error: daily quota]", "a tool said: retry in 9h"), None);
}

#[test]
fn a_session_that_is_gone_and_a_login_that_is_missing_are_told_by_the_status() {
    let gone = "Error resuming session: No previous sessions found for this project.";
    let reader = Box::new(GeminiReader::default());
    let conclusion = reader.conclude(Exit::Code(42), gone);
    assert!(conclusion.session_unknown);
    assert_eq!(fault(conclusion.end).code, "session_unknown");
    let used = "Error starting session: Session ID \"x\" already exists.";
    assert_eq!(fault(ending(&[], Exit::Code(42), used)).code, "agent_error");
    assert!(matches!(ending(&[], Exit::Code(41), ""), AgentEnd::Auth { .. }));
    assert_eq!(fault(ending(&[], Exit::Code(55), "not trusted")).code, "agent_error");
}

#[test]
fn that_the_provider_is_asked_again_is_told_and_that_it_is_not_is_not() {
    let mut reader = GeminiReader::default();
    let mut told = |line: &str| match &reader.complaint(line.as_bytes())[..] {
        [Read::Fact(Fact::ProviderRetry { message })] => Some(message.clone()),
        [] => None,
        other => panic!("{other:?}"),
    };
    assert_eq!(
        told("Attempt 1 failed with status 429. Retrying with backoff... _ApiError: {").as_deref(),
        Some("the provider answered 429; asked again, 1 of 2 times")
    );
    let quota = told("Attempt 2 failed: You exceeded your current quota").unwrap();
    assert!(quota.starts_with("the provider refused: You exceeded"), "{quota}");
    assert_eq!(told("Attempt 3 failed: slow. Max attempts reached"), None);
    assert_eq!(told("Attempt x failed"), None);
    assert_eq!(told("Ripgrep is not available."), None);
}

#[test]
fn a_shim_that_was_lost_ends_the_run_and_a_tool_that_says_no_does_not() {
    let answered = |tool: &str, response: Value| {
        let answer = json!([{"functionResponse": {"name": "x", "response": response}}]);
        let message = format!(
            "MCP tool 'x' reported tool error for function call: {{\"args\":{{\"message\":\"Not connected\"}}}} with response: {answer}"
        );
        let error = json!({"type": "mcp_tool_error", "message": message});
        let mut reader = GeminiReader::default();
        read_by(&mut reader, &call(tool));
        read_by(
            &mut reader,
            &json!({"type": "tool_result", "tool_id": "c1", "status": "error", "error": error}),
        );
        reader
    };
    let gone = json!({"error": {"message": "MCP error -32000: Connection closed", "isError": true}});
    let mut reader = answered("mcp_callbox_report_summary", gone.clone());
    assert!(matches!(reader.hopeless(), Some(AgentEnd::Failed { fault }) if fault.code == "wiring"));
    read_by(&mut reader, &said("I go on."));
    read_by(&mut reader, &result());
    let conclusion = Box::new(reader).conclude(Exit::Code(0), "");
    assert!(conclusion.wiring.is_some());
    assert_eq!(fault(conclusion.end).code, "wiring");
    assert_eq!(answered("mcp_tracker_look", gone).hopeless(), None);
    let slow = json!({"error": {"message": "MCP error -32001: Request timed out", "isError": true}});
    assert_eq!(answered("mcp_callbox_report_summary", slow).hopeless(), None);
    let no = json!({"content": [{"type": "text", "text": "Not connected"}], "isError": true});
    assert_eq!(answered("mcp_callbox_report_summary", no).hopeless(), None);
}

#[test]
fn that_a_server_does_not_work_is_told_once() {
    let mut reader = GeminiReader::default();
    let line = b"MCP issues detected. Run /mcp list for status.";
    assert!(matches!(&reader.complaint(line)[..], [Read::Fact(Fact::Notice { .. })]));
    assert_eq!(reader.complaint(line), []);
}

#[test]
fn an_unfinished_call_is_not_remembered_for_ever() {
    let mut reader = GeminiReader::default();
    for _ in 0..2 * MOST {
        read_by(&mut reader, &call("glob"));
    }
    assert_eq!(reader.calls.len(), MOST);
    let at = Timestamp::parse("2026-11-30T21:56:10.046Z");
    assert_eq!(ResultEvent::read(&result()).at, at);
}
