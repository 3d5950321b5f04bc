//! Making sandboxes: private clones of every kind of project, from every kind of base.

use std::{
    collections::HashSet,
    fs,
    os::unix::fs::{MetadataExt, PermissionsExt as _, symlink},
    path::Path,
};

use callbox::{
    sandbox::{BaseRequest, CreateError, Git},
    vocabulary::SandboxRules,
};

use crate::support::{
    repository::{Repository, git, try_git},
    workshop::{BRANCH, Workshop},
};

/// Every file below `folder`.
fn files(folder: &Path) -> Vec<fs::Metadata> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap().map(Result::unwrap) {
        if entry.file_type().unwrap().is_dir() {
            found.extend(files(&entry.path()));
        } else {
            found.push(entry.metadata().unwrap());
        }
    }
    found
}

#[test]
fn a_sandbox_stands_on_its_branch_at_the_projects_head() {
    for branch in ["main", "master", "weird/branch"] {
        let workshop = Workshop::of(Repository::on_branch(branch));
        workshop.repository.git(["tag", "v1"]);
        workshop.repository.git(["update-ref", "refs/remotes/origin/topic", "HEAD"]);
        let sandbox = workshop.sandbox();
        let head = workshop.repository.git(["rev-parse", "HEAD"]);
        assert_eq!(sandbox.base, head);
        assert_eq!(sandbox.git(&["symbolic-ref", "HEAD"]), format!("refs/heads/{BRANCH}"));
        for name in ["HEAD", branch, "v1", "origin/topic", BRANCH] {
            assert_eq!(sandbox.git(&["rev-parse", name]), head, "{name}");
        }
        assert_eq!(sandbox.git(&["status", "--porcelain"]), "");
        assert_eq!(fs::metadata(&sandbox.directory).unwrap().permissions().mode() & 0o777, 0o700);
        sandbox.git(&["fsck", "--strict"]);
    }
}

#[test]
fn a_sandbox_shares_no_file_with_its_project_nor_objects_with_anyone() {
    let repository = Repository::new();
    let borrower = repository.beside("borrower");
    repository.git(["clone", "-q", "--shared", ".", borrower.to_str().unwrap()]);
    let workshop = Workshop::of(repository);
    for project in [workshop.repository.root(), borrower] {
        let sandbox = workshop.sandbox_of(&project);
        let theirs: HashSet<_> = files(&project).iter().map(MetadataExt::ino).collect();
        let ours = files(&sandbox.directory);
        assert!(ours.iter().all(|file| file.nlink() == 1 && !theirs.contains(&file.ino())));
        assert!(!sandbox.directory.join(".git/objects/info/alternates").exists());
        sandbox.git(&["fsck", "--strict"]);
    }
}

#[test]
fn an_agent_can_commit_at_once_and_as_the_person_where_one_is_known() {
    let workshop = Workshop::new();
    let sandbox = workshop.sandbox();
    sandbox.write("new", "x");
    sandbox.commit("mine");
    assert_eq!(sandbox.git(&["log", "-1", "--format=%an <%ae>"]), "Pat Person <pat@example.com>");

    workshop.repository.git(["config", "--remove-section", "user"]);
    let (nobodys, _) = workshop.sandbox_from("2", BaseRequest::Head).unwrap();
    nobodys.commit("nobody's");
    assert_eq!(nobodys.git(&["log", "-1", "--format=%an <%ae>"]), "callbox <callbox@localhost>");

    let home = workshop.repository.beside("home");
    fs::create_dir(&home).unwrap();
    fs::write(home.join(".gitconfig"), "[user]\nname = Global\nemail = g@example.com\n").unwrap();
    let of_person = Workshop { git: workshop.git.clone().of_person(home), ..workshop };
    let (persons, _) = of_person.sandbox_from("3", BaseRequest::Head).unwrap();
    persons.commit("hers");
    assert_eq!(persons.git(&["log", "-1", "--format=%an <%ae>"]), "Global <g@example.com>");
}

#[test]
fn the_remotes_are_the_projects_own_and_nothing_can_be_pushed() {
    let workshop = Workshop::new();
    let upstream = workshop.repository.beside("upstream.git");
    workshop.repository.git(["clone", "-q", "--bare", ".", upstream.to_str().unwrap()]);
    workshop.repository.git(["remote", "add", "origin", "../upstream.git"]);
    workshop.repository.git(["remote", "add", "me", "."]);
    let secret = "https://user:secret@example.com/x.git";
    workshop.repository.git(["remote", "add", "far", secret]);
    workshop.repository.git(["remote", "set-url", "--push", "far", secret]);
    let sandbox = workshop.sandbox();
    assert_eq!(sandbox.git(&["remote"]), "far\norigin");
    assert_eq!(sandbox.git(&["remote", "get-url", "origin"]), upstream.to_str().unwrap());
    sandbox.git(&["fetch", "-q", "origin"]);
    assert_eq!(sandbox.git(&["rev-parse", "origin/main"]), sandbox.base);
    sandbox.commit("mine");
    for remote in ["origin", "far"] {
        let output = try_git(&sandbox.directory, ["push", remote, "HEAD:main"]);
        let words = String::from_utf8_lossy(&output.stderr);
        assert!(!output.status.success() && words.contains("pushing-is-off-in-a-callbox-sandbox"), "{words}");
    }
    assert_eq!(git(&upstream, ["rev-parse", "main"]), sandbox.base);
    let config = fs::read_to_string(sandbox.directory.join(".git/config")).unwrap();
    assert!(!config.contains("secret") && !config.contains("project"), "{config}");
}

