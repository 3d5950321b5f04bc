//! A project of callbox's own making, for a rehearsal.

use std::path::Path;

use super::{Git, GitError, identity::callbox};

/// Makes the files that stand in `root` a project of one commit on the branch `main`.
pub fn new_project(git: &Git, root: &Path) -> Result<(), GitError> {
    git.project(root, "init").args(["--quiet", "--initial-branch=main"]).succeed()?;
    git.project(root, "add").args(["--all", "--force"]).succeed()?;
    callbox(git.project(root, "commit")).args(["--quiet", "--message=One commit to begin with"]).succeed()?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::sandbox::inspect;

    #[test]
    fn what_is_made_is_a_project_that_a_task_can_work_in() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().join("project");
        fs::create_dir(&root).unwrap();
        fs::write(root.join(".hidden"), "x").unwrap();
        let git = Git::new(&folder.path().join("git")).unwrap().of_nobody();
        new_project(&git, &root).unwrap();
        assert!(inspect(&git, &root).is_ok());
        let listed = git.project(&root, "ls-files").succeed().unwrap();
        assert_eq!(listed, b".hidden\n");
    }
}
