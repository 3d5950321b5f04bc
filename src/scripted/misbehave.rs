//! How agents misbehave.

use std::{
    io::Write as _,
    process::{Command, Stdio},
    time::Duration,
};

use rustix::process::{Signal, getpid, kill_process};
use tokio::signal::unix::{SignalKind, signal};

/// Dies of SIGKILL. Not of an abort, which may leave a core file in the sandbox that would be delivered.
pub(super) fn crash() -> ! {
    let _ = kill_process(getpid(), Signal::KILL);
    std::process::abort()
}

/// Takes SIGTERM, does nothing about it and never ends.
pub(super) async fn hang() -> ! {
    // The default action is gone as soon as somebody listens.
    let _terminate = signal(SignalKind::terminate());
    std::future::pending().await
}

/// Leaves a grandchild in a session of its own that lives for `time`: what neither a process group nor
/// a parent's id leads to.
pub(super) fn orphan(time: Duration) -> Result<(), String> {
    // The shell says that `setsid` is missing; behind `&` nobody would.
    let script = r#"command -v setsid >/dev/null && { setsid sleep "$1" </dev/null >/dev/null 2>&1 & }"#;
    let status = Command::new("sh")
        .args(["-c", script, "sh", &time.as_secs_f64().to_string()])
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .status();
    match status {
        Ok(status) if status.success() => Ok(()),
        Ok(_) => Err("no orphan could be left: the program `setsid` is missing".to_owned()),
        Err(error) => Err(format!("no orphan could be left: {error}")),
    }
}

/// Says at least `bytes` bytes of nothing, in lines.
pub(super) fn flood(bytes: u64) {
    let line = [b"{\"event\":\"noise\",\"text\":\"".as_slice(), &[b'x'; 4000], b"\"}\n"].concat();
    let mut output = std::io::stdout().lock();
    let mut said = 0;
    // Nobody to hear it is no reason to go on with this one.
    while said < bytes && output.write_all(&line).is_ok() {
        said += line.len() as u64;
    }
    let _ = output.flush();
}
