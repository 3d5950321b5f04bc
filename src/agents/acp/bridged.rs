//! What one run of a program that speaks the protocol is given beyond what every one is.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::{
    acp::{Borrowed, Naming, Remembered},
    agents::{PrivateFile, Reach},
    ids::Secret,
};

/// What a program needs beyond the protocol.
#[derive(Debug)]
pub(in crate::agents) struct Bridged {
    /// Its arguments. Nothing secret and no word of the task stands there.
    pub(in crate::agents) arguments: Vec<String>,
    /// Variables in addition to those every agent is given.
    pub(in crate::agents) environment: BTreeMap<String, Secret>,
    /// To be written with mode 0600 before the start and removed after the end.
    pub(in crate::agents) files: Vec<PrivateFile>,
    /// What opens the session beside what the protocol names.
    pub(in crate::agents) meta: Value,
    /// The mode of the session.
    pub(in crate::agents) mode: Option<String>,
    /// The model, where it is asked for in the session and not otherwise.
    pub(in crate::agents) model: Option<String>,
    /// Where the names of its tools stand.
    pub(in crate::agents) naming: Naming,
    /// Where the standing instructions go.
    pub(in crate::agents) preamble: Preamble,
    /// How MCP servers are given their variables.
    pub(in crate::agents) secrets: Secrets,
    /// Arguments of the shim.
    pub(in crate::agents) shim_arguments: Vec<String>,
    /// Tools allowed beyond the permissions.
    pub(in crate::agents) allow: Vec<String>,
    /// Files of the conversation that it would overwrite.
    pub(in crate::agents) remembered: Option<Remembered>,
    /// Files of the person's that it uses.
    pub(in crate::agents) borrowed: Vec<Borrowed>,
    /// What callbox's own isolation lets it do in its directory.
    pub(in crate::agents) reach: Reach,
}

/// How MCP servers are given their variables, which are secret.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::agents) enum Secrets {
    /// By the protocol.
    Protocol,
    /// In a file, for a program that puts what the protocol says into the arguments of another.
    File,
}

/// Where the standing instructions go.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::agents) enum Preamble {
    /// Before the first message.
    BeforePrompt,
    /// Where the program reads its system prompt from: they are among the rest.
    Elsewhere,
}

impl Default for Bridged {
    fn default() -> Self {
        Self {
            arguments: Vec::new(),
            environment: BTreeMap::new(),
            files: Vec::new(),
            meta: Value::Null,
            mode: None,
            model: None,
            naming: Naming::Field,
            preamble: Preamble::BeforePrompt,
            secrets: Secrets::Protocol,
            shim_arguments: Vec::new(),
            allow: Vec::new(),
            remembered: None,
            borrowed: Vec::new(),
            reach: Reach::Write,
        }
    }
}
