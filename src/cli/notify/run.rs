//! One command with a limit, and nothing left of it behind that.

use std::{
    env, io,
    path::{Path, PathBuf},
    process::Stdio,
    time::Duration,
};

use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    process::{ChildStderr, Command},
    time::{Instant, sleep, timeout_at},
};

use crate::{
    process::{Family, Ladder, Pid, Process, Signal, Tree, end_tree},
    vocabulary::NotifyCommand,
};

/// What begins the names of callbox's own variables.
const OWN: &str = "CALLBOX_";
/// How much of what the command complains of is kept, in bytes.
const COMPLAINT: usize = 2 << 10;
/// Between two looks at what the command left running.
const LOOK: Duration = Duration::from_millis(50);
/// How a command that takes too long is ended.
const LADDER: Ladder =
    Ladder { ask: Some((Signal::Terminate, Duration::from_secs(2))), deadline: Duration::from_secs(10) };

/// Runs it with `input`; a sentence where it was not started, failed or took too long. Whatever it started in the
/// background belongs to it.
pub(super) async fn run(told: &NotifyCommand, input: &[u8]) -> Result<(), String> {
    let limit = Instant::now() + Duration::from_secs(told.limit_seconds);
    let family = Family::default();
    let mut command = Command::new(&told.program);
    command.args(&told.arguments).current_dir(home().as_deref().unwrap_or(Path::new("/"))).process_group(0);
    command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::piped());
    for (name, _) in env::vars_os().filter(|(name, _)| name.to_string_lossy().starts_with(OWN)) {
        command.env_remove(name);
    }
    let mut child =
        family.spawn(&mut command).map_err(|error| format!("it could not be started: {error}"))?;
    let root = child.id().and_then(Pid::new).and_then(|pid| Process::of(pid).ok());
    let (mut stdin, stderr) = (child.stdin.take(), child.stderr.take());
    let writing = async {
        if let Some(mut stdin) = stdin.take() {
            // Who does not want to know all of it need not read it.
            let _ = stdin.write_all(input).await;
        }
    };
    let mut complaint = Vec::new();
    let ended = timeout_at(limit, async {
        let (status, (), ()) = tokio::join!(child.wait(), writing, complaint_of(stderr, &mut complaint));
        let status = status?;
        while !family.adopted()?.is_empty() {
            let _ = family.reap_adopted()?;
            sleep(LOOK).await;
        }
        io::Result::Ok(status)
    })
    .await;
    let tree = Tree::Below { root, family: &family };
    let rest = end_tree(tree, LADDER).await.map_err(|survivors| survivors.to_string());
    let said = String::from_utf8_lossy(&complaint);
    let said = if said.trim().is_empty() { String::new() } else { format!(": {}", said.trim()) };
    match ended {
        Err(_) => Err(format!("it was ended after its limit of {} s{said}", told.limit_seconds)),
        Ok(Err(error)) => Err(format!("it could not be waited for: {error}")),
        Ok(Ok(status)) if !status.success() => Err(format!("it failed ({status}){said}")),
        Ok(Ok(_)) => rest,
    }
}

/// Reads to the end, so that nobody waits for a full pipe, and keeps the beginning.
async fn complaint_of(stderr: Option<ChildStderr>, kept: &mut Vec<u8>) {
    let Some(mut stderr) = stderr else { return };
    let mut bytes = [0; 1024];
    while let Ok(length @ 1..) = stderr.read(&mut bytes).await {
        let room = COMPLAINT.saturating_sub(kept.len());
        kept.extend_from_slice(&bytes[..length.min(room)]);
    }
}

/// Where the person is at home, if that is a folder.
fn home() -> Option<PathBuf> {
    env::var_os("HOME").map(PathBuf::from).filter(|home| home.is_dir())
}
