//! A scripted agent in a working directory of its own, told what the supervisor would tell it.

use std::{
    fs,
    io::{BufRead as _, BufReader, Read as _, Write as _},
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    sync::mpsc::{Receiver, channel},
    thread,
};

use serde_json::json;
use tempfile::TempDir;

use super::{
    cli::CALLBOX,
    played::{Played, events},
    raw_store::{RawStore, TOKEN},
    shim::SHIM,
    wait::{SOON, wait_until},
};

/// The conversation's id.
pub(crate) const SESSION: &str = "0197c2a0-0000-7000-8000-000000000001";

/// A conversation, and what it is held with.
pub(crate) struct Player {
    folder: TempDir,
    directory: PathBuf,
}

impl Player {
    /// One whose shim speaks to `store`.
    pub(crate) fn of(store: &RawStore) -> Self {
        let folder = TempDir::new().unwrap();
        let directory = folder.path().canonicalize().unwrap().join("work");
        fs::create_dir(&directory).unwrap();
        let player = Self { folder, directory };
        let env = json!({"CALLBOX_SOCKET": store.socket(), "CALLBOX_TOKEN": TOKEN});
        player
            .wire(&json!({"mcpServers": {"callbox": {"command": SHIM, "args": [], "env": env}}}).to_string());
        player
    }

    /// One whose shim has no store and needs none.
    pub(crate) fn alone() -> Self {
        Self::of(&RawStore::absent())
    }

    /// The same in another working directory.
    pub(crate) fn within(mut self, directory: PathBuf) -> Self {
        self.directory = directory;
        self
    }

    /// Writes the MCP configuration.
    pub(crate) fn wire(&self, configuration: &str) {
        fs::write(self.configuration(), configuration).unwrap();
    }

    /// Where the MCP configuration is.
    pub(crate) fn configuration(&self) -> PathBuf {
        self.folder.path().join("mcp.json")
    }

    /// Where the agent works.
    pub(crate) fn directory(&self) -> &Path {
        &self.directory
    }

    /// Where the conversation is kept.
    pub(crate) fn session_file(&self) -> PathBuf {
        self.folder.path().join("work.scripted.json")
    }

    /// Waits until so many steps are behind, by what a resume would find.
    #[track_caller]
    pub(crate) fn wait_for_place(&self, place: usize) {
        let kept = format!(r#""place":{place},"#);
        wait_until("the step is behind", SOON, || {
            fs::read_to_string(self.session_file()).is_ok_and(|session| session.contains(&kept))
        });
    }

    /// Plays `steps` in a new conversation, to the end of the turn.
    #[track_caller]
    pub(crate) fn play(&self, steps: &str) -> Played {
        self.open(steps).end()
    }

    /// Goes on in the conversation with `message`, to the end of the turn.
    #[track_caller]
    pub(crate) fn resume(&self, message: &str) -> Played {
        self.start(&self.told(true, message)).end()
    }

    /// Begins to play `steps` in a new conversation.
    pub(crate) fn open(&self, steps: &str) -> Playing {
        let message = format!(
            "callbox: this is your task 12 (x).\n----- instructions -----\n{steps}\n----- end of instructions -----\n"
        );
        self.start(&self.told(false, &message))
    }

    /// What the supervisor writes to its standard input.
    fn told(&self, resume: bool, message: &str) -> String {
        json!({
            "session": SESSION,
            "resume": resume,
            "message": message,
            "session_file": self.session_file(),
            "mcp_config": self.configuration(),
        })
        .to_string()
    }

    /// Starts the program with `input`.
    pub(crate) fn start(&self, input: &str) -> Playing {
        let mut command = Command::new(CALLBOX);
        command.arg("scripted").current_dir(&self.directory);
        command.env_clear().env("PATH", std::env::var_os("PATH").unwrap_or_default());
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().expect("callbox must start");
        let mut stdin = child.stdin.take().unwrap();
        // It may end before it has read everything.
        let _ = stdin.write_all(input.as_bytes());
        let (sender, lines) = channel();
        let stdout = BufReader::new(child.stdout.take().unwrap());
        thread::spawn(move || stdout.lines().map_while(Result::ok).try_for_each(|line| sender.send(line)));
        Playing { child, lines, heard: Vec::new() }
    }
}

/// A turn that goes on.
pub(crate) struct Playing {
    child: Child,
    lines: Receiver<String>,
    heard: Vec<String>,
}

impl Playing {
    /// The process's id.
    pub(crate) fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Waits until it says an event called `event`.
    #[track_caller]
    pub(crate) fn wait_for(&mut self, event: &str) {
        loop {
            let line = self.lines.recv_timeout(SOON);
            self.heard.push(line.unwrap_or_else(|_| panic!("no `{event}` after {:?}", self.heard)));
            if events(&self.heard).last().is_some_and(|said| said["event"] == event) {
                return;
            }
        }
    }

    /// Whether it still runs.
    pub(crate) fn runs(&mut self) -> bool {
        self.child.try_wait().unwrap().is_none()
    }

    /// Waits for its end.
    #[track_caller]
    pub(crate) fn end(mut self) -> Played {
        let mut heard = std::mem::take(&mut self.heard);
        while let Ok(line) = self.lines.recv_timeout(SOON) {
            heard.push(line);
        }
        wait_until("the scripted agent ends", SOON, || !self.runs());
        let status = self.child.wait().unwrap();
        let mut stderr = String::new();
        self.child.stderr.take().unwrap().read_to_string(&mut stderr).unwrap();
        Played { lines: heard, status, stderr }
    }
}

impl Drop for Playing {
    fn drop(&mut self) {
        // It may have ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
