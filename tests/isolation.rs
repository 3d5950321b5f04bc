//! What a task says of isolation, what a run is held by, and what is said of it.

use std::{fs, process::Command};

use callbox::isolation::{FULL_ABI, Kernel};
use serde_json::{Value, json};

use crate::support::{
    cli::{Call, Desk, Ended},
    held_run::HeldRuns,
    landlock::{self, PLAIN_LAUNCHER},
    programs::skipped,
    repository::Repository,
    supervised::write_agent,
};

/// `callbox run` with an agent that is the shell script `script`, under `isolation`.
fn run(desk: &Desk, script: &str, isolation: &str) -> Call {
    write_agent(&desk.path("bin/claude"), &format!("begin\n{script}\ndone_well"));
    let run =
        ["run", "--agent", "claude", "--no-project", "-p", "Do it.", "--json", "--isolation", isolation];
    desk.callbox(run).variable("ANTHROPIC_API_KEY", "sk-ant-dummy")
}

/// What the agent left in its sandbox.
fn left(desk: &Desk, name: &str) -> String {
    fs::read_to_string(desk.state().join("sandboxes/1/1").join(name)).unwrap_or_default()
}

fn isolation(ended: &Ended) -> Value {
    ended.json()["execution"]["isolation"].clone()
}

/// What was said of the task `t1` to whoever reads along.
fn transcript(desk: &Desk) -> String {
    desk.callbox(["logs", "t1"]).end().expect(0).stdout
}

#[test]
fn auto_takes_what_the_kernel_has_and_says_what_it_has_not() {
    let desk = Desk::new();
    let ended = run(&desk, "", "auto").end().expect(0);
    let (expected, told) = match Kernel::running() {
        Kernel::Landlock { abi } if abi >= FULL_ABI => (json!({"kind": "landlock", "abi": abi}), None),
        Kernel::Landlock { abi } => (json!({"kind": "landlock", "abi": abi}), Some("only partly isolated")),
        Kernel::Without(_) => (json!({"kind": "none"}), Some("this run is not isolated")),
    };
    assert_eq!(isolation(&ended), expected);
    let said = transcript(&desk);
    assert_eq!(said.contains("isolated"), told.is_some(), "{said}");
    assert!(told.is_none_or(|told| said.contains(told)), "{said}");
    let shown = desk.callbox(["show", "t1"]).end().expect(0).stdout;
    assert!(shown.contains("isolation"), "{shown}");
}

#[test]
fn landlock_is_had_or_the_run_is_refused_with_a_sentence() {
    let desk = Desk::new();
    let ended = run(&desk, "echo x > ran", "landlock").end();
    match Kernel::running() {
        Kernel::Landlock { abi } if abi >= FULL_ABI => {
            assert_eq!(isolation(&ended.expect(0)), json!({"kind": "landlock", "abi": abi}));
            assert_eq!(left(&desk, "ran"), "x\n");
        }
        _ => {
            let ended = ended.expect(69);
            let error = &ended.json()["error"];
            assert_eq!(error["code"], "isolation", "{ended}");
            assert!(error["message"].as_str().unwrap().contains("`isolation: landlock`"), "{ended}");
            assert_eq!(left(&desk, "ran"), "");
        }
    }
}

#[test]
fn none_says_so() {
    let desk = Desk::new();
    let ended = run(&desk, "", "none").end().expect(0);
    assert_eq!(isolation(&ended), json!({"kind": "none"}));
    let shown = desk.callbox(["show", "t1"]).end().expect(0).stdout;
    assert!(shown.contains("no isolation"), "{shown}");
}

#[test]
fn a_launcher_is_given_the_agents_command_behind_its_own_words() {
    let desk = Desk::new();
    let launcher = "/bin/sh -c 'state=$0 sandbox=$1; shift; [ \"$PWD\" = \"$sandbox\" ] || exit 9; \
                    WITHIN=$state exec \"$@\"' {state} {sandbox}";
    let ended = run(&desk, "echo \"$WITHIN\" > within", launcher).end().expect(0);
    assert_eq!(isolation(&ended), json!({"kind": "command", "command": launcher}));
    assert_eq!(left(&desk, "within").trim(), desk.state().to_str().unwrap());
    // callbox itself as the agent, whose path is not that of the launcher.
    let scripted = ["run", "--agent", "scripted", "--no-project", "--isolation", PLAIN_LAUNCHER, "-p"];
    desk.callbox([&scripted[..], &["- progress: here\n- summary: done"]].concat()).end().expect(0);
}

#[test]
fn a_launcher_that_is_not_there_is_no_run_without_one() {
    let desk = Desk::new();
    let ended = run(&desk, "echo x > ran", "landlok").end().expect(69);
    let error = ended.json()["error"].clone();
    assert_eq!(error["code"], "isolation", "{ended}");
    assert!(error["message"].as_str().unwrap().contains("`landlok`"), "{ended}");
    assert!(error["hint"].as_str().unwrap().contains("`landlock`"), "{ended}");
    assert_eq!(left(&desk, "ran"), "");
    run(&desk, "", "env {nowhere}").end().expect(2).says("`{nowhere}`");
}

