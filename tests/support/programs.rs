//! Real programs of others, which `scripts/install-agents` puts below the target folder.

use std::{
    path::{Path, PathBuf},
    process::Command,
};

use callbox::{
    agents::{Catalogue, Program, Trap},
    settings::Settings,
};

use super::{described, fake_model::FakeModel};

/// The MCP Inspector's command line, on its own Node and with a home of its own; `None` where it is
/// not installed, which is said loudly and fails where tests may not be skipped.
#[track_caller]
pub(crate) fn inspector(home: &Path) -> Option<Command> {
    let node = installed("node")?;
    let inspector = installed("mcp-inspector")?;
    let mut command = Command::new(&node);
    let path = format!("{}:/usr/local/bin:/usr/bin:/bin", node.parent()?.display());
    command.env_clear().env("PATH", path).env("HOME", home).arg(inspector).arg("--cli");
    Some(command)
}

/// The variables that lead the agent program that callbox calls `agent` to `model`.
#[track_caller]
pub(crate) fn wired(agent: &str, model: &FakeModel) -> Vec<(&'static str, String)> {
    if let Some(variables) = described::variables(agent, &model.url()) {
        return variables;
    }
    let catalogue = shipped();
    let adapter = catalogue.find(agent).expect("callbox knows it");
    let trap = Trap { mark: Path::new("/nowhere"), decoy: "http://127.0.0.1:9" };
    let rehearsal = adapter.rehearsal(&trap).expect("it is a program of its own");
    (rehearsal.variables)(&model.url())
}

/// Python with the package that `scripts/install-agents` puts into the folder `name`; `None` where it is
/// not installed, as above.
#[track_caller]
pub(crate) fn python(name: &str) -> Option<Command> {
    let package = Path::new(env!("CARGO_TARGET_TMPDIR")).parent()?.join("agents").join(name);
    if !package.exists() {
        skipped(&format!("the Python package `{name}` is not installed; run scripts/install-agents"));
        return None;
    }
    // Where Python itself stands differs from machine to machine.
    let path = std::env::var_os("PATH").unwrap_or_default();
    let mut command = Command::new("python3");
    command.env_clear().env("PATH", path).env("PYTHONPATH", package).env("PYTHONDONTWRITEBYTECODE", "1");
    Some(command)
}

/// The path of a program that `scripts/install-agents` installs.
#[track_caller]
pub(crate) fn installed(program: &str) -> Option<PathBuf> {
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).parent()?;
    let path = target.join("agents/node_modules/.bin").join(program);
    if path.exists() {
        return Some(path);
    }
    skipped(&format!("`{program}` is not installed; run scripts/install-agents"));
    None
}

/// Every agent that callbox ships: those that are part of it and those that it has descriptions of.
pub(crate) fn shipped() -> Catalogue {
    Catalogue::built_in().describing(Settings::default().descriptions())
}

/// What the agent that callbox calls `agent` is called on the PATH.
pub(crate) fn program_of(agent: &str) -> String {
    let catalogue = shipped();
    match catalogue.find(agent).expect("callbox knows it").program() {
        Program::OnPath(name) => name.to_owned(),
        Program::BuiltIn => panic!("`{agent}` is part of callbox"),
    }
}

/// Says that a test is skipped, and why; fails where that is not allowed.
#[track_caller]
pub(crate) fn skipped(why: &str) {
    assert!(
        std::env::var_os("CALLBOX_TESTS_MAY_SKIP").is_none_or(|may| may != "no"),
        "may not be skipped: {why}"
    );
    eprintln!("SKIPPED: {why}");
}