#[test]
fn linked_work_trees_detached_heads_and_shallow_projects_are_cloned() {
    let repository = Repository::new();
    let second = repository.commit("second");
    let first = repository.git(["rev-parse", "HEAD~1"]);
    let linked = repository.beside("linked");
    repository.git(["worktree", "add", "-q", "--detach", linked.to_str().unwrap(), &first]);
    let shallow = repository.beside("shallow");
    let url = format!("file://{}", repository.root().display());
    repository.git(["clone", "-q", "--depth=1", &url, shallow.to_str().unwrap()]);
    git(&shallow, ["checkout", "-q", "--detach"]);
    git(&shallow, ["branch", "-D", "main"]);
    let workshop = Workshop::of(repository);
    for (project, head) in [(linked, &first), (shallow, &second)] {
        let sandbox = workshop.sandbox_of(&project);
        assert_eq!(sandbox.base, *head);
        assert_eq!(sandbox.git(&["rev-parse", "HEAD"]), *head);
        assert_eq!(sandbox.git(&["rev-list", "--count", "HEAD"]), "1");
        assert_eq!(sandbox.git(&["status", "--porcelain"]), "");
    }
}

#[test]
fn a_shallow_detached_commit_that_no_reference_holds_is_cloned() {
    let repository = Repository::new();
    repository.commit("second");
    let shallow = repository.beside("shallow");
    let url = format!("file://{}", repository.root().display());
    repository.git(["clone", "-q", "--depth=1", &url, shallow.to_str().unwrap()]);
    git(&shallow, ["config", "user.name", "x"]);
    git(&shallow, ["config", "user.email", "x@example.com"]);
    git(&shallow, ["checkout", "-q", "--detach"]);
    git(&shallow, ["commit", "-q", "--allow-empty", "-m", "loose"]);
    let workshop = Workshop::of(repository);
    let sandbox = workshop.sandbox_of(&shallow);
    assert_eq!(sandbox.git(&["log", "-1", "--format=%s"]), "loose");
}

#[test]
fn a_branch_a_tag_or_a_commit_can_be_the_base() {
    let workshop = Workshop::new();
    let first = workshop.repository.git(["rev-parse", "HEAD"]);
    workshop.repository.git(["tag", "-a", "-m", "x", "v1"]);
    workshop.repository.git(["branch", "old"]);
    let second = workshop.repository.commit("second");
    for (number, (name, commit)) in
        [("old", &first), ("v1", &first), (&first[..8], &first), ("HEAD", &second), ("HEAD~1", &first)]
            .into_iter()
            .enumerate()
    {
        let (sandbox, _) = workshop.sandbox_from(&number.to_string(), BaseRequest::Revision(name)).unwrap();
        assert_eq!((&sandbox.base, &sandbox.git(&["rev-parse", "HEAD"])), (commit, commit), "{name}");
    }
}

#[test]
fn a_base_that_does_not_exist_is_refused_before_anything_is_copied() {
    let workshop = Workshop::new();
    for name in ["nowhere", "--help", "", "HEAD:README.md"] {
        let error = workshop.sandbox_from("1", BaseRequest::Revision(name)).err().unwrap();
        assert!(matches!(error, CreateError::NoSuchBase { .. }), "{error:?}");
        assert!(error.hint().is_some());
    }
    assert_eq!(fs::read_dir(workshop.place("1").parent().unwrap()).unwrap().count(), 0);
}

#[test]
fn the_works_of_several_predecessors_are_merged() {
    let workshop = Workshop::new();
    let mut heads = Vec::new();
    for name in ["one", "two", "three"] {
        workshop.repository.git(["checkout", "-q", "-b", name, "main"]);
        workshop.repository.write(name, name);
        heads.push(workshop.repository.commit(name));
    }
    workshop.repository.git(["checkout", "-q", "main"]);
    let (none, _) = workshop.sandbox_from("0", BaseRequest::After(&[])).unwrap();
    assert_eq!(none.base, workshop.project().head);
    let (single, _) = workshop.sandbox_from("1", BaseRequest::After(&heads[..1])).unwrap();
    assert_eq!(single.base, heads[0]);
    let (all, _) = workshop.sandbox_from("2", BaseRequest::After(&heads)).unwrap();
    for name in ["one", "two", "three"] {
        assert_eq!(fs::read_to_string(all.directory.join(name)).unwrap(), name);
    }
    assert_eq!(all.git(&["rev-parse", "HEAD"]), all.base);
    assert_eq!(all.git(&["log", "-1", "--format=%an"]), "callbox");
    assert!(!workshop.state(&all).changed);
}

