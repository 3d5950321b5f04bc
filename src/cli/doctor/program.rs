//! Running a program for a moment to hear what it says.

use std::{process::Stdio, time::Duration};

use tokio::{process::Command, time::timeout};

/// How long a program may take to say its version: some start a whole JavaScript engine.
const PATIENCE: Duration = Duration::from_secs(30);

/// The first kilobytes it prints on stdout, or why there are none.
pub(super) async fn printed(command: &mut Command) -> Result<String, String> {
    command.stdin(Stdio::null()).stderr(Stdio::null()).kill_on_drop(true);
    let output = match timeout(PATIENCE, command.output()).await {
        Err(_) => return Err(format!("it did not end within {} s", PATIENCE.as_secs())),
        Ok(Err(error)) => return Err(format!("it could not be started: {error}")),
        Ok(Ok(output)) => output,
    };
    if !output.status.success() {
        return Err(format!("it ended with {}", output.status));
    }
    Ok(String::from_utf8_lossy(&output.stdout).chars().take(4_096).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn what_a_program_prints_is_heard_and_a_failure_is_said() {
        let shell = |script: &str| {
            let mut command = Command::new("/bin/sh");
            command.args(["-c", script]);
            command
        };
        assert_eq!(printed(&mut shell("echo 1.2")).await.as_deref(), Ok("1.2\n"));
        assert!(printed(&mut shell("exit 3")).await.unwrap_err().contains("exit status: 3"));
        let missing = printed(&mut Command::new("/nowhere/program")).await.unwrap_err();
        assert!(missing.contains("could not be started"), "{missing}");
    }
}
