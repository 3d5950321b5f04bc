//! Archives that whoever made them had made up, signed with the right key: each is refused in a sentence, and nothing of
//! it is left anywhere. What is wrong with the file itself is tried in `src/archive/tests.rs`.

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
};

use callbox::{
    archive::{Contents, Demand, Key, Secrecy, pack, unpack},
    ids::{Secret, Timestamp, UniqueId},
};
use serde_json::{Value, json};

use crate::support::{
    cli::{Desk, Ended},
    journey::{KEY, export, import_call},
    leftovers::run,
    repository::{Repository, git},
};

const ASKS: &str = "- write: {path: a.txt, text: committed}\n- commit: one\n- write: {path: a.txt, text: changed}\n\
                    - progress: half\n- subtask: {name: side, instructions: '- summary: side'}\n\
                    - ask: {question: Which?}\n- summary: '{answer}'";

/// An honest archive, a desk where it is to arrive, and a clone of its project.
struct Customs {
    contents: Contents,
    there: Desk,
    clone: Repository,
}

impl Customs {
    fn new() -> Self {
        let (desk, project) = (Desk::new(), Repository::new());
        run(&desk, &project, ASKS, &[]).expect(3);
        let bytes = fs::read(export(&desk, &["t1"], &[])).unwrap();
        let contents = unpack(&bytes, Some(&key()), Demand::Signed).unwrap();
        let (there, clone) = (Desk::new(), project.cloned());
        // What every command makes that looks at a project.
        there.callbox(["gc"]).end().expect(0);
        Self { contents, there, clone }
    }

    /// What comes of an archive with other contents.
    fn import(&self, contents: &Contents) -> Ended {
        let bytes = pack(contents, Secrecy::Signed(&key()), Timestamp::now()).unwrap();
        let file = self.there.path("tmp/made-up.archive");
        fs::write(&file, bytes).unwrap();
        import_call(&self.there, &file, Some(&self.clone)).end()
    }

    /// It is refused with `words`, and everything is as it was.
    #[track_caller]
    fn refuses(&self, contents: &Contents, words: &str) {
        let file = self.there.path("tmp/made-up.archive");
        let _ = fs::remove_file(&file);
        let before = (listing(&self.there.path("")), listing(&self.clone.root()));
        let ended = self.import(contents);
        assert!(ended.status == 1 || ended.status == 69, "{words}: {ended}");
        assert!(ended.stderr.contains(words), "no {words:?} in\n{ended}");
        fs::remove_file(&file).unwrap();
        let after = (listing(&self.there.path("")), listing(&self.clone.root()));
        for (before, after) in [(before.0, after.0), (before.1, after.1)] {
            let touched = before.iter().filter(|file| after.get(file.0) != Some(file.1)).map(|file| file.0);
            let new = after.keys().filter(|path| !before.contains_key(*path));
            assert_eq!(touched.chain(new).collect::<Vec<_>>(), Vec::<&PathBuf>::new(), "{words}");
        }
        assert_eq!(self.there.callbox(["ls", "--json"]).end().expect(0).json(), json!([]), "{words}");
    }

    /// The same with rows that `change` changed.
    #[track_caller]
    fn refuses_rows(&self, change: impl FnOnce(&mut Value), words: &str) {
        let mut contents = self.contents.clone();
        let mut rows: Value = serde_json::from_slice(&contents.rows).unwrap();
        change(&mut rows);
        contents.rows = serde_json::to_vec(&rows).unwrap();
        self.refuses(&contents, words);
    }
}

fn key() -> Key {
    Key::new(&Secret::new(KEY)).unwrap()
}

/// Every file below `root` with what it holds, but for what every command touches.
fn listing(root: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut found = BTreeMap::new();
    for entry in fs::read_dir(root).unwrap().map(|entry| entry.unwrap()) {
        let (path, kind) = (entry.path(), entry.file_type().unwrap());
        let name = entry.file_name().into_string().unwrap();
        if name.starts_with("callbox.db")
            || ["lock", "gitconfig", "operator", "agent"].contains(&name.as_str())
        {
            continue;
        }
        if kind.is_dir() {
            found.extend(listing(&path));
            found.insert(path, Vec::new());
        } else {
            let bytes = if kind.is_file() { fs::read(&path).unwrap() } else { Vec::new() };
            found.insert(path, bytes);
        }
    }
    found
}

#[test]
fn what_nobody_changed_is_taken() {
    let customs = Customs::new();
    let _ = customs.import(&customs.contents).expect(0);
}

