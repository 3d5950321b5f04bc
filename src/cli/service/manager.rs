//! systemd's user manager, through the programs that a person would use.

use std::{collections::BTreeMap, io, path::Path, process::Stdio, time::Duration};

use tokio::{
    process::Command,
    time::{Instant, sleep, timeout},
};

use super::unit::NAME;

/// How long one of its programs may take.
const PATIENCE: Duration = Duration::from_secs(30);
/// How long a service may take to start until it is said how it stands.
const SETTLING: Duration = Duration::from_secs(5);
/// Between two looks at that.
const LOOK: Duration = Duration::from_millis(100);

/// How the service stands with the manager.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct State {
    /// `active`, `activating`, `inactive`, `failed` and so on.
    pub(super) active: String,
    /// `enabled`, `disabled`, `masked` and so on; empty where there is no such unit.
    pub(super) enabled: String,
    /// The file it was read from; empty where there is none.
    pub(super) file: String,
}

/// Reaches the manager, or says why it cannot be reached.
pub(super) async fn reach() -> Result<(), String> {
    systemctl(&["show", "--property=Version"]).await.map(drop)
}

/// Has it read its units anew.
pub(super) async fn reload() -> Result<(), String> {
    systemctl(&["daemon-reload"]).await.map(drop)
}

/// Has the service run now and from every start of the manager on. Not waited for: it may wait for another store.
pub(super) async fn enable() -> Result<(), String> {
    systemctl(&["enable", "--now", "--no-block", NAME]).await.map(drop)
}

/// Starts it anew, if it runs.
pub(super) async fn restart() -> Result<(), String> {
    systemctl(&["try-restart", "--no-block", NAME]).await.map(drop)
}

/// Stops it, and has it start no more.
pub(super) async fn disable() -> Result<(), String> {
    systemctl(&["disable", "--now", NAME]).await.map(drop)
}

/// How it stands.
pub(super) async fn state() -> Result<State, String> {
    let asked = ["show", NAME, "--property=ActiveState,UnitFileState,FragmentPath"];
    let printed = systemctl(&asked).await?;
    let mut all: BTreeMap<&str, &str> = printed.lines().filter_map(|line| line.split_once('=')).collect();
    let mut of = |name| all.remove(name).unwrap_or_default().to_owned();
    Ok(State { active: of("ActiveState"), enabled: of("UnitFileState"), file: of("FragmentPath") })
}

/// Waits until a service that was just started runs or has failed, or has taken its time.
pub(super) async fn started() -> Result<(), String> {
    let deadline = Instant::now() + SETTLING;
    while !["active", "failed"].contains(&state().await?.active.as_str()) && Instant::now() < deadline {
        sleep(LOOK).await;
    }
    Ok(())
}

/// Whether the person's services go on while they are not logged in; `None` where nobody knows.
pub(super) async fn lingers(user: Option<&str>) -> Option<bool> {
    let uid = rustix::process::getuid().as_raw().to_string();
    let asked = printed("loginctl", &["show-user", &uid, "--property=Linger"]).await;
    if let Some(value) = asked.ok().and_then(|text| Some(text.trim().strip_prefix("Linger=")?.to_owned())) {
        return Some(value == "yes");
    }
    // It knows only those who are there; the mark of the others is a file.
    let marks = Path::new("/var/lib/systemd/linger");
    marks.is_dir().then(|| user.is_some_and(|user| marks.join(user).exists()))
}

async fn systemctl(arguments: &[&str]) -> Result<String, String> {
    printed("systemctl", &[&["--user"], arguments].concat()).await
}

/// What `program` prints, or its own words for why it does not do it.
async fn printed(program: &str, arguments: &[&str]) -> Result<String, String> {
    let mut command = Command::new(program);
    command.args(arguments).env("LC_ALL", "C").stdin(Stdio::null()).kill_on_drop(true);
    let output = match timeout(PATIENCE, command.output()).await {
        Err(_) => return Err(format!("`{program}` did not end within {} s", PATIENCE.as_secs())),
        Ok(Err(error)) if error.kind() == io::ErrorKind::NotFound => {
            return Err(format!("`{program}` is not installed"));
        }
        Ok(Err(error)) => return Err(format!("`{program}` could not be started: {error}")),
        Ok(Ok(output)) => output,
    };
    if output.status.success() {
        return Ok(String::from_utf8_lossy(&output.stdout).into_owned());
    }
    let said = String::from_utf8_lossy(&output.stderr);
    let said = said.lines().map(str::trim).filter(|line| !line.is_empty()).collect::<Vec<_>>().join("; ");
    let line = format!("`{program} {}` ended with {}", arguments.join(" "), output.status);
    Err(if said.is_empty() { line } else { format!("{line}: {said}") })
}
