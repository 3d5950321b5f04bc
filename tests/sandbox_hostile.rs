//! A sandbox whose agent wants callbox to run its programs, read elsewhere, or deliver something else.

use std::{
    fs,
    os::unix::fs::{PermissionsExt as _, symlink},
    path::{Path, PathBuf},
    time::Duration,
};

use callbox::sandbox::{
    BaseRequest, DeliverError, DeliverRequest, Work, WorkError, commit_leftovers, deliver, diff, diff_stat,
    state,
};

use crate::support::{
    repository::{git, try_git, write},
    workshop::{BRANCH, Sandbox, Workshop},
};

/// A program that leaves a trace, and the trace.
struct Trap {
    program: PathBuf,
    trace: PathBuf,
}

impl Trap {
    fn new(workshop: &Workshop) -> Self {
        let (program, trace) = (workshop.repository.beside("trap"), workshop.repository.beside("ran"));
        let script = format!("#!/bin/sh\necho \"$0 $*\" >>'{}'\ncat\n", trace.display());
        fs::write(&program, script).unwrap();
        fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
        Self { program, trace }
    }

    #[track_caller]
    fn assert_untouched(&self) {
        assert!(!self.trace.exists(), "{}", fs::read_to_string(&self.trace).unwrap());
    }

    /// Every setting of git that names a program, and more that would lead it astray.
    fn config(&self, elsewhere: &Path) -> String {
        let program = self.program.display();
        format!(
            "[core]\n\trepositoryformatversion = 0\n\tfsmonitor = {program}\n\thooksPath = .git/evil-hooks\n\
            \tworktree = {elsewhere}\n\tpager = {program}\n\teditor = {program}\n\tsshCommand = {program}\n\
            \taskPass = {program}\n\tattributesFile = .git/evil-attributes\n\talternateRefsCommand = {program}\n\
            \tgitProxy = {program}\n[filter \"evil\"]\n\tclean = {program}\n\tsmudge = {program}\n\tprocess = {program}\n\
            \trequired = true\n[diff]\n\texternal = {program}\n[diff \"evil\"]\n\tcommand = {program}\n\
            \ttextconv = {program}\n[merge \"evil\"]\n\tdriver = {program}\n[uploadpack]\n\
            \tpackObjectsHook = {program}\n[commit]\n\tgpgSign = true\n[gpg]\n\tprogram = {program}\n\
            [credential]\n\thelper = {program}\n[url \"{elsewhere}\"]\n\tinsteadOf = /\n\
            [remote \"origin\"]\n\turl = ext::{program}\n\tuploadpack = {program}\n\treceivepack = {program}\n\
            [protocol]\n\tallow = always\n[alias]\n\tstatus = !{program}\n[include]\n\tpath = more\n\
            [gc]\n\tauto = 1\n[trace2]\n\teventTarget = {elsewhere}/trace\n[interactive]\n\tdiffFilter = {program}\n",
            elsewhere = elsewhere.display()
        )
    }

    /// Lays all of it out in the `.git` of `root`, with attributes that ask for the filters.
    fn lay(&self, root: &Path, elsewhere: &Path) {
        let own = root.join(".git");
        fs::write(own.join("config"), self.config(elsewhere)).unwrap();
        fs::write(own.join("more"), format!("[core]\n\tfsmonitor = {}\n", self.program.display())).unwrap();
        let attributes = "* filter=evil diff=evil merge=evil\n";
        write(&own, "evil-attributes", attributes);
        write(&own, "info/attributes", attributes);
        write(root, ".gitattributes", attributes);
        for folder in ["hooks", "evil-hooks"] {
            for hook in [
                "pre-commit",
                "post-commit",
                "commit-msg",
                "prepare-commit-msg",
                "reference-transaction",
                "post-index-change",
                "post-checkout",
                "fsmonitor-watchman",
                "pre-receive",
                "update",
                "post-receive",
                "pre-auto-gc",
                "post-merge",
                "proc-receive",
                "push-to-checkout",
            ] {
                write(&own, Path::new(folder).join(hook), "");
                fs::copy(&self.program, own.join(folder).join(hook)).unwrap();
            }
        }
    }
}

