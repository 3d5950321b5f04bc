//! Sparse sandboxes: they have the folders that were named, and what they lack is delivered as it was.

use std::{fs, os::unix::fs::symlink, path::Path};

use callbox::sandbox::{BaseRequest, MergeRequest, Rebased, Submodules, rebase, settle};

use crate::support::{
    cli::Desk,
    repository::{Repository, commit, git, write},
    workshop::{BRANCH, Sandbox, Workshop},
};

/// A project with several parts, in sandboxes with the part `apps/shop` alone.
fn workshop() -> Workshop {
    let workshop = Workshop { sparse: vec!["apps/shop".into()], ..Workshop::new() };
    parts(&workshop.repository);
    workshop
}

fn parts(project: &Repository) {
    for path in ["apps/list.txt", "apps/shop/src/a.txt", "apps/shop/b.txt", "apps/bank/c.txt", "libs/d.txt"] {
        project.write(path, "as it was\n");
    }
    project.commit("parts");
}

/// Every file of the sandbox, from its root.
fn files(sandbox: &Sandbox) -> Vec<String> {
    fn collect(root: &Path, folder: &Path, found: &mut Vec<String>) {
        for entry in fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
            let name = entry.strip_prefix(root).unwrap().display().to_string();
            match fs::symlink_metadata(&entry).unwrap() {
                _ if name == ".git" => {}
                kind if kind.is_dir() => collect(root, &entry, found),
                _ => found.push(name),
            }
        }
    }
    let mut found = Vec::new();
    collect(&sandbox.directory, &sandbox.directory, &mut found);
    found.sort();
    found
}

const CONE: [&str; 4] = ["README.md", "apps/list.txt", "apps/shop/b.txt", "apps/shop/src/a.txt"];

/// What the delivered branch changed of its base, as git tells it.
fn delivered(workshop: &Workshop, sandbox: &Sandbox) -> String {
    workshop.commit_leftovers(sandbox);
    workshop.deliver(sandbox);
    workshop.repository.git(["diff", "--name-status", "--no-renames", &sandbox.base, BRANCH])
}

#[test]
fn a_sandbox_has_its_folders_and_delivers_the_rest_as_it_was() {
    let workshop = workshop();
    let (sandbox, created) = workshop.sandbox_from("1", BaseRequest::Head).unwrap();
    assert_eq!((files(&sandbox), created.notes), (CONE.map(str::to_owned).to_vec(), Vec::new()));
    assert!(!workshop.state(&sandbox).changed && sandbox.git(&["status", "--porcelain"]).is_empty());
    sandbox.write("apps/shop/b.txt", "mended\n");
    fs::remove_file(sandbox.directory.join("apps/shop/src/a.txt")).unwrap();
    // Outside: in the place of a file that is not there, and where nothing is.
    sandbox.write("libs/d.txt", "mended\n");
    sandbox.write("libs/new.txt", "new\n");
    symlink("shop", sandbox.directory.join("apps/bank")).unwrap();
    assert_eq!(workshop.state(&sandbox).uncommitted, 5);
    let told = "M\tapps/shop/b.txt\nD\tapps/shop/src/a.txt\nM\tlibs/d.txt\nA\tlibs/new.txt";
    assert_eq!(
        delivered(&workshop, &sandbox),
        format!("A\tapps/bank\nD\tapps/bank/c.txt\n{told}"),
        "the link took a folder's place"
    );
    assert!(!workshop.state(&sandbox).changed || workshop.state(&sandbox).uncommitted == 0);
    assert_eq!(sandbox.git(&["status", "--porcelain"]), "");
}

#[test]
fn whatever_a_sparse_sandbox_starts_from_nothing_of_it_is_a_change() {
    let workshop = workshop();
    let project = &workshop.repository;
    let start = project.git(["rev-parse", "HEAD"]);
    let mut heads = Vec::new();
    for (name, path) in [("one", "libs/one.txt"), ("two", "apps/bank/two.txt")] {
        project.git(["checkout", "-q", "-b", name, &start]);
        project.write(path, name);
        heads.push(project.commit(name));
    }
    project.write("libs/d.txt", "not committed\n");
    project.write("new/file.txt", "new\n");
    let parent = workshop.sandbox();
    parent.write("apps/bank/c.txt", "of the parent\n");
    let head = parent.commit("parent's");
    let of_parent = BaseRequest::Sandbox { directory: &parent.directory, commit: &head };
    let more = BaseRequest::More { base: &start, head: &heads[0], delivered: None };
    for (name, base) in [
        ("head", BaseRequest::Head),
        ("branch", BaseRequest::Revision("one")),
        ("after", BaseRequest::After(&heads)),
        ("worktree", BaseRequest::Worktree),
        ("parent", of_parent),
        ("more", more),
    ] {
        let project = workshop.project();
        let project = if name == "worktree" { project.with_changes() } else { project };
        let (sandbox, _) = workshop.make(&project, name, base).unwrap();
        assert_eq!(files(&sandbox), CONE, "{name}");
        let state = workshop.state(&sandbox);
        assert_eq!((state.uncommitted, state.changed), (0, name == "more"), "{name}");
        assert_eq!(workshop.commit_leftovers(&sandbox).files, 0, "{name}");
        sandbox.write("apps/shop/b.txt", name);
        let work = workshop.commit_leftovers(&sandbox);
        let changed = ["diff", "--name-status", &format!("{}~1", work.head), &work.head];
        assert_eq!(sandbox.git(&changed), "M\tapps/shop/b.txt", "{name}");
    }
}

