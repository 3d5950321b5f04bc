//! Where the program itself is that npm's script only starts: were the script killed, the program would live on.

use std::{
    env::consts::{ARCH, OS},
    path::{Path, PathBuf},
};

/// Where the native program of the script `found` may be, as `@openai/codex` looks for it itself; nothing where
/// `found` is no such script.
pub(super) fn candidates(found: &Path) -> Vec<PathBuf> {
    let script = found.file_name().is_some_and(|name| name == "codex.js");
    let (true, Some((package, triple))) = (script, platform()) else { return Vec::new() };
    let Some(own) = found.parent().and_then(Path::parent) else { return Vec::new() };
    let beside = own.parent().map(|scope| scope.join(package));
    let within = own.join("node_modules/@openai").join(package);
    let packages = beside.into_iter().chain([within, own.to_owned()]);
    packages.map(|package| package.join("vendor").join(triple).join("bin/codex")).collect()
}

/// The same for the script of `@zed-industries/codex-acp`.
pub(in crate::agents) fn bridge_candidates(found: &Path) -> Vec<PathBuf> {
    let script = found.file_name().is_some_and(|name| name == "codex-acp.js");
    let (true, Some((package, _))) = (script, platform()) else { return Vec::new() };
    let Some(own) = found.parent().and_then(Path::parent) else { return Vec::new() };
    let package = package.replacen("codex-", "codex-acp-", 1);
    let beside = own.parent().map(|scope| scope.join(&package));
    let within = own.join("node_modules/@zed-industries").join(&package);
    beside.into_iter().chain([within]).map(|package| package.join("bin/codex-acp")).collect()
}

/// The name of this machine's package and of the folder in it.
fn platform() -> Option<(&'static str, &'static str)> {
    match (OS, ARCH) {
        ("linux", "x86_64") => Some(("codex-linux-x64", "x86_64-unknown-linux-musl")),
        ("linux", "aarch64") => Some(("codex-linux-arm64", "aarch64-unknown-linux-musl")),
        ("macos", "x86_64") => Some(("codex-darwin-x64", "x86_64-apple-darwin")),
        ("macos", "aarch64") => Some(("codex-darwin-arm64", "aarch64-apple-darwin")),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn behind_the_script_stands_the_program_of_this_machine_and_behind_a_program_nothing() {
        let (package, triple) = platform().unwrap();
        let found = candidates(Path::new("/n/@openai/codex/bin/codex.js"));
        let program = format!("{package}/vendor/{triple}/bin/codex");
        assert_eq!(found[0], PathBuf::from(format!("/n/@openai/{program}")));
        assert_eq!(found[1], PathBuf::from(format!("/n/@openai/codex/node_modules/@openai/{program}")));
        assert_eq!(found[2], PathBuf::from(format!("/n/@openai/codex/vendor/{triple}/bin/codex")));
        assert!(candidates(Path::new("/usr/bin/codex")).is_empty());
        let found = bridge_candidates(Path::new("/n/@zed-industries/codex-acp/bin/codex-acp.js"));
        let bridge = package.replace("codex-", "codex-acp-");
        assert_eq!(found[0], PathBuf::from(format!("/n/@zed-industries/{bridge}/bin/codex-acp")));
        assert!(bridge_candidates(Path::new("/usr/bin/codex-acp")).is_empty());
        assert!(candidates(Path::new("codex.js")).iter().all(|path| path.is_relative()));
    }
}
