//! What an attached command is given, in files only its user may read.

use std::{
    fs::{self, DirBuilder, OpenOptions},
    io::{self, Write as _},
    os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _},
    path::{Path, PathBuf},
};

use crate::{
    agents::{Form, Wiring, snippet},
    layout::StateDir,
    protocol::operator::AttachReply,
};

/// The files; removed with this value, since one holds the token.
#[derive(Debug)]
pub(crate) struct Configuration {
    servers: PathBuf,
    message: PathBuf,
}

impl Configuration {
    /// Writes `{"mcpServers": {"callbox": {…}}}` and what the command's agent should hear first into the execution's
    /// folder, which is made where it is missing. `shim` is the path of the shim.
    pub(crate) fn write(state: &StateDir, reply: &AttachReply, shim: &Path) -> io::Result<Self> {
        let folder = state.execution(reply.execution);
        DirBuilder::new().recursive(true).mode(0o700).create(&folder)?;
        let (socket, token, execution) = (&state.agent_socket(), &reply.token, reply.execution);
        let servers = snippet(Form::Json, &Wiring { shim, socket, token, execution });
        let opening = reply.opening.as_ref().map(|opening| opening.text(str::to_owned)).unwrap_or_default();
        let written = Self { servers: folder.join("mcp.json"), message: folder.join("message.txt") };
        for (path, text) in [(&written.servers, servers), (&written.message, opening)] {
            let mut file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(path)?;
            file.write_all(text.as_bytes())?;
        }
        Ok(written)
    }

    /// Where the MCP configuration stands.
    pub(crate) fn servers(&self) -> &Path {
        &self.servers
    }

    /// Where the words for the command's agent stand.
    pub(crate) fn message(&self) -> &Path {
        &self.message
    }
}

impl Drop for Configuration {
    fn drop(&mut self) {
        // The token in it is worth nothing once the end is reported.
        for path in [&self.servers, &self.message] {
            let _ = fs::remove_file(path);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;
    use crate::{
        ids::{ExecutionNumber, Secret, TaskNumber},
        vocabulary::Message,
    };

    #[test]
    fn the_files_are_the_owners_alone_and_go_with_the_run() {
        let folder = tempfile::TempDir::new().unwrap();
        let state = StateDir::at(folder.path());
        let reply = AttachReply {
            execution: ExecutionNumber::new(31),
            task: TaskNumber::new(12),
            token: Secret::new("cbx_token"),
            supervisor_secret: Secret::new("cbx_secret"),
            messages: Vec::new(),
            opening: Some(Message::own("callbox: go")),
        };
        let written = Configuration::write(&state, &reply, Path::new("/bin/callbox-mcp")).unwrap();
        let paths = [written.servers(), written.message()].map(Path::to_owned);
        for path in &paths {
            assert_eq!(fs::metadata(path).unwrap().permissions().mode() & 0o777, 0o600);
        }
        let [servers, message] = paths.clone().map(|path| fs::read_to_string(path).unwrap());
        assert!(servers.contains("cbx_token") && !servers.contains("cbx_secret"));
        assert_eq!(message, "callbox: go");
        drop(written);
        assert!(paths.iter().all(|path| !path.exists()));
    }
}
