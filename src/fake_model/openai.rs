//! The Responses API, as far as Codex uses it.
//!
//! Codex asks in two ways. Classic: the tools stand in `tools`, those of an MCP server in a namespace of its name.
//! Code mode, with the models it knows: they stand in an item of the input, and there is a tool `exec` that takes
//! JavaScript, in which most other tools are functions. Some of these are named to nobody until a script asks.

use std::fmt::Write as _;

use axum::response::Response;
use serde_json::{Map, Value, json};

use super::{
    Request,
    dialect::{Dialect, Speech, stream},
};

/// The tool of code mode that runs scripts.
const SCRIPTS: &str = "exec";
/// Before the name of each function of scripts that is described.
const HEADING: &str = "### `";

/// The Responses API.
pub(super) struct Responses;

impl Dialect for Responses {
    fn asks(&self, path: &str) -> bool {
        path == "/v1/responses"
    }

    fn aside(&self, _: &str) -> Option<Value> {
        None
    }

    fn offered(&self, body: &Value) -> Vec<String> {
        let mut names = Vec::new();
        for tool in tools(body) {
            names.push(tool.name.clone());
            if tool.name == SCRIPTS {
                let headings = tool.description.split(HEADING).skip(1);
                names.extend(headings.filter_map(|rest| Some(rest.split_once('`')?.0.to_owned())));
            }
        }
        names
    }

    fn called(&self, body: &Value, offered: &[String], tool: &str) -> Option<String> {
        let scripts = || tools(body).iter().any(|tool| tool.name == SCRIPTS).then(|| tool.to_owned());
        super::choose::among(offered, tool).or_else(scripts)
    }

    fn spoken(&self, body: &Value) -> usize {
        let items = items(body);
        items.filter(|item| kind(item).ends_with("_call") || is_said_by(item, "assistant")).count()
    }

    fn said(&self, body: &Value) -> Vec<String> {
        items(body).filter(|item| is_said_by(item, "user")).flat_map(texts).collect()
    }

    fn system(&self, body: &Value) -> String {
        let instructions = body["instructions"].as_str().map(str::to_owned);
        let developer = items(body).filter(|item| is_said_by(item, "developer")).flat_map(texts);
        instructions.into_iter().chain(developer).collect::<Vec<_>>().join("\n")
    }

    fn tool_results(&self, body: &Value) -> Vec<Value> {
        items(body).filter(|item| kind(item).ends_with("_call_output")).cloned().collect()
    }

    fn turn(&self, request: &Request, number: usize, speech: &Speech) -> Response {
        let mut item = match speech {
            Speech::Words(words) => json!({
                "type": "message", "role": "assistant",
                "content": [{"type": "output_text", "text": words, "annotations": []}],
            }),
            Speech::Call(name, arguments) => call(&tools(&request.body), name, arguments),
        };
        item["id"] = json!(format!("item_{number:08}"));
        item["status"] = json!("completed");
        if kind(&item).ends_with("_call") {
            item["call_id"] = json!(format!("call_{number:08}"));
        }
        let id = format!("resp_{number:08}");
        streamed(&[
            json!({"type": "response.created", "response": {"id": id}}),
            json!({"type": "response.output_item.done", "output_index": 0, "item": item}),
            json!({"type": "response.completed", "response": {"id": id, "output": [item], "usage": usage()}}),
        ])
    }

    fn refusal(&self, _: u16, kind: &str, message: &str, more: &Map<String, Value>) -> Value {
        let mut error = more.clone();
        for (name, value) in [("type", kind), ("code", kind), ("message", message)] {
            error.insert(name.to_owned(), value.into());
        }
        json!({ "error": error })
    }
}

/// Tokens that every answer is said to take, the cached and the reasoning ones among them.
fn usage() -> Value {
    json!({
        "input_tokens": 1000, "input_tokens_details": {"cached_tokens": 100},
        "output_tokens": 20, "output_tokens_details": {"reasoning_tokens": 5}, "total_tokens": 1020,
    })
}

/// A tool that the model itself can call.
struct Tool {
    /// As it is called in full.
    name: String,
    /// Within the namespace.
    short: String,
    namespace: Option<String>,
    /// Whether it takes text instead of JSON.
    takes_text: bool,
    description: String,
}

/// What calls `name`: a function of its own, or a script that does.
fn call(tools: &[Tool], name: &str, arguments: &Value) -> Value {
    let Some(tool) = tools.iter().find(|tool| tool.name == name) else {
        return json!({"type": "custom_tool_call", "name": SCRIPTS, "input": script(name, arguments)});
    };
    let mut item = if tool.takes_text {
        json!({"type": "custom_tool_call", "name": tool.short, "input": arguments})
    } else {
        json!({"type": "function_call", "name": tool.short, "arguments": arguments.to_string()})
    };
    if let Some(namespace) = &tool.namespace {
        item["namespace"] = json!(namespace);
    }
    item
}

/// A script that finds the function by the end of its name, calls it and gives back what it gave.
fn script(name: &str, arguments: &Value) -> String {
    let name = json!(name);
    format!(
        "const names = ALL_TOOLS.map(tool => tool.name);\n\
         const name = names.find(name => name === {name} || name.endsWith('__' + {name}));\n\
         text(name ? JSON.stringify(await tools[name]({arguments})) : 'no tool ' + {name} + ' among ' + names);\n"
    )
}

/// The tools that the model can call, those of namespaces under their full names.
fn tools(body: &Value) -> Vec<Tool> {
    let listed = |list: &Value| list.as_array().cloned().unwrap_or_default();
    let added = items(body).filter(|item| kind(item) == "additional_tools");
    let mut found = Vec::new();
    for tool in listed(&body["tools"])
        .iter()
        .chain(&added.flat_map(|item| listed(&item["tools"])).collect::<Vec<_>>())
    {
        let name = tool["name"].as_str().unwrap_or(kind(tool));
        if kind(tool) == "namespace" {
            found.extend(listed(&tool["tools"]).iter().map(|tool| read(tool, Some(name))));
        } else {
            found.push(read(tool, None));
        }
    }
    found
}

fn read(tool: &Value, namespace: Option<&str>) -> Tool {
    let short = tool["name"].as_str().unwrap_or(kind(tool)).to_owned();
    let name = match namespace {
        Some(namespace) if namespace != "functions" => format!("{namespace}__{short}"),
        _ => short.clone(),
    };
    Tool {
        name,
        short,
        namespace: namespace.filter(|namespace| *namespace != "functions").map(str::to_owned),
        takes_text: kind(tool) == "custom",
        description: tool["description"].as_str().unwrap_or_default().to_owned(),
    }
}

fn items(body: &Value) -> impl Iterator<Item = &Value> {
    body["input"].as_array().into_iter().flatten()
}

fn kind(item: &Value) -> &str {
    item["type"].as_str().unwrap_or_default()
}

fn is_said_by(item: &Value, role: &str) -> bool {
    kind(item) == "message" && item["role"] == role
}

fn texts(item: &Value) -> Vec<String> {
    let blocks = item["content"].as_array().into_iter().flatten();
    blocks.filter_map(|block| block["text"].as_str()).map(str::to_owned).collect()
}

fn streamed(events: &[Value]) -> Response {
    let mut body = String::new();
    for event in events {
        // Writing to a string does not fail.
        let _ = writeln!(body, "event: {}\ndata: {event}\n", kind(event));
    }
    stream(body)
}
