//! The four tools as every client must be able to take them.

use serde_json::{Map, Value, json};

use crate::support::shim::{Shim, modern_meta, shim_command};

/// Words of JSON Schema that Gemini CLI, OpenAI's or Copilot's tool checks refuse or misread.
const REFUSED: [&str; 14] = [
    "$ref",
    "$defs",
    "$schema",
    "definitions",
    "anyOf",
    "oneOf",
    "allOf",
    "not",
    "if",
    "format",
    "nullable",
    "const",
    "pattern",
    "default",
];
const ALLOWED: [&str; 10] = [
    "type",
    "description",
    "minLength",
    "maxLength",
    "minimum",
    "maximum",
    "items",
    "maxItems",
    "enum",
    "minItems",
];

fn listed(shim: &mut Shim) -> Vec<Value> {
    shim.ask("tools/list", &json!({}))["result"]["tools"].as_array().unwrap().clone()
}

fn object(value: &Value) -> &Map<String, Value> {
    value.as_object().unwrap_or_else(|| panic!("no object: {value}"))
}

#[test]
fn every_tool_keeps_to_what_all_clients_take() {
    let mut shim = Shim::initialized();
    for tool in listed(&mut shim) {
        let name = tool["name"].as_str().unwrap();
        assert!((1..=40).contains(&name.len()), "{name}");
        assert!(name.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_'), "{name}");
        let description = tool["description"].as_str().unwrap();
        assert!((200..=1_500).contains(&description.chars().count()), "{name}: {}", description.len());
        assert!(!tool["title"].as_str().unwrap().is_empty());
        assert!(tool.get("outputSchema").is_none(), "{name}");

        let schema = object(&tool["inputSchema"]);
        let mut words: Vec<&str> = schema.keys().map(String::as_str).collect();
        words.sort_unstable();
        assert_eq!(words, ["additionalProperties", "properties", "required", "type"], "{name}");
        assert_eq!(schema["type"], "object");
        assert_eq!(schema["additionalProperties"], false);
        let properties = object(&schema["properties"]);
        for required in schema["required"].as_array().unwrap() {
            assert!(properties.contains_key(required.as_str().unwrap()), "{name}: {required}");
        }
        for (property, schema) in properties {
            flat(&format!("{name}.{property}"), schema);
            assert!(schema["description"].as_str().unwrap().len() > 20, "{name}.{property}");
        }
    }
    shim.leave();
}

/// One type, no word that some client refuses, arrays of scalars only.
#[track_caller]
fn flat(place: &str, schema: &Value) {
    for word in object(schema).keys() {
        assert!(!REFUSED.contains(&word.as_str()), "{place}: {word}");
        assert!(ALLOWED.contains(&word.as_str()), "{place}: {word}");
    }
    let kind = schema["type"].as_str().unwrap_or_else(|| panic!("{place}: not one type"));
    assert!(["string", "integer", "array"].contains(&kind), "{place}: {kind}");
    if let Some(words) = schema.get("enum") {
        assert!(kind == "string" && words.as_array().unwrap().iter().all(Value::is_string), "{place}");
    }
    if kind == "array" {
        assert_eq!(schema["items"]["type"], "string", "{place}");
        flat(place, &schema["items"]);
    }
}

#[test]
fn every_tool_has_all_four_hints_and_they_are_true() {
    let mut shim = Shim::initialized();
    for tool in listed(&mut shim) {
        let hints = object(&tool["annotations"]);
        assert_eq!(hints["title"], tool["title"]);
        // Each makes a record; none takes anything away; none leaves the store.
        assert_eq!(hints["readOnlyHint"], false);
        assert_eq!(hints["destructiveHint"], false);
        assert_eq!(hints["openWorldHint"], false);
        // The same question, summary or subtask again returns the first; a line of progress is added.
        assert_eq!(hints["idempotentHint"], tool["name"] != "record_progress", "{tool}");
    }
    shim.leave();
}

#[test]
fn no_tool_takes_an_id_of_a_task_or_a_run() {
    let mut shim = Shim::initialized();
    for tool in listed(&mut shim) {
        for property in object(&tool["inputSchema"]["properties"]).keys() {
            let words: Vec<&str> = property.split('_').collect();
            for word in ["id", "task", "execution", "run", "token", "parent"] {
                assert!(!words.contains(&word), "{property}");
            }
        }
    }
    shim.leave();
}

#[test]
fn each_description_says_when_and_what_next() {
    let mut shim = Shim::initialized();
    let descriptions: String = listed(&mut shim).iter().map(|tool| tool["description"].to_string()).collect();
    for words in [
        "After this call end your turn at once",
        "Do not use it for confirmation, for progress or to hand in your work",
        "never ask for a password",
        "go on working after it",
        "before you end your last turn",
        "Do not wait for it",
    ] {
        assert!(descriptions.contains(words), "{words}");
    }
    shim.leave();
}

#[test]
fn the_list_is_sorted_and_the_same_each_time_in_both_eras() {
    let mut shim = Shim::initialized();
    let tools = listed(&mut shim);
    let names: Vec<&str> = tools.iter().map(|tool| tool["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["ask_user", "record_progress", "report_summary", "spawn_subtask"]);
    let modern = shim.ask("tools/list", &json!({"_meta": modern_meta("2026-07-28")}));
    assert_eq!(modern["result"]["tools"].as_array().unwrap(), &tools);
    shim.leave();
    assert_eq!(listed(&mut Shim::initialized()), tools);
}

#[test]
fn ask_user_goes_by_another_name_where_that_is_wanted() {
    let mut command = shim_command();
    command.args(["--ask-as", "ask_human"]);
    let mut shim = Shim::from(command);
    let opening = shim.ask("initialize", &crate::support::shim::initialize_params("2025-06-18"));
    let instructions = opening["result"]["instructions"].as_str().unwrap();
    assert!(instructions.contains("`ask_human`") && !instructions.contains("ask_user"), "{instructions}");
    let tools = listed(&mut shim);
    let names: Vec<&str> = tools.iter().map(|tool| tool["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["ask_human", "record_progress", "report_summary", "spawn_subtask"]);
    assert!(!json!(tools).to_string().contains("ask_user"));
    let (is_error, text) = shim.call("ask_human", &json!({}));
    assert!(is_error && text.starts_with("`ask_human` was not recorded: `question` is required"), "{text}");
    let unknown = shim.ask("tools/call", &json!({"name": "ask_user", "arguments": {"question": "?"}}));
    assert_eq!(unknown["error"]["code"], -32602);
    shim.leave();
}
