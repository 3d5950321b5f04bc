//! Nobody waits for "any child": that takes the exit status of a child that tokio waits for.

use std::{
    fs,
    path::{Path, PathBuf},
};

fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            sources(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
}

#[test]
fn no_source_waits_for_any_child() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut found = Vec::new();
    sources(&root.join("src"), &mut found);
    sources(&root.join("bin"), &mut found);
    assert!(found.len() > 20, "the sources are not where this test looks");
    for path in found {
        let text: String = fs::read_to_string(&path).unwrap().split_whitespace().collect();
        for waiting in ["waitpid(None", "waitpid(-1", "process::wait(", "waitpgid(", "WaitId::All"] {
            assert!(!text.contains(waiting), "{} has `{waiting}`", path.display());
        }
    }
}