#[test]
fn works_that_do_not_go_together_are_refused_with_the_names_of_the_files() {
    let workshop = Workshop::new();
    let mut heads = Vec::new();
    for name in ["one", "two"] {
        workshop.repository.git(["checkout", "-q", "-b", name, "main"]);
        workshop.repository.write("README.md", name);
        workshop.repository.write("odd\nname", name);
        heads.push(workshop.repository.commit(name));
    }
    let error = workshop.sandbox_from("1", BaseRequest::After(&heads)).err().unwrap();
    let CreateError::Conflict { files, commit } = &error else { panic!("{error:?}") };
    assert_eq!((files, commit), (&vec!["README.md".to_owned(), "odd\nname".to_owned()], &heads[1]));
    assert!(error.to_string().contains("`README.md`"));
    assert_eq!(fs::read_dir(workshop.place("1").parent().unwrap()).unwrap().count(), 0);
}

#[test]
fn a_subtask_starts_from_a_commit_in_its_parents_sandbox() {
    let workshop = Workshop::new();
    let parent = workshop.sandbox();
    parent.write("by-parent", "x");
    let commit = parent.commit("the parent's");
    parent.write("by-parent", "later");
    let base = BaseRequest::Sandbox { directory: &parent.directory, commit: &commit };
    let (child, _) = workshop.sandbox_from("child", base).unwrap();
    assert_eq!(child.base, commit);
    assert_eq!(fs::read_to_string(child.directory.join("by-parent")).unwrap(), "x");
    child.write("by-child", "y");
    child.commit("the child's");
    let delivery = workshop.deliver(&child).delivery.unwrap();
    assert_eq!((delivery.base, delivery.commits, delivery.files), (commit, 1, 1));
    assert_eq!(workshop.repository.git(["rev-list", "--count", &format!("main..{BRANCH}")]), "2");
}

#[test]
fn what_an_interrupted_clone_left_is_replaced_and_a_finished_sandbox_never() {
    let workshop = Workshop::new();
    let directory = workshop.place("1");
    let partial = directory.with_extension("partial");
    for left in [&partial, &directory.with_extension("git")] {
        fs::create_dir_all(left.join(".git/objects")).unwrap();
        fs::write(left.join(".git/HEAD"), "half").unwrap();
        fs::write(left.join("HEAD"), "half").unwrap();
    }
    let sandbox = workshop.sandbox();
    assert!(!partial.exists());
    assert!(!workshop.state(&sandbox).changed);
    sandbox.write("work", "precious");
    let error = workshop.sandbox_from("1", BaseRequest::Head).err().unwrap();
    assert!(matches!(error, CreateError::Occupied { .. }));
    assert_eq!(fs::read_to_string(directory.join("work")).unwrap(), "precious");
}

#[test]
fn a_failed_clone_leaves_nothing() {
    let workshop = Workshop::new();
    let project = workshop.project();
    fs::remove_dir_all(project.root.join(".git/objects")).unwrap();
    assert!(workshop.make(&project, "1", BaseRequest::Head).is_err());
    assert_eq!(fs::read_dir(workshop.place("1").parent().unwrap()).unwrap().count(), 0);
}

#[test]
fn a_clone_that_misses_objects_is_refused() {
    let workshop = Workshop::new();
    let project = workshop.project();
    let blob = workshop.repository.git(["rev-parse", "HEAD:README.md"]);
    fs::remove_file(project.root.join(".git/objects").join(&blob[..2]).join(&blob[2..])).unwrap();
    assert!(workshop.sandbox_from("1", BaseRequest::Head).is_err());
    assert!(!workshop.place("1").exists());
}

#[test]
fn a_project_whose_object_store_holds_links_is_cloned() {
    let workshop = Workshop::new();
    let objects = workshop.repository.root().join(".git/objects");
    let elsewhere = workshop.repository.beside("elsewhere");
    fs::rename(objects.join("pack"), &elsewhere).unwrap();
    symlink(&elsewhere, objects.join("pack")).unwrap();
    let sandbox = workshop.sandbox();
    sandbox.git(&["fsck", "--strict"]);
}

