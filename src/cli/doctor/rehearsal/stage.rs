//! Where a rehearsal is played: a home, a hostile project, a state directory and two model servers, one that
//! plays the script and one that must hear nothing. All of it goes when this is dropped.

use std::{
    ffi::{OsStr, OsString},
    fs, io,
    path::{Path, PathBuf},
    process::{Output, Stdio},
    time::Duration,
};

use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;
use tempfile::TempDir;
use tokio::{
    process::Command,
    time::{sleep, timeout},
};

use super::play::script;
use crate::{
    agents::{Adapter, Rehearsal, Trap},
    cli::follow::Signals,
    fake_model::{FakeModel, Script},
    sandbox::{Git, new_project},
};

/// How long one command may take: an agent program may start a whole JavaScript engine twice in it.
const PATIENCE: Duration = Duration::from_secs(180);
/// How long it may take to cancel what it ran.
const FAREWELL: Duration = Duration::from_secs(20);

/// What was set up.
pub(super) struct Stage {
    folder: TempDir,
    agent: String,
    rehearsal: Rehearsal,
    callbox: PathBuf,
    search: Option<OsString>,
    /// Heard from the beginning: a doctor that is interrupted takes everything away first.
    signals: Signals,
    /// The server that plays the script.
    pub(super) model: FakeModel,
    /// The server that a hostile project names.
    pub(super) decoy: FakeModel,
}

/// What a command came to.
#[derive(Debug, Clone)]
pub(super) struct Played {
    /// Its exit status; -1 where a signal ended it.
    pub(super) status: i32,
    /// What it printed.
    pub(super) json: Value,
    /// The last line that it said.
    pub(super) said: String,
}

impl Stage {
    /// Sets all of it up for the `program` of `adapter`. `None` where that needs no rehearsal.
    pub(super) fn set(
        adapter: &dyn Adapter,
        program: &Path,
        search: Option<&OsStr>,
    ) -> Result<Option<Self>, String> {
        let failed = |error: io::Error| format!("the rehearsal could not be set up: {error}");
        let folder = tempfile::Builder::new().prefix("callbox-doctor-").tempdir().map_err(failed)?;
        let decoy = FakeModel::start(Script::default()).map_err(failed)?;
        let mark = folder.path().join("sprung");
        let trap = Trap { mark: &mark, decoy: &decoy.url() };
        let Some(rehearsal) = adapter.rehearsal(&trap) else { return Ok(None) };
        let model = FakeModel::start(script(&rehearsal, &adapter.tool_name("ask_user"))).map_err(failed)?;
        let callbox = std::env::current_exe().map_err(failed)?;
        let signals = Signals::listen().map_err(|error| error.sentence())?;
        let (agent, search) = (adapter.name().to_owned(), search.map(OsStr::to_owned));
        let stage = Self { folder, agent, rehearsal, callbox, search, signals, model, decoy };
        stage.furnish(program).map_err(failed)?;
        stage.make_project()?;
        Ok(Some(stage))
    }

    fn furnish(&self, program: &Path) -> io::Result<()> {
        let configuration = self.path("home/.config/callbox");
        for folder in [&configuration, &self.path("tmp"), &self.path("project")] {
            fs::create_dir_all(folder)?;
        }
        // What JSON escapes, TOML escapes in the same way.
        let named = Value::from(program.display().to_string());
        fs::write(
            configuration.join("config.toml"),
            format!("[agents.{}]\nprogram = {named}\n", self.agent),
        )?;
        for (path, text) in &self.rehearsal.traps {
            let path = self.path("project").join(path);
            path.parent().map_or(Ok(()), fs::create_dir_all)?;
            fs::write(path, text)?;
        }
        Ok(())
    }

    fn make_project(&self) -> Result<(), String> {
        let git = Git::new(&self.path("git")).map_err(|error| error.to_string())?.of_nobody();
        new_project(&git, &self.path("project")).map_err(|error| error.to_string())
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// The name of the agent that is rehearsed.
    pub(super) fn agent(&self) -> &str {
        &self.agent
    }

    /// Whether anything of the hostile project was obeyed.
    pub(super) fn is_sprung(&self) -> bool {
        self.path("sprung").exists()
    }

    /// How the program tells that the tool which runs commands was denied.
    pub(super) fn shell(&self) -> &'static str {
        self.rehearsal.shell_denied
    }

    /// Runs `callbox` with `arguments` and reads the JSON that it prints.
    pub(super) async fn callbox(&mut self, arguments: &[&str]) -> Result<Played, String> {
        let output = self.output(arguments).await?;
        let said = String::from_utf8_lossy(&output.stderr);
        let said = said.lines().rfind(|line| !line.trim().is_empty()).unwrap_or("it said nothing").to_owned();
        let json = serde_json::from_slice(&output.stdout);
        let json = json.map_err(|_| format!("`callbox {}` printed no JSON: {said}", arguments[0]))?;
        Ok(Played { status: output.status.code().unwrap_or(-1), json, said })
    }

    async fn output(&mut self, arguments: &[&str]) -> Result<Output, String> {
        let mut command = Command::new(&self.callbox);
        command.args(arguments).args(["--json", "--state"]).arg(self.path("state"));
        command.env_clear().current_dir(self.path("project"));
        command.env("HOME", self.path("home")).env("TMPDIR", self.path("tmp")).env("LANG", "C.UTF-8");
        command.envs(self.search.iter().map(|path| ("PATH", path)));
        command.envs((self.rehearsal.variables)(&self.model.url()));
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let failed = |error: io::Error| format!("callbox could not be started: {error}");
        let child = command.spawn().map_err(failed)?;
        let pid = child.id().and_then(|pid| Pid::from_raw(i32::try_from(pid).ok()?));
        let mut ending = Box::pin(child.wait_with_output());
        let (what, limit) = (arguments[0], PATIENCE.as_secs());
        let reason = tokio::select! {
            ended = &mut ending => return ended.map_err(failed),
            () = sleep(PATIENCE) => format!("`callbox {what}` with this program did not end within {limit} s"),
            _ = self.signals.next() => "the rehearsal was interrupted".to_owned(),
        };
        // Cancelled and not killed, so that nothing of it stays behind.
        if let Some(pid) = pid {
            let _ = kill_process(pid, Signal::TERM);
        }
        let _ = timeout(FAREWELL, &mut ending).await;
        Err(reason)
    }
}
