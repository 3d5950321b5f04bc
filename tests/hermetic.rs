//! Hermetic runs: nothing of the machine is taken but what is named, nothing outside the state directory and the
//! project is touched, and nothing stays behind.

use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
    process::Command,
    time::Duration,
};

use rustix::process::Signal;
use serde_json::json;

use crate::support::{
    cli::{CALLBOX, Call, Desk, on_the_path},
    processes::{kill, nothing_left},
    programs::skipped,
    repository::Repository,
    resident::Resident,
    wait::wait_until,
};

const STEPS: &str = "- write: {path: made.txt, text: made}\n- summary: done";

/// A hermetic run of `steps` with the state in `ci`, as on a runner of somebody's.
fn run<'a>(desk: &Desk, steps: &'a str, more: &[&'a str]) -> Call {
    let state = desk.path("ci").display().to_string();
    let line = ["run", "--hermetic", "--state", &state, "--json", "--agent", "scripted", "--name", "job"];
    desk.callbox(line.into_iter().chain(["-p", steps]).chain(more.iter().copied()))
}

/// Every file and folder below `root` but those below `without`, with what files hold.
fn listing(root: &Path, without: &Path) -> BTreeSet<(PathBuf, Vec<u8>)> {
    let mut found = BTreeSet::new();
    let mut folders = vec![root.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap().map(|entry| entry.unwrap()) {
            let path = entry.path();
            if path == without {
                continue;
            }
            let is_folder = entry.file_type().unwrap().is_dir();
            found.insert((
                path.clone(),
                if is_folder { Vec::new() } else { fs::read(&path).unwrap_or_default() },
            ));
            if is_folder {
                folders.push(path);
            }
        }
    }
    found
}

#[test]
fn nothing_of_the_person_is_taken_but_what_is_named() {
    let (desk, project) = (Desk::new(), Repository::new());
    desk.write("home/.config/callbox/config.toml", "agent = 'claude'\nmax_tokens = 'wrong'\n");
    desk.write("home/.gitconfig", "[core]\n\tfsmonitor = touch sprung\n[broken\n");
    let root = project.root().display().to_string();
    let verify = "env; : > \"$HOME/mine\"; exit 1";
    let isolated = run(&desk, STEPS, &["-C", &root, "--verify", verify, "--env", "NAMED"])
        .variable("NAMED", "value")
        .variable("UNNAMED", "value")
        .variable("ANTHROPIC_API_KEY", "key")
        .variable("CLAUDE_CONFIG_DIR", "/home/pat/.claude")
        .variable("XDG_CONFIG_HOME", desk.path("home/.config"))
        .end()
        .expect(1)
        .json();
    let told = isolated["verify"]["tail"].as_str().unwrap();
    let has = |line: &str| told.lines().any(|one| one == line);
    assert!(has(&format!("HOME={}", desk.path("ci/home").display())), "{told}");
    assert!(has("NAMED=value") && has("LANG=C.UTF-8") && told.contains("\nPATH="), "{told}");
    for absent in ["UNNAMED=", "USER=", "XDG_", "CLAUDE_CONFIG_DIR=", "LOGNAME="] {
        assert!(!told.contains(absent), "{absent} in {told}");
    }
    assert!(desk.path("ci/home/mine").exists(), "the home of the run is its own to write to");
}

#[test]
fn a_job_touches_nothing_outside_its_state_and_its_project() {
    let (desk, project) = (Desk::new(), Repository::new());
    let root = project.root().display().to_string();
    let before = (listing(&desk.path(""), &desk.path("ci")), listing(&project.root(), Path::new("/")));
    let ended = run(&desk, STEPS, &["-C", &root]).end().expect(0).json();
    assert_eq!(ended["delivery"]["branch"], "callbox/t1-job", "{ended}");
    assert_eq!(listing(&desk.path(""), &desk.path("ci")), before.0);
    let after = listing(&project.root(), Path::new("/"));
    let (new, gone): (Vec<_>, Vec<_>) =
        (after.difference(&before.1).collect(), before.1.difference(&after).collect());
    let paths = |of: &[&(PathBuf, Vec<u8>)]| of.iter().map(|(path, _)| path.clone()).collect::<Vec<_>>();
    assert!(gone.is_empty(), "{:?}", paths(&gone));
    let allowed = |path: &Path| {
        let path = path.strip_prefix(project.root()).unwrap();
        [".git/objects", ".git/refs/heads/callbox", ".git/logs/refs/heads/callbox"]
            .iter()
            .any(|own| path.starts_with(own))
    };
    assert!(new.iter().all(|(path, _)| allowed(path)), "{:?}", paths(&new));
}

#[test]
fn what_an_agent_leaves_in_the_home_of_the_job_says_nothing_to_callbox() {
    let (desk, project) = (Desk::new(), Repository::new());
    desk.write("ci/home/.config/callbox/config.toml", "agent = 'claude'\nnonsense = 1\n");
    let sprung = desk.path("sprung");
    desk.write(
        "ci/home/.gitconfig",
        &format!(
            "[alias]\n\tx = !y\n[filter \"x\"]\n\tclean = touch {0}\n\tsmudge = touch {0}\n",
            sprung.display()
        ),
    );
    desk.write("ci/home/.config/git/attributes", "* filter=x\n");
    for folder in ["ci", "ci/home"] {
        fs::set_permissions(desk.path(folder), std::os::unix::fs::PermissionsExt::from_mode(0o700)).unwrap();
    }
    let root = project.root().display().to_string();
    fs::write(project.root().join("changed.txt"), "uncommitted").unwrap();
    run(&desk, STEPS, &["-C", &root, "--base", "worktree"]).end().expect(0);
    assert!(!sprung.exists());
}

