//! Claude Code behind `claude-agent-acp`, proved with version 0.49.0, which brings a Claude Code of its own along.

use serde_json::{Value, json};

use super::{
    command::environment,
    options::Options,
    permissions::{self, OFF},
};
use crate::{
    acp::Naming,
    agents::{
        Launch, Reach,
        acp::{Bridged, Preamble, Secrets},
        model_name::check_model,
    },
    vocabulary::{Fault, Permissions},
};

/// What of the program's own messages is passed on beside the protocol's: what its provider refuses stands there in
/// numbers, not only in words.
const RAW: [(&str, Option<&str>); 3] =
    [("system", Some("api_retry")), ("result", None), ("rate_limit_event", None)];

/// What a run of the bridge is given.
pub(in crate::agents) fn bridged(launch: &Launch<'_>) -> Result<Bridged, Fault> {
    let options = Options::read(launch.options)?;
    check_model(launch.model)?;
    permissions::check(launch.permissions, &options, launch.user)?;
    // It takes a mode from the repository's settings before any other; in this one it asks, and callbox answers.
    let mode = match launch.permissions {
        Permissions::Read => "default",
        Permissions::Edit => "acceptEdits",
        Permissions::Full => "bypassPermissions",
    };
    let mut environment = environment(options.contained);
    // Its tools are there from the first request on, and not looked for.
    environment.insert("ENABLE_TOOL_SEARCH".to_owned(), crate::ids::Secret::new("false"));
    Ok(Bridged {
        meta: meta(launch, &options),
        environment,
        mode: Some(mode.to_owned()),
        naming: Naming::Field,
        // It hands the servers on in an argument of Claude Code.
        secrets: Secrets::File,
        preamble: Preamble::Elsewhere,
        // What is allowed there by rule is not asked about.
        allow: options.allow,
        reach: reach(launch.permissions),
        ..Bridged::default()
    })
}

fn reach(permissions: Permissions) -> Reach {
    if permissions == Permissions::Read { Reach::Read } else { Reach::Write }
}

/// The settings of the repository are not read.
fn meta(launch: &Launch<'_>, options: &Options) -> Value {
    let raw = RAW.map(|(kind, subtype)| match subtype {
        Some(subtype) => json!({"type": kind, "subtype": subtype}),
        None => json!({"type": kind}),
    });
    let mut settings = json!({
        "settingSources": ["user"],
        "strictMcpConfig": true,
        "allowedTools": permissions::allowed(launch.permissions, options, launch.servers),
        "disallowedTools": OFF,
        // So that its CLAUDE.md is read although its settings are not.
        "additionalDirectories": [launch.directory],
    });
    let chosen = [
        ("model", launch.model.map(Value::from)),
        ("effort", options.effort.clone().map(Value::from)),
        ("maxTurns", options.max_turns.map(Value::from)),
        ("maxBudgetUsd", launch.cost_left_usd.map(Value::from)),
    ];
    for (name, value) in chosen {
        if let Some(value) = value {
            settings[name] = value;
        }
    }
    json!({
        "systemPrompt": {"append": launch.preamble},
        "claudeCode": {"options": settings, "emitRawSDKMessages": raw},
    })
}
