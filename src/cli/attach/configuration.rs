//! The MCP configuration for an attached command, in a file only its user may read.

use std::{
    fs::{self, DirBuilder, OpenOptions},
    io::{self, Write as _},
    os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _},
    path::{Path, PathBuf},
};

use serde_json::json;

use crate::{
    agents::SERVER_NAME,
    layout::StateDir,
    protocol::operator::AttachReply,
    vocabulary::{EXECUTION_VARIABLE, SOCKET_VARIABLE, TOKEN_VARIABLE},
};

/// The file; removed with this value, since it holds the token.
#[derive(Debug)]
pub(crate) struct Configuration {
    path: PathBuf,
}

impl Configuration {
    /// Writes `{"mcpServers": {"callbox": {…}}}` into the execution's folder, which is made where it
    /// is missing. `shim` is the path of the shim.
    pub(crate) fn write(state: &StateDir, reply: &AttachReply, shim: &Path) -> io::Result<Self> {
        let folder = state.execution(reply.execution);
        DirBuilder::new().recursive(true).mode(0o700).create(&folder)?;
        let path = folder.join("mcp.json");
        let server = json!({
            "type": "stdio",
            "command": shim,
            "args": [],
            "env": {
                SOCKET_VARIABLE: state.agent_socket(),
                TOKEN_VARIABLE: reply.token.expose(),
                EXECUTION_VARIABLE: reply.execution.to_string(),
            },
        });
        let text = json!({ "mcpServers": { SERVER_NAME: server } }).to_string();
        let mut file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&path)?;
        let written = Self { path };
        file.write_all(text.as_bytes())?;
        Ok(written)
    }

    /// Where it stands.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }
}

impl Drop for Configuration {
    fn drop(&mut self) {
        // The token in it is worth nothing once the end is reported.
        let _ = fs::remove_file(&self.path);
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;
    use crate::ids::{ExecutionNumber, Secret, TaskNumber};

    #[test]
    fn the_file_is_the_owners_alone_and_goes_with_the_run() {
        let folder = tempfile::TempDir::new().unwrap();
        let state = StateDir::at(folder.path());
        let reply = AttachReply {
            execution: ExecutionNumber::new(31),
            task: TaskNumber::new(12),
            token: Secret::new("cbx_token"),
            supervisor_secret: Secret::new("cbx_secret"),
            messages: Vec::new(),
        };
        let written = Configuration::write(&state, &reply, Path::new("/bin/callbox-mcp")).unwrap();
        let path = written.path().to_owned();
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
        let text = fs::read_to_string(&path).unwrap();
        assert!(text.contains("cbx_token") && !text.contains("cbx_secret"));
        drop(written);
        assert!(!path.exists());
    }
}