#[test]
fn rows_that_no_store_writes_are_refused() {
    let customs = Customs::new();
    let refuses = |path: &str, value: Value, words: &str| {
        customs.refuses_rows(
            |rows| *rows.pointer_mut(path).unwrap_or_else(|| panic!("no {path}")) = value,
            words,
        );
    };
    let running = json!({"state": "running", "execution": "x1", "phase": {"at": "agent"}});
    refuses("/tasks/0/state", running, "`t1` is running");
    refuses("/tasks/0/state", json!({"state": "dreaming"}), "unknown variant");
    refuses("/tasks/0/number", json!("t0"), "not a task number");
    refuses("/tasks/1/number", json!("t1"), "out of order");
    refuses("/tasks/1/parent", json!("t9"), "a parent that is not there");
    refuses("/tasks/1/depth", json!(0), "does not hang where it says");
    refuses("/tasks/0/sandboxes", json!(4_294_967_295_u32), "counts too far");
    refuses("/tasks/0/failures", json!(-1), "invalid value");
    refuses("/tasks/0/spec/copy", json!(["../../etc/passwd"]), "takes files from outside");
    refuses("/tasks/0/spec/sparse", json!(["/etc"]), "takes files from outside");
    refuses("/tasks/0/spec/base", json!({"revision": "--upload-pack=x"}), "starts from what is no branch");
    refuses("/tasks/0/spec/agent", json!("attached"), "no agent that callbox starts");
    refuses("/tasks/0/spec/instructions", json!(""), "no task that can be queued");
    refuses("/tasks/0/spec/timeout_seconds", json!(u64::MAX), "longer than ten years");
    refuses("/tasks/0/spec/max_cost_usd", json!(-1.0), "a budget that is none");
    refuses("/tasks", json!([]), "there are no tasks");
    for sandbox in
        ["../../up", "/etc", "sandboxes/1/../../../up", "sandboxes/2/1", "sandboxes/1/1/x", "sandboxes//1/1"]
    {
        refuses("/executions/0/sandbox", json!(sandbox), "no sandbox of its task");
    }
    refuses("/executions/0/sandbox", json!("sandboxes/1/9"), "no sandbox of its task");
    refuses("/executions/0/state", json!("running"), "has not ended");
    refuses("/executions/0/task", json!("t9"), "a task that is not there");
    refuses("/executions/0/usage/cost_usd", json!(-0.5), "cost what nothing costs");
    refuses("/executions/0/details/base", json!("HEAD"), "names a commit that is none");
    refuses("/signals/0/execution", json!("x9"), "has no place in it");
    refuses("/signals/1/seq", json!(1), "is there twice");
    refuses("/questions/0/execution", json!("x9"), "was asked by nobody");
    refuses("/questions/0/state", json!("answered"), "answered and has no answer");
    refuses("/questions", json!([]), "blocked on a question, and none is open");
    refuses("/messages", json!([{"number": 1}]), "missing field");
    customs.refuses_rows(|rows| rows["executions"][0]["token_hash"] = json!([1, 2]), "unknown field");
    customs.refuses_rows(|rows| rows["events"] = json!([]), "unknown field");
    let mut contents = customs.contents.clone();
    contents.rows = b"{".to_vec();
    customs.refuses(&contents, "EOF while parsing");
}

#[test]
fn conversations_that_are_none_are_refused() {
    let customs = Customs::new();
    let changed = |change: &dyn Fn(&mut Contents)| {
        let mut contents = customs.contents.clone();
        change(&mut contents);
        contents
    };
    let other = changed(&|contents| contents.tasks[0].transcript[0].path = vec!["other.json".to_owned()]);
    customs.refuses(&other, "is no file of its conversation");
    let deep = changed(&|contents| contents.tasks[0].transcript[0].path.insert(0, "x".to_owned()));
    customs.refuses(&deep, "is no file of its conversation");
    customs.refuses_rows(
        |rows| rows["executions"][0]["session"] = json!("../../../up"),
        "is no file of its conversation",
    );
    customs.refuses_rows(
        |rows| rows["executions"][0]["details"]["agent"] = json!("claude"),
        "is no file of its conversation",
    );
    let stranger = changed(&|contents| contents.tasks[0].task = UniqueId::mint());
    customs.refuses(&stranger, "which does not");
    let bare = changed(&|contents| contents.tasks[0].sandbox = None);
    customs.refuses(&bare, "a conversation comes along, and no sandbox");
}

/// A bundle of `revisions` in `project`.
fn bundle(project: &Path, revisions: &[&str]) -> Vec<u8> {
    let file = project.join(".git/made-up.bundle");
    git(project, [&["bundle", "create", "-q", file.to_str().unwrap()], revisions].concat());
    let bytes = fs::read(&file).unwrap();
    fs::remove_file(file).unwrap();
    bytes
}

