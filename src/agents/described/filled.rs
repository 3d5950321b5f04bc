//! What placeholders stand for in one run.

use std::path::PathBuf;

use crate::{
    agents::{Launch, Session},
    vocabulary::PLACEHOLDERS,
};

/// The values of one run's placeholders, in the order of [`PLACEHOLDERS`].
pub(super) struct Filled {
    values: [String; PLACEHOLDERS.len()],
}

impl Filled {
    /// Those of `launch`.
    pub(super) fn of(launch: &Launch<'_>) -> Self {
        let session = match launch.session {
            Session::New(id) => id.to_string(),
            Session::Resume(id) => id.to_owned(),
        };
        let folder = folder(launch);
        let home = launch.environment.get("HOME").map_or("", |home| home.expose());
        Self {
            values: [
                mcp_file(launch).to_string_lossy().into_owned(),
                folder.to_string_lossy().into_owned(),
                launch.directory.to_string_lossy().into_owned(),
                session,
                launch.model.unwrap_or_default().to_owned(),
                launch.shim.to_string_lossy().into_owned(),
                home.to_owned(),
            ],
        }
    }

    /// `text` with what its placeholders stand for. Nothing that one stands for is looked through again.
    pub(super) fn fill(&self, text: &str) -> String {
        let mut filled = String::new();
        let mut rest = text;
        while let Some(at) = rest.find('{') {
            let (before, found) = rest.split_at(at);
            filled.push_str(before);
            let named = PLACEHOLDERS.iter().zip(&self.values).find(|(name, _)| found.starts_with(**name));
            let (value, length) = named.map_or(("{", 1), |(name, value)| (value.as_str(), name.len()));
            filled.push_str(value);
            rest = &found[length..];
        }
        filled + rest
    }
}

/// Where a run's files are.
pub(super) fn folder(launch: &Launch<'_>) -> PathBuf {
    launch.folder.join("agent")
}

/// The file that tells of MCP servers.
pub(super) fn mcp_file(launch: &Launch<'_>) -> PathBuf {
    folder(launch).join("mcp.json")
}