fn everything(workshop: &Workshop, sandbox: &Sandbox) {
    workshop.state(sandbox);
    let work = Work::Sandbox { directory: &sandbox.directory, base: &sandbox.base };
    diff(&workshop.git, work).unwrap();
    diff_stat(&workshop.git, work).unwrap();
    let leftovers = workshop.commit_leftovers(sandbox);
    let base = BaseRequest::Sandbox { directory: &sandbox.directory, commit: &leftovers.head };
    workshop.sandbox_from("child", base).unwrap();
    let delivery = workshop.deliver(sandbox).delivery.unwrap();
    assert_eq!(workshop.repository.git(["rev-parse", BRANCH]), delivery.head);
}

#[test]
fn no_program_that_a_sandbox_names_is_run() {
    let workshop = Workshop::new();
    let trap = Trap::new(&workshop);
    let sandbox = workshop.sandbox();
    sandbox.write("committed", "x");
    sandbox.commit("work");
    // The trap works: the agent's own git steps into it.
    trap.lay(&sandbox.directory, &sandbox.directory);
    try_git(&sandbox.directory, ["status"]);
    assert!(trap.trace.exists());
    fs::remove_file(&trap.trace).unwrap();

    trap.lay(&sandbox.directory, &workshop.repository.beside("elsewhere"));
    sandbox.write("README.md", "changed\n");
    sandbox.write("new", "new\n");
    everything(&workshop, &sandbox);
    trap.assert_untouched();
    let shown = workshop.repository.git(["show", &format!("{BRANCH}:new")]);
    assert_eq!(shown, "new");
    assert!(!workshop.repository.beside("elsewhere").exists());
}

#[test]
fn no_program_of_a_repository_inside_a_sandbox_is_run() {
    let workshop = Workshop::new();
    let trap = Trap::new(&workshop);
    let sandbox = workshop.sandbox();
    for (name, tracked) in [("tracked", true), ("untracked", false)] {
        let inner = sandbox.directory.join(name);
        workshop.repository.git(["clone", "-q", ".", inner.to_str().unwrap()]);
        if tracked {
            sandbox.write(
                ".gitmodules",
                format!("[submodule \"{name}\"]\npath = {name}\nurl = ./x\nignore = none\n"),
            );
            sandbox.git(&["add", name, ".gitmodules"]);
            sandbox.git(&["commit", "-q", "-m", "a repository inside"]);
        }
        trap.lay(&inner, &inner);
        write(&inner, "README.md", "changed\n");
    }
    sandbox.write("new", "x");
    everything(&workshop, &sandbox);
    trap.assert_untouched();
}

#[test]
fn an_index_with_a_monitor_of_the_agents_hides_nothing() {
    let workshop = Workshop::new();
    let trap = Trap::new(&workshop);
    let sandbox = workshop.sandbox();
    sandbox.git(&["update-index", "--assume-unchanged", "README.md"]);
    sandbox.git(&["update-index", "--skip-worktree", "src/lib.rs"]);
    sandbox.git(&["update-index", "--split-index", "--untracked-cache"]);
    sandbox.git(&["update-index", "--fsmonitor"]);
    trap.lay(&sandbox.directory, &sandbox.directory);
    sandbox.write("README.md", "changed\n");
    sandbox.write("src/lib.rs", "changed\n");
    assert_eq!(workshop.state(&sandbox).uncommitted, 3);
    fs::write(sandbox.directory.join(".git/index"), "rubbish").unwrap();
    assert_eq!(workshop.state(&sandbox).uncommitted, 3);
    everything(&workshop, &sandbox);
    trap.assert_untouched();
}