#[test]
fn only_a_commit_deletes_what_is_not_there() {
    let workshop = workshop();
    let project = &workshop.repository;
    project.git(["checkout", "-q", "-b", "other"]);
    project.write("libs/more.txt", "more");
    project.commit("more");
    project.git(["checkout", "-q", "main"]);
    let sandbox = workshop.sandbox();
    // The agent's own git spares its work tree what comes with the merge.
    sandbox.git(&["merge", "-q", "--no-ff", "-m", "merge", "other"]);
    sandbox.git(&["rm", "-q", "--sparse", "apps/bank/c.txt"]);
    sandbox.git(&["commit", "-q", "-m", "without"]);
    assert_eq!(files(&sandbox), CONE);
    assert_eq!(workshop.state(&sandbox).uncommitted, 0);
    // What it fetches and takes away again is not deleted by that.
    sandbox.git(&["sparse-checkout", "add", "libs"]);
    assert_eq!(workshop.state(&sandbox).uncommitted, 0);
    fs::remove_file(sandbox.directory.join("libs/d.txt")).unwrap();
    assert_eq!(delivered(&workshop, &sandbox), "D\tapps/bank/c.txt\nA\tlibs/more.txt");
}

/// It looks to itself as if nothing was deleted, and so it is.
#[test]
fn what_an_agent_hides_from_its_own_git_is_no_deletion() {
    let whole = Workshop::new();
    parts(&whole.repository);
    for (workshop, kept) in [(workshop(), "apps/shop"), (whole, "apps/shop")] {
        let (sandbox, _) = workshop.sandbox_from("1", BaseRequest::Head).unwrap();
        sandbox.git(&["sparse-checkout", "set", "libs"]);
        assert!(!sandbox.directory.join(kept).exists() && sandbox.git(&["status", "--porcelain"]).is_empty());
        assert!(!workshop.state(&sandbox).changed, "nothing was done");
        sandbox.write("libs/d.txt", "mended\n");
        assert_eq!(delivered(&workshop, &sandbox), "M\tlibs/d.txt");
        // Back in sight, it is looked at like everything else.
        sandbox.git(&["sparse-checkout", "disable"]);
        fs::remove_file(sandbox.directory.join("apps/shop/b.txt")).unwrap();
        assert_eq!(workshop.state(&sandbox).uncommitted, 1);
    }
}

#[test]
fn a_sandbox_whose_view_was_lost_is_still_a_sparse_one() {
    let workshop = workshop();
    let sandbox = workshop.sandbox();
    sandbox.write("apps/shop/b.txt", "mended\n");
    fs::remove_dir_all(workshop.place("1.git")).unwrap();
    assert_eq!(delivered(&workshop, &sandbox), "M\tapps/shop/b.txt");
}

#[test]
fn copies_come_from_outside_the_folders_and_take_the_place_of_nothing() {
    let workshop = Workshop {
        copy: ["libs", "apps/bank/c.txt", "apps/bank/.env"].map(Into::into).to_vec(),
        ..workshop()
    };
    let project = &workshop.repository;
    project.write(".gitignore", ".env\n");
    project.write(".worktreeinclude", ".env\n");
    project.commit("ignore");
    for path in
        ["libs/d.txt", "libs/local.txt", "apps/bank/c.txt", "apps/bank/.env", "apps/shop/.env", "x/.env"]
    {
        project.write(path, "local\n");
    }
    let (sandbox, created) = workshop.sandbox_from("1", BaseRequest::Head).unwrap();
    let copied = ["apps/bank/.env", "apps/shop/.env", "libs/local.txt"];
    let found: Vec<_> = files(&sandbox).into_iter().filter(|file| !CONE.contains(&file.as_str())).collect();
    assert_eq!(found, [".gitignore", ".worktreeinclude", copied[0], copied[1], copied[2]]);
    let note = "2 files that `copy` names are committed outside of `sparse`, and were not copied";
    assert!(created.notes.contains(&note.to_owned()), "{:?}", created.notes);
    sandbox.write("libs/work.txt", "work\n");
    assert_eq!(delivered(&workshop, &sandbox), "A\tlibs/work.txt");
}

