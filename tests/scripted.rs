//! The scripted agent with the real shim: what it says and calls, and where a resume goes on.

use std::{fs, os::unix::fs::symlink};

use serde_json::{Value, json};

use crate::support::{
    player::{Player, SESSION},
    raw_store::{Answer, RawStore, TOKEN},
    repository::Repository,
    shim::SHIM,
    wait::{SOON, wait_until},
};

const ANSWERED: &str = "callbox: your task goes on. This has happened since your last turn:\n\n\
     Answer to question 1 (Which colour?): deep blue\n\nGo on with the task.\n----- end of message -----\n";

/// A store that answers so many signals.
fn store(signals: usize) -> RawStore {
    let store = RawStore::present();
    for _ in 0..signals {
        store.answer(Answer::Recorded("recorded"));
    }
    store
}

/// The JSON body of a request.
fn body(request: &str) -> Value {
    serde_json::from_str(request.split_once("\r\n\r\n").unwrap().1).unwrap()
}

#[test]
fn a_turn_says_its_session_first_its_result_last_and_calls_real_tools_by_its_own_name() {
    let store = store(2);
    let turn = Player::of(&store).play("- progress: {message: on my way, percent: 5}\n- summary: done");
    turn.well("all steps are played");
    assert_eq!(turn.names(), ["session", "turn", "activity", "text", "activity", "text", "result"]);
    assert_eq!(turn.events()[0]["id"], SESSION);
    assert_eq!(turn.events()[3]["text"], "recorded");
    let signals = store.signals(2);
    let sent: Vec<String> = signals.iter().map(|signal| body(signal).to_string()).collect();
    assert!(sent[0].contains("on my way") && sent[1].contains("done"), "{sent:?}");
    assert_eq!(body(&store.hellos(1)[0])["client"], "callbox-scripted");
    assert!(!format!("{turn:?}").contains(TOKEN));
}

