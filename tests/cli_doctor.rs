//! The doctor looks at every part and says what to do about it.

use std::{
    fs,
    os::unix::fs::{PermissionsExt as _, symlink},
};

use rustix::process::Signal;

use crate::support::{
    cli::{Desk, Ended},
    processes::{kill_group, nothing_left, processes},
    programs,
    wait::{SOON, wait_until},
};

/// The findings about `agent` by name, with their level and words.
#[track_caller]
fn of(agent: &str, ended: &Ended) -> Vec<(String, String, String)> {
    let findings = ended.json();
    let word = |finding: &serde_json::Value, name: &str| finding[name].as_str().unwrap().to_owned();
    let found = findings.as_array().unwrap().iter().filter_map(|finding| {
        let check = word(finding, "check");
        let about = check.strip_prefix(agent)?.strip_prefix(' ')?.to_owned();
        Some((about, word(finding, "level"), word(finding, "message")))
    });
    found.collect()
}

/// Puts a program on the path that starts Claude Code otherwise than it was asked to: `change` is what a shell does
/// with the arguments.
#[track_caller]
fn changed_claude(desk: &Desk, change: &str) -> Option<()> {
    let real = programs::installed("claude")?;
    let path =
        desk.write("bin/claude", &format!("#!/bin/bash\n{change}\nexec '{}' \"$@\"\n", real.display()));
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
    Some(())
}

#[test]
fn every_part_has_its_finding() {
    let desk = Desk::new();
    let findings = desk.callbox(["doctor", "--json"]).end().json();
    let level = |check: &str| {
        let found = findings.as_array().unwrap().iter().find(|finding| finding["check"] == check);
        found.unwrap_or_else(|| panic!("no `{check}` in {findings}"))["level"].as_str().unwrap().to_owned()
    };
    assert_eq!(level("git"), "ok", "{findings}");
    assert_eq!(level("shim"), "ok", "{findings}");
    assert_eq!(level("scripted"), "ok", "{findings}");
    assert_eq!(level("claude"), "warn", "{findings}");
}

#[test]
fn without_a_configuration_file_the_place_for_one_is_named() {
    let desk = Desk::new();
    let said = desk.callbox(["doctor"]).end();
    let path = desk.path("home/.config/callbox/config.toml");
    let found = format!("configuration there is none at `{}`; the defaults hold", path.display());
    assert!(said.stdout.contains(&found), "no {found:?} in\n{said}");
    let lost = desk.callbox(["doctor", "--state", "here"]).variable("HOME", "").end();
    assert!(lost.stdout.contains("HOME is not set"), "{lost}");
}

#[test]
fn a_missing_git_is_found_and_fails() {
    let desk = Desk::new();
    let ended = desk.callbox(["doctor"]).variable("PATH", desk.path("tmp")).end().expect(69);
    assert!(ended.stdout.contains("fail  git"), "{ended}");
    assert!(ended.stdout.contains("not checked: "), "{ended}");
}

#[test]
fn every_agent_program_is_rehearsed_without_a_key_and_nothing_of_the_persons_is_touched() {
    for agent in ["claude", "codex", "gemini", "claude-acp", "codex-acp", "gemini-acp"] {
        let desk = Desk::new();
        // Some programs are started by a Node, and some look for a Bash on the PATH.
        desk.offer("bash");
        for program in [programs::program_of(agent), "node".to_owned()] {
            let Some(installed) = programs::installed(&program) else { return };
            symlink(installed, desk.path("bin").join(program)).unwrap();
        }
        let ended = desk.callbox(["doctor", "--agent", agent, "--json"]).end().expect(0);
        let found = of(agent, &ended);
        let good =
            ["tools", "permissions", "answers", "hostile"].map(|about| (about.to_owned(), "ok".to_owned()));
        let levels: Vec<_> = found.iter().map(|(about, level, _)| (about.clone(), level.clone())).collect();
        assert_eq!(levels, good, "{ended}");
        assert!(!ended.stdout.contains("\"scripted\""), "{ended}");
        let left: Vec<_> = ["home", "tmp"]
            .into_iter()
            .flat_map(|folder| fs::read_dir(desk.path(folder)).unwrap())
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        assert_eq!(left, [".local"], "its own state directory aside");
    }
}

