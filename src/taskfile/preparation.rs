//! The fields `copy` and `sparse`: what a sandbox gets of its project besides a clone, and of which folders it has one.

use std::path::{Component, Path, PathBuf};

use super::strings::lines;
use crate::document::{Faults, Node};

/// The paths below the root of the project that `field` holds, whatever stands there.
pub(super) fn paths(node: &Node, field: &str, faults: &mut Faults) -> Vec<PathBuf> {
    let mut paths = Vec::new();
    for line in lines(node, field, 4096, faults) {
        let path: PathBuf = Path::new(&line).components().collect();
        let plain = |part: Component<'_>| matches!(part, Component::Normal(name) if name != ".git");
        if path.as_os_str().is_empty() || !path.components().all(plain) {
            let message =
                format!("must hold paths below the root of the project, outside `.git`, not `{line}`");
            faults.field(node.line, field, message);
        } else {
            paths.push(path);
        }
    }
    paths
}