#[test]
fn a_project_that_leaves_old_files_with_its_remote_is_cloned_and_delivered() {
    let repository = Repository::new();
    repository.write("README.md", "newer\n");
    repository.commit("second");
    repository.git(["config", "uploadpack.allowFilter", "true"]);
    let partial = repository.beside("partial");
    let url = format!("file://{}", repository.root().display());
    repository.git(["clone", "-q", "--filter=blob:none", &url, partial.to_str().unwrap()]);
    let workshop = Workshop::of(repository);
    let sandbox = workshop.sandbox_of(&partial);
    // The agent's own git gets what is missing from the remote.
    assert_eq!(sandbox.git(&["show", "HEAD~1:README.md"]), "a project");
    sandbox.write("new", "x");
    let head = workshop.commit_leftovers(&sandbox).head;
    let (base, branch) = (&*sandbox.base, BRANCH);
    let request = callbox::sandbox::DeliverRequest {
        project: &partial,
        sandbox: &sandbox.directory,
        base,
        head: &head,
        branch,
    };
    callbox::sandbox::deliver(&workshop.git, &request).unwrap();
    assert_eq!(git(&partial, ["show", &format!("{BRANCH}:new")]), "x");
}

#[test]
fn a_sha256_project_is_cloned_and_delivered() {
    let workshop = Workshop::new();
    let root = workshop.repository.root();
    fs::remove_dir_all(&root).unwrap();
    fs::create_dir(&root).unwrap();
    git(&root, ["init", "-q", "-b", "main", "--object-format=sha256"]);
    git(&root, ["config", "user.name", "x"]);
    git(&root, ["config", "user.email", "x@x"]);
    workshop.repository.write("a", "a");
    workshop.repository.commit("first");
    let sandbox = workshop.sandbox();
    sandbox.write("b", "b");
    let leftovers = workshop.commit_leftovers(&sandbox);
    assert_eq!((leftovers.files, leftovers.head.len()), (1, 64));
    assert_eq!(workshop.deliver(&sandbox).delivery.unwrap().files, 1);
}

#[test]
fn hooks_filters_and_templates_of_the_person_do_not_run_in_a_clone() {
    let workshop = Workshop::new();
    let ran = workshop.repository.beside("ran");
    let touch = format!("touch '{}'; cat", ran.display());
    workshop.repository.write(".gitattributes", "*.md filter=evil\n");
    workshop.repository.commit("attributes");
    let hook = workshop.repository.root().join(".git/hooks/post-checkout");
    fs::create_dir_all(hook.parent().unwrap()).unwrap();
    fs::write(&hook, format!("#!/bin/sh\n{touch}\n")).unwrap();
    fs::set_permissions(&hook, fs::Permissions::from_mode(0o700)).unwrap();
    let home = workshop.repository.beside("home");
    fs::create_dir(&home).unwrap();
    let config = format!(
        "[filter \"evil\"]\nsmudge = {touch}\nclean = {touch}\n[init]\ntemplateDir = {}\n",
        ran.display()
    );
    fs::write(home.join(".gitconfig"), config).unwrap();
    // To count changed files, looking at a project uses the person's filters as her own git does.
    let project = workshop.project();
    let workshop = Workshop { git: workshop.git.clone().of_person(home), ..workshop };
    let (sandbox, _) = workshop.make(&project, "1", BaseRequest::Head).unwrap();
    assert!(!ran.exists());
    assert_eq!(fs::read_dir(sandbox.directory.join(".git/hooks")).unwrap().count(), 0);
}

#[test]
fn a_git_that_hangs_is_ended() {
    let workshop = Workshop::new();
    let folder = workshop.repository.beside("slow");
    fs::create_dir(&folder).unwrap();
    fs::write(folder.join("git"), "#!/bin/sh\nsleep 600 & sleep 600\n").unwrap();
    fs::set_permissions(folder.join("git"), fs::Permissions::from_mode(0o700)).unwrap();
    let path = format!("{}:{}", folder.display(), std::env::var("PATH").unwrap());
    let git = Git::new(&workshop.repository.beside("config")).unwrap();
    let git = git.searching(path).limited_to(std::time::Duration::from_millis(300));
    assert!(git.version().unwrap_err().to_string().contains("did not end within"));
}

#[test]
fn object_files_are_shared_with_the_project_only_where_the_person_chose_that() {
    let workshop = Workshop::new();
    let objects =
        |root: &Path| files(&root.join(".git/objects")).iter().map(MetadataExt::ino).collect::<HashSet<_>>();
    let theirs = objects(&workshop.repository.root());
    assert!(theirs.is_disjoint(&objects(&workshop.sandbox().directory)));
    let rules = SandboxRules { hardlinks: true, ..SandboxRules::default() };
    let linking = Workshop { rules, ..workshop };
    let (sandbox, _) = linking.sandbox_from("2", BaseRequest::Head).unwrap();
    assert!(!theirs.is_disjoint(&objects(&sandbox.directory)));
}