#[test]
fn objects_that_an_agent_borrows_from_elsewhere_are_not_seen() {
    let workshop = Workshop::new();
    let elsewhere = workshop.repository.beside("elsewhere");
    workshop.repository.git(["clone", "-q", ".", elsewhere.to_str().unwrap()]);
    write(&elsewhere, "secret", "a secret");
    git(&elsewhere, ["config", "user.name", "x"]);
    git(&elsewhere, ["config", "user.email", "x@x"]);
    git(&elsewhere, ["add", "-A"]);
    git(&elsewhere, ["commit", "-q", "-m", "secret"]);
    let secret = git(&elsewhere, ["rev-parse", "HEAD"]);
    let sandbox = workshop.sandbox();
    let objects = elsewhere.join(".git/objects");
    sandbox.write(".git/objects/info/alternates", format!("{}\n", objects.display()));
    sandbox.git(&["reset", "-q", "--hard", &secret]);
    let error = state(&workshop.git, &sandbox.directory, &sandbox.base).unwrap_err();
    assert!(matches!(error, WorkError::Git(_)), "{error:?}");
    let request = DeliverRequest {
        project: &workshop.repository.root(),
        sandbox: &sandbox.directory,
        base: &sandbox.base,
        head: &secret,
        branch: BRANCH,
    };
    assert!(deliver(&workshop.git, &request).is_err());
    assert_eq!(workshop.repository.git(["branch", "--list", "callbox/*"]), "");
}

#[test]
fn a_git_directory_that_points_elsewhere_is_refused() {
    let workshop = Workshop::new();
    let sandbox = workshop.sandbox();
    let own = sandbox.directory.join(".git");
    let elsewhere = workshop.repository.root().join(".git");
    let before = fs::read(elsewhere.join("HEAD")).unwrap();
    let task = "t12".parse().unwrap();
    let (directory, base) = (&*sandbox.directory, &*sandbox.base);
    let refuse = || {
        let error = state(&workshop.git, directory, base).unwrap_err();
        assert!(matches!(error, WorkError::NoGit { .. } | WorkError::Unread { .. }), "{error:?}");
        let request = callbox::sandbox::LeftoverRequest { directory, base, task };
        commit_leftovers(&workshop.git, &request).unwrap_err();
        let work = Work::Sandbox { directory, base };
        diff(&workshop.git, work).unwrap_err();
    };
    let kept = workshop.repository.beside("kept");
    fs::rename(&own, &kept).unwrap();
    fs::write(&own, format!("gitdir: {}\n", elsewhere.display())).unwrap();
    refuse();
    fs::remove_file(&own).unwrap();
    symlink(&elsewhere, &own).unwrap();
    refuse();
    fs::remove_file(&own).unwrap();
    fs::rename(&kept, &own).unwrap();
    fs::remove_file(own.join("HEAD")).unwrap();
    symlink(elsewhere.join("HEAD"), own.join("HEAD")).unwrap();
    refuse();
    fs::remove_file(own.join("HEAD")).unwrap();
    rustix::fs::mkfifoat(rustix::fs::CWD, own.join("HEAD"), rustix::fs::Mode::RWXU).unwrap();
    refuse();
    assert_eq!(fs::read(elsewhere.join("HEAD")).unwrap(), before);
}

#[test]
fn left_overs_are_never_written_through_links() {
    let workshop = Workshop::new();
    let sandbox = workshop.sandbox();
    let outside = workshop.repository.beside("outside");
    fs::create_dir(&outside).unwrap();
    fs::write(outside.join("index"), "precious").unwrap();
    sandbox.git(&["gc", "-q"]);
    let own = sandbox.directory.join(".git");
    fs::remove_file(own.join("index")).unwrap();
    symlink(outside.join("index"), own.join("index")).unwrap();
    sandbox.write("new", "x");
    workshop.commit_leftovers(&sandbox);
    assert_eq!(fs::read_to_string(outside.join("index")).unwrap(), "precious");

    sandbox.write("newer", "x");
    sandbox.git(&["pack-refs", "--all"]);
    fs::remove_dir_all(own.join("refs/heads")).unwrap();
    symlink(&outside, own.join("refs/heads")).unwrap();
    let task = "t12".parse().unwrap();
    let (directory, base) = (&*sandbox.directory, &*sandbox.base);
    let request = callbox::sandbox::LeftoverRequest { directory, base, task };
    commit_leftovers(&workshop.git, &request).unwrap_err();
    assert_eq!(fs::read_dir(&outside).unwrap().count(), 1);
}