#[test]
fn an_agent_that_only_a_description_makes_known_is_said_not_to_be_rehearsed() {
    let desk = Desk::new();
    let own = "command = [\"parrot\"]\nversion = [\"--version\"]\nmcp = \"none\"\npermissions = { edit = [] }\n\
               lines = [{ when = { \"/event\" = \"turn\" }, turn = true }, { when = { \"/event\" = \"over\" }, ends = \"well\" }]\n";
    desk.write("home/.config/callbox/config.toml", &format!("[agents.parrot]\n{own}"));
    for agent in ["copilot", "opencode", "qwen", "parrot"] {
        let path = desk.write(&format!("bin/{agent}"), "#!/bin/sh\necho 'Some program 3.1.4'\n");
        fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
        let ended = desk.callbox(["doctor", "--agent", agent, "--json"]).end().expect(0);
        let found = of(agent, &ended);
        let [(about, level, message)] = &found[..] else { panic!("not one finding: {ended}") };
        assert_eq!((about.as_str(), level.as_str()), ("rehearsal", "warn"), "{ended}");
        assert!(message.starts_with("not rehearsed: "), "{ended}");
        assert!(!ended.stderr.contains("rehearsing"), "nothing is announced that does not happen: {ended}");
        let quick = desk.callbox(["doctor", "--agent", agent, "--quick", "--json"]).end().expect(0);
        assert!(of(agent, &quick).is_empty(), "{quick}");
    }
}

#[test]
fn a_claude_that_obeys_a_hostile_repository_is_found_out() {
    let desk = Desk::new();
    // Whatever the flag's form: the repository's settings count again.
    let change =
        "for a; do shift; case $a in --setting-sources*) ;; user) ;; *) set -- \"$@\" \"$a\";; esac; done";
    let Some(()) = changed_claude(&desk, change) else { return };
    let ended = desk.callbox(["doctor", "--agent", "claude", "--json"]).end().expect(69);
    let found = of("claude", &ended);
    let (_, level, message) = found.iter().find(|(about, ..)| about == "hostile").unwrap();
    assert!(level == "fail" && message.contains("hostile repository"), "{ended}");
}

#[test]
fn a_claude_that_is_not_what_it_says_fails_its_rehearsal_with_a_reason() {
    let desk = Desk::new();
    let Some(()) = changed_claude(&desk, "[ \"$1\" = --version ] || exit 9") else { return };
    let ended = desk.callbox(["doctor", "--agent", "claude", "--json"]).end().expect(69);
    let found = of("claude", &ended);
    let (_, level, message) = found.iter().find(|(about, ..)| about == "tools").unwrap();
    assert_eq!(level, "fail", "{ended}");
    assert!(message.starts_with("the run that should have asked ended with 1 instead of 3: "), "{message}");
    let (_, level, _) = found.iter().find(|(about, ..)| about == "hostile").unwrap();
    assert_eq!(level, "fail", "nothing was tried: {ended}");
    let quick = desk.callbox(["doctor", "--quick"]).end().expect(0);
    assert!(quick.stdout.contains("not checked: that an agent does"), "{quick}");
}

#[test]
fn an_agent_that_is_asked_for_must_be_known_and_there() {
    let desk = Desk::new();
    let missing = desk.callbox(["doctor", "--agent", "claude"]).end().expect(69);
    assert!(missing.stdout.contains("fail  claude"), "{missing}");
    desk.callbox(["doctor", "--agent", "nobody"]).end().expect(2).says("there is no agent called `nobody`");
}

#[test]
fn a_rehearsal_that_is_interrupted_leaves_nothing() {
    let desk = Desk::new();
    let path = desk.write(
        "bin/claude",
        "#!/bin/sh\n[ \"$1\" = --version ] && echo '2.1.332 (Claude Code)' && exit\nexec sleep 298\n",
    );
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
    let running = desk.callbox(["doctor", "--agent", "claude", "--json"]).in_a_group().start();
    wait_until("the agent is at work", SOON, || {
        processes(&desk).iter().any(|(_, line)| line.contains("sleep 298"))
    });
    kill_group(running.pid(), Signal::INT);
    let ended = running.end().expect(69);
    assert!(ended.stdout.contains("the rehearsal was interrupted"), "{ended}");
    nothing_left(&desk);
    assert_eq!(fs::read_dir(desk.path("tmp")).unwrap().count(), 0);
}
