//! The agent program: where it is, and which version it says it is.

use std::{
    collections::BTreeMap,
    io,
    os::unix::process::CommandExt as _,
    path::{Path, PathBuf},
    process::Stdio,
    time::Duration,
};

use tokio::{io::AsyncReadExt as _, process::Command, time::timeout};

use super::{
    environment::DEFAULT_PATH,
    lookup::{find_on_path, is_executable},
};
use crate::{
    agents::{Adapter, Program},
    ids::Secret,
    process::Family,
    vocabulary::Fault,
};

/// This program, also after the file it was started from was replaced.
pub(super) const OWN_PROGRAM: &str = "/proc/self/exe";

/// The path of this program's file, also where that file was replaced meanwhile: for whom
/// [`OWN_PROGRAM`] would be itself.
pub(super) fn own_path() -> io::Result<PathBuf> {
    let own = std::env::current_exe()?;
    Ok(own.to_str().and_then(|path| path.strip_suffix(" (deleted)")).map_or(own.clone(), PathBuf::from))
}

/// How long a program may take to say its version: some start a whole JavaScript engine.
const PATIENCE: Duration = Duration::from_secs(15);

/// Finds the program of `adapter`: `configured` where there is one, else on the PATH of the run. What only starts
/// the program would stand between it and whoever ends it.
pub(super) fn find(
    adapter: &dyn Adapter,
    configured: Option<&Path>,
    environment: &BTreeMap<String, Secret>,
) -> Result<PathBuf, Fault> {
    let found = named(adapter, configured, environment)?;
    let real = found.canonicalize().unwrap_or_else(|_| found.clone());
    Ok(adapter.behind(&real).into_iter().find(|path| is_executable(path)).unwrap_or(found))
}

fn named(
    adapter: &dyn Adapter,
    configured: Option<&Path>,
    environment: &BTreeMap<String, Secret>,
) -> Result<PathBuf, Fault> {
    let name = match (adapter.program(), configured) {
        (Program::BuiltIn, _) => return Ok(OWN_PROGRAM.into()),
        (Program::OnPath(_), Some(path)) if is_executable(path) => return Ok(path.to_owned()),
        (Program::OnPath(_), Some(path)) => {
            let message = format!("the agent program `{}` is not an executable file", path.display());
            return Err(Fault::new("program_missing", message)
                .hinted(format!("correct `program` in `[agents.{}]` of the configuration", adapter.name())));
        }
        (Program::OnPath(name), None) => name,
    };
    let path = environment.get("PATH").map_or(DEFAULT_PATH, Secret::expose);
    find_on_path(name, path).ok_or_else(|| {
        Fault::new("program_missing", format!("the agent program `{name}` is not on the PATH of this run"))
            .hinted(format!(
                "install `{name}`, or name its path as `program` in `[agents.{}]` of the configuration; \
                 `callbox doctor` shows what is found",
                adapter.name()
            ))
    })
}

/// What `program` says its version is; `None` where it says none in time. To be asked with the
/// environment of the run: some versions depend on a folder it names.
pub(super) async fn version(
    adapter: &dyn Adapter,
    program: &Path,
    environment: &BTreeMap<String, Secret>,
    family: &Family,
) -> Option<String> {
    let mut command = std::process::Command::new(program);
    command.args(adapter.version_arguments()).env_clear().current_dir("/").arg0(arg0(program));
    command.envs(environment.iter().map(|(name, value)| (name, value.expose())));
    if let Some(scratch) = environment.get("TMPDIR") {
        command.envs(adapter.version_variables(Path::new(scratch.expose())));
    }
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut command = Command::from(command);
    let mut child = family.spawn(command.kill_on_drop(true)).ok()?;
    let output = child.stdout.take()?;
    let mut printed = Vec::new();
    let asked = async {
        output.take(4096).read_to_end(&mut printed).await.ok()?;
        child.wait().await.ok()
    };
    timeout(PATIENCE, asked).await.ok()??;
    adapter.parse_version(&String::from_utf8_lossy(&printed))
}

/// What a program is called in lists of processes; for callbox itself the path says nothing.
pub(super) fn arg0(program: &Path) -> &Path {
    if program == Path::new(OWN_PROGRAM) { Path::new("callbox") } else { program }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::agents::{Claude, Codex};

    #[test]
    fn a_missing_program_is_named_with_what_to_do() {
        let claude = &Claude;
        let environment = BTreeMap::from([("PATH".to_owned(), Secret::new("/nonexistent"))]);
        let fault = find(claude, None, &environment).unwrap_err();
        assert_eq!(fault.code, "program_missing");
        assert!(fault.message.contains("`claude`") && fault.hint.unwrap().contains("[agents.claude]"));
        let fault = find(claude, Some(Path::new("/nonexistent/claude")), &environment).unwrap_err();
        assert!(fault.message.contains("`/nonexistent/claude`"));
    }

    #[test]
    fn what_only_starts_the_program_is_looked_behind_also_through_a_link() {
        let folder = tempfile::tempdir().unwrap();
        let codex = &Codex;
        let script = folder.path().canonicalize().unwrap().join("@openai/codex/bin/codex.js");
        let program = codex.behind(&script)[0].clone();
        for path in [&script, &program] {
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, "").unwrap();
            std::fs::set_permissions(path, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
        }
        std::os::unix::fs::symlink(&script, folder.path().join("codex")).unwrap();
        let environment = BTreeMap::from([("PATH".to_owned(), Secret::new(folder.path().to_string_lossy()))]);
        assert_eq!(find(codex, None, &environment), Ok(program.clone()));
        std::fs::remove_file(program).unwrap();
        assert_eq!(find(codex, None, &environment), Ok(folder.path().join("codex")));
    }

    #[tokio::test]
    async fn the_version_is_asked_of_the_program_itself() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("claude");
        std::fs::write(&path, "#!/bin/sh\necho \"$SAID (Claude Code)\"\n").unwrap();
        std::fs::set_permissions(&path, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
        let claude = &Claude;
        let environment = BTreeMap::from([("SAID".to_owned(), Secret::new("2.1.332"))]);
        let family = Family::default();
        assert_eq!(version(claude, &path, &environment, &family).await.as_deref(), Some("2.1.332"));
        assert_eq!(version(claude, Path::new("/bin/false"), &environment, &family).await, None);
    }
}