#[test]
fn a_folder_that_is_not_there_is_named_and_submodules_come_only_within_the_folders() {
    let workshop = Workshop {
        submodules: Submodules::Filled,
        sparse: ["apps/shop", "app/slip", "README.md"].map(Into::into).to_vec(),
        ..workshop()
    };
    let project = &workshop.repository;
    let upstream = project.beside("up");
    fs::create_dir_all(&upstream).unwrap();
    git(&upstream, ["init", "-q", "-b", "main"]);
    for (key, value) in [("user.name", "Pat Person"), ("user.email", "pat@example.com")] {
        git(&upstream, ["config", key, value]);
    }
    write(&upstream, "name.txt", "up");
    commit(&upstream, "up");
    for path in ["apps/shop/sub", "libs/sub"] {
        let add = ["submodule", "--quiet", "add", upstream.to_str().unwrap(), path];
        project.git(["-c", "protocol.file.allow=always"].iter().chain(&add));
    }
    project.commit("with submodules");
    let (sandbox, created) = workshop.sandbox_from("1", BaseRequest::Head).unwrap();
    let missing = |folder| {
        format!("`sparse` names `{folder}`, which is no folder of the commit that the work starts from")
    };
    assert_eq!(created.notes, [missing("README.md"), missing("app/slip")]);
    assert!(sandbox.directory.join("apps/shop/sub/name.txt").exists());
    assert!(!sandbox.directory.join("libs").exists());
    assert!(!workshop.state(&sandbox).changed);
}

#[test]
fn work_that_goes_on_top_of_a_branch_leaves_the_sandbox_as_sparse_as_it_was() {
    let workshop = workshop();
    let project = &workshop.repository;
    let sandbox = workshop.sandbox();
    sandbox.write("libs/mine.txt", "mine");
    sandbox.write("apps/shop/b.txt", "mended\n");
    let head = workshop.commit_leftovers(&sandbox).head;
    for path in ["libs/theirs.txt", "libs/d.txt", "apps/bank/c.txt", "apps/shop/theirs.txt"] {
        project.write(path, "theirs\n");
    }
    project.commit("theirs");
    let (root, task) = (project.root(), "t12".parse().unwrap());
    let (sandbox_at, into) = (&*sandbox.directory, "main");
    let request =
        MergeRequest { project: &root, sandbox: sandbox_at, base: &sandbox.base, head: &head, into, task };
    let Rebased::Moved { base, head } = rebase(&workshop.git, &request).unwrap() else { panic!() };
    settle(&workshop.git, &MergeRequest { base: &base, head: &head, ..request }).unwrap();
    let mut expected: Vec<_> = CONE.into_iter().chain(["apps/shop/theirs.txt", "libs/mine.txt"]).collect();
    expected.sort_unstable();
    assert_eq!(files(&sandbox), expected);
    assert_eq!(fs::read_to_string(sandbox.directory.join("apps/shop/b.txt")).unwrap(), "mended\n");
    let sandbox = Sandbox { base, ..sandbox };
    assert_eq!(workshop.state(&sandbox).uncommitted, 0);
    assert_eq!(sandbox.git(&["status", "--porcelain"]), "");
    assert_eq!(sandbox.git(&["show", &format!("{head}:libs/theirs.txt")]), "theirs");
}

#[test]
fn a_sparse_task_asks_goes_on_is_delivered_and_taken_and_goes_on_again() {
    let (desk, project) = (Desk::new(), Repository::new());
    parts(&project);
    desk.write("home/.config/callbox/config.toml", "sparse = [\"libs\"]\n");
    let root = project.root().display().to_string();
    let steps = "- write: {path: apps/shop/b.txt, text: one}\n- ask: now?\n- write: {path: libs/e.txt, text: two}\n\
- summary: done\n";
    let run = ["run", "-C", &root, "--agent", "scripted", "--sparse", "apps/shop", "--json", "-p", steps];
    desk.callbox(run).end().expect(3);
    let sandbox = desk.state().join("sandboxes/1/1");
    // What is said of one task goes before what the configuration says of all.
    assert!(sandbox.join("apps/shop/src/a.txt").exists() && !sandbox.join("libs").exists());
    let ended = desk.callbox(["answer", "q1", "yes", "--run", "--json"]).end().expect(0).json();
    let delivery = &ended["delivery"];
    assert_eq!(delivery["files"], 2, "{ended}");
    desk.callbox(["take", "t1"]).end().expect(0);
    let changed = ["diff", "--name-status", "--no-renames", "HEAD~1", "HEAD"];
    assert_eq!(project.git(changed), "M\tapps/shop/b.txt\nA\tlibs/e.txt");
    assert_eq!(fs::read_to_string(project.root().join("libs/d.txt")).unwrap(), "as it was\n");
    fs::remove_dir_all(&sandbox).unwrap();
    // The scripted agent begins anew where its directory is new.
    desk.callbox(["resume", "t1", "More.", "--run"]).end().expect(3);
    let again = desk.callbox(["answer", "q2", "yes", "--run", "--json"]).end().expect(0).json();
    let head = again["delivery"]["head"].as_str().unwrap();
    let made = desk.state().join(again["sandbox"].as_str().unwrap());
    assert!(made.join("apps/shop/b.txt").exists() && !made.join("libs/d.txt").exists(), "{again}");
    let deleted = ["diff", "--name-only", "--diff-filter=D", "HEAD", head];
    assert_eq!(project.git(deleted), "");
}