#[test]
fn malformed_objects_do_not_reach_the_project() {
    let workshop = Workshop::new();
    let sandbox = workshop.sandbox();
    let blob = sandbox.git(&["hash-object", "-w", "README.md"]);
    let mut tree = b"100644 .git\0".to_vec();
    tree.extend((0..20).map(|index| u8::from_str_radix(&blob[index * 2..index * 2 + 2], 16).unwrap()));
    let file = workshop.repository.beside("tree");
    fs::write(&file, tree).unwrap();
    let tree = sandbox.git(&["hash-object", "-w", "-t", "tree", "--literally", file.to_str().unwrap()]);
    let head = sandbox.git(&["commit-tree", &tree, "-p", "HEAD", "-m", "evil"]);
    let request = DeliverRequest {
        project: &workshop.repository.root(),
        sandbox: &sandbox.directory,
        base: &sandbox.base,
        head: &head,
        branch: BRANCH,
    };
    let error = deliver(&workshop.git, &request).unwrap_err();
    assert!(matches!(error, DeliverError::Git(_)) && error.hint().is_some(), "{error:?}");
    assert_eq!(workshop.repository.git(["branch", "--list", "callbox/*"]), "");
}

#[test]
fn an_object_that_lies_about_its_name_is_not_delivered() {
    let workshop = Workshop::new();
    let sandbox = workshop.sandbox();
    sandbox.write("new", "honest\n");
    let head = sandbox.commit("work");
    let store = sandbox.directory.join(".git/objects");
    let place = |id: &str| store.join(&id[..2]).join(&id[2..]);
    let honest = sandbox.git(&["rev-parse", "HEAD:new"]);
    sandbox.write("other", "a lie\n");
    let lie = sandbox.git(&["hash-object", "-w", "other"]);
    fs::remove_file(place(&honest)).unwrap();
    fs::copy(place(&lie), place(&honest)).unwrap();
    let request = DeliverRequest {
        project: &workshop.repository.root(),
        sandbox: &sandbox.directory,
        base: &sandbox.base,
        head: &head,
        branch: BRANCH,
    };
    assert!(deliver(&workshop.git, &request).is_err());
    assert_eq!(workshop.repository.git(["branch", "--list", "callbox/*"]), "");
}

#[test]
fn a_fifo_that_git_would_wait_for_ends_in_an_error() {
    let workshop = Workshop::new();
    let sandbox = workshop.sandbox();
    let ignore = sandbox.directory.join(".gitignore");
    rustix::fs::mkfifoat(rustix::fs::CWD, ignore, rustix::fs::Mode::RWXU).unwrap();
    let git = workshop.git.clone().limited_to(Duration::from_millis(500));
    let error = state(&git, &sandbox.directory, &sandbox.base).unwrap_err();
    assert!(matches!(error, WorkError::Git(callbox::sandbox::GitError::TimedOut { .. })), "{error:?}");
}

#[test]
fn a_sandbox_replaced_by_a_link_is_refused() {
    let workshop = Workshop::new();
    let sandbox = workshop.sandbox();
    fs::remove_dir_all(&sandbox.directory).unwrap();
    symlink(workshop.repository.root(), &sandbox.directory).unwrap();
    let error = state(&workshop.git, &sandbox.directory, &sandbox.base).unwrap_err();
    assert!(matches!(error, WorkError::Gone { .. }), "{error:?}");
}