#[test]
fn bundles_that_lie_are_refused() {
    let customs = Customs::new();
    let with = |bytes: Option<Vec<u8>>, commits: [Option<&str>; 3]| {
        let mut contents = customs.contents.clone();
        let sandbox = contents.tasks[0].sandbox.as_mut().unwrap();
        sandbox.bundle = bytes;
        for (place, commit) in
            [&mut sandbox.head, &mut sandbox.base, &mut sandbox.work].into_iter().zip(commits)
        {
            *place = commit.map_or(place.clone(), |commit| Some(commit.to_owned()));
        }
        contents
    };
    let honest = customs.contents.tasks[0].sandbox.clone().unwrap();
    let bytes = honest.bundle.unwrap();
    customs.refuses(&with(None, [None; 3]), "has no commit");
    customs.refuses(&with(Some(b"PACK".to_vec()), [None; 3]), "its bundle has no beginning");
    customs
        .refuses(&with(Some(bytes[..bytes.len() - 30].to_vec()), [None; 3]), "is not what the archive says");
    let mut flipped = bytes.clone();
    let middle = flipped.len() - 40;
    flipped[middle] ^= 1;
    customs.refuses(&with(Some(flipped), [None; 3]), "is not what the archive says");
    let elsewhere = "1".repeat(40);
    customs.refuses(&with(Some(bytes.clone()), [Some(&elsewhere), None, None]), "its bundle holds");

    let forge = customs.clone.cloned();
    let root = forge.root();
    git(&root, ["update-ref", "refs/heads/evil", "HEAD"]);
    forge.write("more.txt", "more");
    forge.commit("more");
    customs.refuses(&with(Some(bundle(&root, &["HEAD", "--branches"])), [None; 3]), "its bundle holds");

    // A tree that would write into the new sandbox's own git directory.
    let blob = git(&root, ["hash-object", "-w", "more.txt"]);
    fs::write(root.join(".git/tree"), format!("100644 blob {blob}\tpre-commit\n")).unwrap();
    let tree = |text: &str| {
        fs::write(root.join(".git/entries"), text).unwrap();
        let listed = std::process::Command::new("sh")
            .args(["-c", "git mktree < .git/entries"])
            .current_dir(&root)
            .output()
            .unwrap();
        String::from_utf8(listed.stdout).unwrap().trim().to_owned()
    };
    let hooks = tree(&format!("100755 blob {blob}\tpre-commit\n"));
    let inner = tree(&format!("040000 tree {hooks}\thooks\n"));
    let outer = tree(&format!("040000 tree {inner}\t.git\n"));
    let commit = git(&root, ["commit-tree", &outer, "-p", "HEAD", "-m", "x"]);
    git(&root, ["update-ref", "refs/callbox/head", &commit]);
    let base = git(&root, ["rev-parse", "origin/HEAD"]);
    let evil = bundle(&root, &["refs/callbox/head", "--not", &base]);
    let mut contents = with(Some(evil), [Some(&commit), Some(&base), None]);
    contents.tasks[0].sandbox.as_mut().unwrap().work = None;
    customs.refuses(&contents, "hasDotgit");

    // What was not committed, on top of another commit than the sandbox stood on.
    let other = git(&root, ["commit-tree", "HEAD^{tree}", "-m", "no parent"]);
    git(&root, ["update-ref", "refs/callbox/head", "HEAD"]);
    git(&root, ["update-ref", "refs/callbox/work", &other]);
    let head = git(&root, ["rev-parse", "HEAD"]);
    let both = bundle(&root, &["refs/callbox/head", "refs/callbox/work", "--not", &base]);
    customs.refuses(&with(Some(both), [Some(&head), Some(&base), Some(&other)]), "stands on another commit");
}

#[test]
fn configuration_and_hooks_of_the_sandbox_stay_where_they_are() {
    let (desk, project) = (Desk::new(), Repository::new());
    let asked = run(&desk, &project, ASKS, &[]).expect(3).json();
    let own = PathBuf::from(asked["sandbox"].as_str().unwrap()).join(".git");
    let sprung = desk.path("sprung");
    let config = format!(
        "[core]\n\tfsmonitor = touch {0}\n\thooksPath = .\n[alias]\n\tst = !touch {0}\n",
        sprung.display()
    );
    let before = fs::read_to_string(own.join("config")).unwrap();
    fs::write(own.join("config"), before + &config).unwrap();
    fs::create_dir_all(own.join("hooks")).unwrap();
    fs::write(own.join("hooks/post-checkout"), "#!/bin/sh\ntouch sprung-hook\n").unwrap();
    let archive = export(&desk, &["t1"], &[]);
    let (there, clone) = (Desk::new(), project.cloned());
    let _ = import_call(&there, &archive, Some(&clone)).end().expect(0);
    let sandbox = there.state().join("sandboxes/1/1");
    let config = fs::read_to_string(sandbox.join(".git/config")).unwrap();
    assert!(!config.contains("fsmonitor") && !config.contains("alias"), "{config}");
    assert!(!sandbox.join(".git/hooks/post-checkout").exists() && !sprung.exists());
}