#[test]
fn a_hermetic_command_needs_a_state_directory_that_is_named_and_its_own() {
    let desk = Desk::new();
    let unnamed =
        desk.callbox(["run", "--hermetic", "--agent", "scripted", "--no-project", "-p", STEPS]).end();
    unnamed.expect(2).says("`--hermetic` needs a state directory that is named");
    assert!(!desk.has_database());

    let resident = Resident::start(&desk);
    let state = desk.state().display().to_string();
    let line = ["run", "--hermetic", "--state", &state, "--agent", "scripted", "--no-project", "-p", STEPS];
    desk.callbox(line).end().expect(69).says("another callbox holds the state directory");
    let tasks = desk.callbox(["ls", "--json"]).end().expect(0).json();
    assert_eq!(tasks, json!([]), "nothing was queued");
    drop(resident);
}

#[test]
fn what_is_there_to_stay_refuses_to_be_hermetic() {
    let desk = Desk::new();
    let state = desk.path("ci").display().to_string();
    for words in
        [&["serve"][..], &["attach", "--", "true"], &["mcp-config", "t1", "--for", "json"], &["init"]]
    {
        let line = words.iter().take(1).copied().chain(["--hermetic", "--state", &state]);
        let refused = desk.callbox(line.chain(words.iter().skip(1).copied())).end();
        refused.expect(2).says("this command is there to stay");
    }
    run(&desk, STEPS, &["--no-project", "--detach"]).end().expect(2).says("leaves processes behind");
    assert!(!desk.path("ci").exists());
}

#[test]
fn a_runner_that_terminates_the_job_gets_cancelled_with_the_state_saved_and_nothing_left() {
    let desk = Desk::new();
    let running = run(&desk, "- progress: {message: begun}\n- hang", &["--no-project"]).start();
    let database = desk.path("ci/callbox.db");
    let log = desk.path("ci/executions/1/launch.json");
    wait_until("the run has begun", Duration::from_secs(30), || database.exists() && log.exists());
    let plan: serde_json::Value = serde_json::from_slice(&fs::read(&log).unwrap()).unwrap();
    assert_eq!(plan["patience_seconds"], 5, "nobody comes back to a job that was killed");
    kill(running.pid(), Signal::TERM);
    let ended = running.end().expect(7).json();
    assert_eq!(ended["task"]["state"], "cancelled", "{ended}");
    nothing_left(&desk);
    let state = desk.path("ci").display().to_string();
    let shown =
        desk.callbox(["show", "t1", "--hermetic", "--state", &state, "--json"]).end().expect(0).json();
    assert_eq!(shown["task"]["state"], "cancelled");
}

#[test]
fn a_provider_that_refuses_for_now_is_not_waited_for() {
    let desk = Desk::new();
    let steps = "- rate_limit: {reset: 300s}\n- summary: done";
    let ended = run(&desk, steps, &["--no-project"]).end().expect(6).json();
    assert!(ended["task"]["wait"].as_str().unwrap().starts_with("rate_limit until "), "{ended}");
}

/// Makes all of the file system read-only but the folder `$1`, and does the rest of the line there.
const ON_A_READ_ONLY_DISK: &str = "mount --bind \"$1\" \"$1\" && mount -o remount,bind,ro / && \
    for at in /tmp /work /home /root /var /dev/shm /run; do \
      if mountpoint -q $at; then mount -o remount,bind,ro $at 2>/dev/null; fi; done; \
    ! touch /probe 2>/dev/null && ! touch \"$1/../probe\" 2>/dev/null && shift && exec \"$@\"";

#[test]
fn one_writable_folder_is_enough_without_a_home_a_locale_or_a_terminal() {
    let (desk, project) = (Desk::new(), Repository::new());
    let Some(unshare) = on_the_path("unshare") else {
        return skipped("the program `unshare` is needed for a disk that is read-only");
    };
    fs::create_dir(desk.path("ci")).unwrap();
    fs::set_permissions(desk.path("ci"), std::os::unix::fs::PermissionsExt::from_mode(0o700)).unwrap();
    let mut command = Command::new(unshare);
    command.args(["-rm", "/bin/sh", "-c", ON_A_READ_ONLY_DISK, "sh"]).arg(desk.path("ci"));
    command.arg(CALLBOX).args(["run", "--hermetic", "--json", "--agent", "scripted", "--deliver", "patch"]);
    command.args(["-p", STEPS, "--state"]).arg(desk.path("ci")).arg("-C").arg(project.root());
    let path = std::env::var_os("PATH").unwrap();
    let output = command.env_clear().env("PATH", path).current_dir("/").output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    if !output.status.success() && (said.contains("unshare") || said.contains("mount:")) {
        return skipped("a user may mount nothing here");
    }
    assert!(output.status.success(), "{said}");
    let ended: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let written = ended["delivery"]["patch"].as_str().unwrap_or_else(|| panic!("{ended}"));
    assert!(Path::new(written).starts_with(desk.path("ci")) && Path::new(written).exists(), "{ended}");
}