#[test]
fn a_launcher_can_hide_the_state_directory_but_for_the_run() {
    let unshared = Command::new("unshare").args(["-Urm", "mount", "-t", "tmpfs", "none", "/mnt"]).output();
    if !unshared.is_ok_and(|output| output.status.success()) {
        return skipped("`unshare -Urm` cannot make a mount namespace here");
    }
    let desk = Desk::new();
    // What stays visible is bound aside while the rest is covered.
    let launcher = "/usr/bin/unshare -Urm /bin/sh -c 'PATH=/usr/bin:/bin:/usr/sbin:/sbin; s=$0 w=$1 x=$2 a=$3; \
                    shift 3; t=/mnt; mount -t tmpfs none $t && mkdir $t/w $t/x $t/a; mount --bind $w $t/w && mount --bind $x $t/x \
                    && mount --bind $a $t/a && mount -t tmpfs none $s && mkdir -p $w $x $a && \
                    mount --bind $t/w $w && mount --bind $t/x $x && mount --bind $t/a $a && cd $w && exec \"$@\"' \
                    {state} {sandbox} {execution} {agent}";
    let script = format!(
        "S={}; [ -e $S/callbox.db ] || echo hidden > hidden\n\
         export CALLBOX_SOCKET=$S/agent/agent.sock\n\
         t=$(cat $S/executions/1/mcp.json); t=${{t#*CALLBOX_TOKEN\\\":\\\"}}; t=${{t%%\\\"*}}\n\
         CALLBOX_TOKEN=$t {} call record_progress '{{\"message\": \"from within\"}}' > said 2>&1",
        desk.state().display(),
        crate::support::shim::SHIM,
    );
    run(&desk, &script, launcher).end().expect(0);
    assert_eq!(left(&desk, "hidden"), "hidden\n");
    let shown = desk.callbox(["show", "t1", "--json"]).end().expect(0).json();
    assert_eq!(shown["signals"][0]["arguments"]["message"], "from within", "{}", left(&desk, "said"));
}

#[test]
fn a_subtask_is_held_as_its_parent_is() {
    for (isolation, kind) in [("none", "none"), (PLAIN_LAUNCHER, "command")] {
        let desk = Desk::new();
        let steps = "- subtask: {name: side, instructions: '- summary: done'}\n- summary: done";
        let run = ["run", "--agent", "scripted", "--no-project", "--isolation", isolation, "-p", steps];
        desk.callbox(run).end().expect(0);
        let shown = desk.callbox(["show", "t2", "--json"]).end().expect(0).json();
        assert_eq!(shown["execution"]["isolation"]["kind"], kind, "{shown}");
    }
}

#[test]
fn a_call_from_outside_an_isolated_run_is_refused_and_not_recorded() {
    let runs = HeldRuns::under("");
    let run = runs.begin_under(PLAIN_LAUNCHER);
    let (is_error, text) = runs.shim(&run.token).call("record_progress", &json!({"message": "hello"}));
    assert!(is_error && text.contains("outside the processes of `x1`"), "{text}");
    assert_eq!(runs.said(&run.task), ["at work"]);
}

#[test]
fn an_isolated_agent_writes_to_the_caches_that_are_named_and_to_no_other() {
    if landlock::needed().is_none() {
        return;
    }
    let desk = Desk::new();
    let (named, other) = (desk.write("named/a", "a"), desk.write("other/a", "a"));
    let caches = format!("caches = [\"{}\", \"/nonexistent\"]\n", named.parent().unwrap().display());
    desk.write("home/.config/callbox/config.toml", &caches);
    let script = format!("echo b > {}; echo b > {}", named.display(), other.display());
    run(&desk, &script, "landlock").end().expect(0);
    assert_eq!([fs::read_to_string(named).unwrap(), fs::read_to_string(other).unwrap()], ["b\n", "a"]);
}

#[test]
fn a_place_that_holds_the_state_directory_is_no_cache() {
    if landlock::needed().is_none() {
        return;
    }
    let desk = Desk::new();
    let caches = format!("caches = [\"{}\"]\n", desk.path("home").display());
    desk.write("home/.config/callbox/config.toml", &caches);
    let ended = run(&desk, "echo x > ran", "landlock").end().expect(69);
    assert!(ended.stdout.contains("holds callbox's state directory"), "{ended}");
    assert_eq!(left(&desk, "ran"), "");
}

#[test]
fn an_isolated_conversation_goes_on_where_it_stopped() {
    let desk = Desk::new();
    let steps = "- ask: Which?\n- write: {path: a.txt, text: '{answer}'}\n- summary: '{answer}'";
    let run = ["run", "--agent", "scripted", "--no-project", "-p", steps];
    desk.callbox(run).end().expect(3);
    desk.callbox(["answer", "q1", "blue", "--run"]).end().expect(0);
    assert_eq!(left(&desk, "a.txt"), "blue");
}

#[test]
fn what_verify_runs_is_held_as_the_agent_was() {
    if landlock::needed().is_none() {
        return;
    }
    let desk = Desk::new();
    let (outside, project) = (desk.write("outside", "a"), Repository::new());
    for (isolation, status, after) in [("landlock", 1, "a"), ("none", 0, "b\n")] {
        let verify = format!("echo b > {}", outside.display());
        let run = ["run", "--agent", "scripted", "--isolation", isolation, "--verify", &verify, "-p"];
        let run = [&run[..], &["- write: {path: a.txt, text: x}\n- commit: x\n- summary: done"]].concat();
        desk.callbox(run).within(project.root()).end().expect(status);
        assert_eq!(fs::read_to_string(&outside).unwrap(), after);
    }
}