#[test]
fn a_question_ends_the_turn_and_a_resume_goes_on_behind_it_with_the_answer() {
    let store = store(2);
    let player = Player::of(&store);
    let steps = "- ask: {question: Which colour?, options: [red, blue]}
- write: {path: '{answer}.txt', text: 'It is {answer}.'}
- call: {tool: spawn_subtask, arguments: {name: n, instructions: i, after: ['{answer}']}}
- print: 'painted {answer}'";
    player.play(steps).well("I have asked and end my turn");
    assert_eq!(fs::read_dir(player.directory()).unwrap().count(), 0);
    assert_eq!(store.signals(1).len(), 1);

    player.resume(ANSWERED).well("painted deep blue");
    let text = fs::read_to_string(player.directory().join("deep blue.txt")).unwrap();
    assert_eq!(text, "It is deep blue.");
    assert!(store.signals(2)[1].contains(r#"["deep blue"]"#), "{:?}", store.signals(2));
    player.resume("callbox: this run was interrupted.").well("all steps are played");
}

#[test]
fn a_question_that_says_so_does_not_end_the_turn() {
    let store = store(2);
    let steps = "- ask: {question: Q, keep_working: yes}\n- ask: Q2\n  keep_working: yes\n- print: worked on";
    Player::of(&store).play(steps).well("worked on");
    assert_eq!(store.signals(2).len(), 2);
}

#[test]
fn a_task_that_is_told_again_knows_its_answer_from_the_beginning() {
    let player = Player::alone();
    let message = "callbox: this is your task 12 (x).\n----- instructions -----\n- print: '{answer}'\n\
         ----- end of instructions -----\n\ncallbox: this task was begun before, in a conversation that is gone.\n\n\
         Answer to question 1 (Q?): first\nAnswer to question 2 (Q?): second\nof two lines\n\n\
         Go on with the task.\n----- end of message -----\n";
    let told = json!({
        "session": SESSION,
        "resume": false,
        "message": message,
        "session_file": player.session_file(),
        "mcp_config": player.configuration(),
    });
    player.start(&told.to_string()).end().well("second\nof two lines");
}

#[test]
fn a_refused_call_ends_the_run_unless_it_may_fail() {
    let refused = r#"{"code":"cap_reached","message":"there is enough","hint":null}"#;
    let store = RawStore::present();
    store.answer(Answer::Status(409, refused));
    let turn = Player::of(&store).play("- progress: x\n- print: never");
    let message = turn.badly("tool");
    assert!(message.starts_with("`record_progress`: "), "{message}");
    let said = turn.events().into_iter().rfind(|event| event["event"] == "text").unwrap();
    assert!(message.ends_with(said["text"].as_str().unwrap()), "{turn:?}");

    // Refused by the store, by the shim's check of the arguments, and as no tool at all.
    store.answer(Answer::Status(409, refused));
    let steps = "- ask: Q\n  may_fail: yes\n- progress: {may_fail: yes}\n\
         - call: {tool: none_such, may_fail: yes}\n- print: went on";
    Player::of(&store).play(steps).well("went on");
    Player::alone().play("- call: {tool: none_such}").badly("tool");
}

#[test]
fn an_unknown_session_is_named_so_and_nothing_is_played() {
    let player = Player::alone();
    let turn = player.resume(ANSWERED);
    turn.badly("session_unknown");
    assert!(turn.conclusion().session_unknown);
    player.play("- print: x").well("x");
    fs::write(player.session_file(), "{").unwrap();
    player.resume(ANSWERED).badly("session_unknown");
}

#[test]
fn a_shim_that_cannot_be_had_is_a_fault_of_the_wiring_and_takes_no_turn() {
    let player = Player::alone();
    let canary = json!({"CALLBOX_TOKEN": TOKEN});
    for configuration in [
        json!({"mcpServers": {"callbox": {"command": "/no/such/shim", "env": canary}}}),
        json!({"mcpServers": {"callbox": {"command": "false", "env": canary}}}),
        json!({"mcpServers": {"other": {"command": SHIM, "env": canary}}}),
        json!({"mcpServers": {"callbox": {"command": SHIM, "env": [TOKEN]}}}),
        json!({"mcpServers": TOKEN}),
    ] {
        player.wire(&configuration.to_string());
        let turn = player.play("- print: x");
        turn.badly("wiring");
        assert_eq!(turn.names(), ["session", "result"], "{configuration}");
        assert!(turn.conclusion().wiring.is_some());
        assert!(!format!("{turn:?}").contains(TOKEN), "{turn:?}");
    }
    fs::remove_file(player.configuration()).unwrap();
    player.play("- print: x").badly("wiring");
}

#[test]
fn instructions_that_are_no_steps_are_refused_with_their_lines() {
    let message = Player::alone().play("- progres: x\n- sleep: soon").badly("script");
    assert!(message.contains("line 1: `progres`") && message.contains("line 2: `sleep`"), "{message}");
    let player = Player::alone();
    player.start("{}").end().badly("input");
    let message = player.start(&" ".repeat(5 << 20)).end().badly("input");
    assert!(message.contains("longer than 4194304 bytes"), "{message}");
}

#[test]
fn nothing_is_written_outside_the_working_directory() {
    let outside = tempfile::tempdir().unwrap();
    let player = Player::alone();
    symlink(outside.path(), player.directory().join("link")).unwrap();
    for path in ["../x", "link/x", "link/a/b", &format!("{}/x", outside.path().display())] {
        player.play(&format!("- write: {{path: {path}, text: t}}")).badly("write");
    }
    assert_eq!(fs::read_dir(outside.path()).unwrap().count(), 0);
}

#[test]
fn a_commit_holds_everything_that_was_written() {
    let repository = Repository::new();
    let player = Player::alone().within(repository.root());
    player.play("- write: {path: a/b, text: hello}\n- commit: 'paint it'").well("all steps are played");
    let log = repository.git(["log", "-1", "--format=%s", "--name-only"]);
    assert_eq!(log.split_whitespace().collect::<Vec<_>>(), ["paint", "it", "a/b"]);
    let message = Player::alone().play("- commit: x").badly("commit");
    assert!(message.starts_with("git add: "), "{message}");
}

#[test]
fn the_shim_ends_with_the_turn() {
    let store = store(1);
    let player = Player::of(&store);
    let mut playing = player.open("- progress: x\n- hang");
    playing.wait_for("text");
    player.wait_for_place(2);
    let shims = shims_of(&store);
    assert_eq!(shims.len(), 1);
    // However it ends.
    drop(playing);
    wait_until("the shim is gone", SOON, || shims_of(&store).is_empty());
    player.resume("callbox: go on").well("all steps are played");
    assert_eq!(shims_of(&store), [0; 0]);
}

/// The processes that know the store's socket.
fn shims_of(store: &RawStore) -> Vec<u32> {
    let socket = format!("CALLBOX_SOCKET={}\0", store.socket().display());
    let processes =
        fs::read_dir("/proc").unwrap().filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok());
    let knows = |pid: &u32| {
        let environment = fs::read(format!("/proc/{pid}/environ")).unwrap_or_default();
        String::from_utf8_lossy(&environment).contains(&socket)
    };
    processes.filter(knows).collect()
}
