//! Agents that a person configures by hand: `callbox mcp-config` and `callbox end`.

use std::process::{Command, Stdio};

use serde_json::{Value, json};

use crate::support::{
    by_hand::ByHand,
    cli::Desk,
    fake_model::{FakeModel, Script, Step},
    programs,
    resident::Resident,
    shim::SHIM,
};

fn show(desk: &Desk, task: &str) -> Value {
    desk.callbox(["show", task, "--json"]).end().expect(0).json()
}

/// What `callbox end` says of the first task.
fn end(desk: &Desk) -> Value {
    desk.callbox(["end", "t1", "--json"]).end().expect(0).json()
}

fn report(outcome: &str) -> Value {
    json!({"summary": "painted", "outcome": outcome})
}

#[test]
fn every_form_of_the_configuration_gives_the_real_shim_a_token_that_works() {
    let desk = Desk::new();
    let _resident = Resident::start(&desk);
    for (place, (agent, asks)) in
        [("claude", "ask_user"), ("codex", "ask_user"), ("gemini", "ask_human"), ("json", "ask_user")]
            .into_iter()
            .enumerate()
    {
        let by_hand = ByHand::open(&desk, agent, &["--name", agent]);
        let mut shim = by_hand.shim();
        let (failed, said) = shim.call(asks, &json!({"question": "Which?"}));
        assert!(!failed, "{agent}: {said}");
        let shown = show(&desk, &format!("t{}", place + 1));
        assert_eq!(
            (&shown["task"]["name"], &shown["questions"][0]["question"]),
            (&json!(agent), &json!("Which?"))
        );
    }
    assert_eq!(desk.callbox(["questions", "--json"]).end().expect(0).json().as_array().unwrap().len(), 4);
}

#[test]
fn an_unbound_run_is_marked_wherever_it_is_shown() {
    let desk = Desk::new();
    let _resident = Resident::start(&desk);
    let opened = desk.callbox(["mcp-config", "--for", "json"]).end().expect(0);
    let _ = opened.says("x1 of t1 is unbound: whoever has this token speaks for it, until `callbox end t1`");
    let line = desk.callbox(["ls"]).end().expect(0);
    assert!(line.stdout.contains("waits: end (unbound)"), "{line}");
    let run = &show(&desk, "t1")["execution"];
    assert!(run["unbound_until"].is_string() && run["isolation"]["kind"] == "none", "{run}");
    let shown = desk.callbox(["show", "t1"]).end().expect(0);
    assert!(shown.stdout.contains("unbound, until 20"), "{shown}");
    let why = desk.callbox(["why", "t1"]).end().expect(0);
    assert!(why.stdout.contains("nobody watches it: `callbox end t1` ends the run"), "{why}");
    // Nobody waits a day for it.
    desk.callbox(["run", "--queued"]).end().expect(0).says("nothing waits to be run");
}

#[test]
fn without_a_store_that_stays_nothing_is_opened() {
    let desk = Desk::new();
    let refused = desk.callbox(["mcp-config", "--for", "json"]).end().expect(69);
    let _ = refused.says("no store stays here that an agent could talk to").says("`callbox serve`");
    assert!(!desk.has_database());
}

#[test]
fn what_its_agent_reported_decides_how_a_run_ends_that_a_person_ends() {
    for (outcome, state, code) in [
        (Some("done"), "completed", Value::Null),
        (Some("failed"), "failed", json!("reported_failure")),
        (None, "failed", json!("no_summary")),
    ] {
        let desk = Desk::new();
        let _resident = Resident::start(&desk);
        let by_hand = ByHand::open(&desk, "json", &[]);
        if let Some(outcome) = outcome {
            by_hand.call("report_summary", &report(outcome)).unwrap();
        }
        assert_eq!(end(&desk)["state"], state);
        let shown = show(&desk, "t1");
        assert_eq!((&shown["error"]["code"], &shown["delivery"]), (&code, &Value::Null), "{shown}");
        let refused = by_hand.call("record_progress", &json!({"message": "x"})).unwrap_err();
        assert!(refused.contains("a person has ended this run with `callbox end`"), "{refused}");
        desk.callbox(["end", "t1"])
            .end()
            .expect(1)
            .says("has no open run of an agent that was configured by hand");
    }
}

#[test]
fn a_question_that_is_open_when_its_run_is_ended_blocks_and_its_answer_comes_to_the_next() {
    let desk = Desk::new();
    let _resident = Resident::start(&desk);
    ByHand::open(&desk, "json", &[]).call("ask_user", &json!({"question": "Which?"})).unwrap();
    let ended = end(&desk);
    assert_eq!(ended["state"], "blocked");
    assert!(ended["message"].as_str().unwrap().contains("`callbox answer q1 TEXT`"), "{ended}");
    desk.callbox(["answer", "q1", "Latin"]).end().expect(0);
    let again = desk.callbox(["mcp-config", "t1", "--for", "json"]).end().expect(0);
    assert!(again.stderr.contains("Answer to question 1 (Which?): Latin"), "{again}");
    let by_hand = ByHand::of(&again.stdout);
    let said = by_hand.call("record_progress", &json!({"message": "x"})).unwrap();
    assert!(said.contains("Answer to question 1 (Which?): Latin"), "{said}");
}

#[test]
fn the_instructions_of_a_task_that_was_held_back_are_given_to_whoever_configures_its_agent() {
    for tongue in [&[][..], &["--json"]] {
        let desk = Desk::new();
        let _resident = Resident::start(&desk);
        let held = ["submit", "--hold", "-p", "- print: canary words", "--agent", "scripted", "--no-project"];
        desk.callbox(held).end().expect(0);
        desk.callbox(["tell", "t1", "in oil"]).end().expect(0);
        let opened = desk.callbox([&["mcp-config", "t1", "--for", "json"], tongue].concat()).end().expect(0);
        let opening = match tongue {
            [] => opened.stderr,
            _ => opened.json()["opening"].as_str().unwrap().to_owned(),
        };
        for words in ["callbox: this is your task t1", "canary words", "Message from the person: in oil"] {
            assert!(opening.contains(words), "{words} is missing from {opening}");
        }
    }
    // A new task has none.
    let desk = Desk::new();
    let _resident = Resident::start(&desk);
    let opened = desk.callbox(["mcp-config", "--for", "json", "--json"]).end().expect(0).json();
    assert_eq!(opened["opening"], Value::Null);
}

#[test]
fn an_answer_comes_to_an_agent_that_is_still_open_with_its_next_tool_result_and_once() {
    let desk = Desk::new();
    let _resident = Resident::start(&desk);
    let by_hand = ByHand::open(&desk, "json", &[]);
    let asked = by_hand.call("ask_user", &json!({"question": "Which?"})).unwrap();
    assert!(asked.contains("at the latest with the result of your next tool call"), "{asked}");
    let answered = desk.callbox(["answer", "q1", "Latin"]).end().expect(0);
    assert!(answered.stdout.contains("with its next tool result"), "{answered}");
    let progress = || by_hand.call("record_progress", &json!({"message": "x"})).unwrap();
    let heard = [progress(), progress()].map(|said| said.contains("Answer to question 1 (Which?): Latin"));
    assert_eq!(heard, [true, false]);
    by_hand.call("report_summary", &report("done")).unwrap();
    assert_eq!(end(&desk)["state"], "completed");
}

#[test]
fn an_unbound_run_takes_no_slot_and_outlives_its_store() {
    let desk = Desk::new();
    desk.write("home/.config/callbox/config.toml", "max_concurrent = 1\n");
    let resident = Resident::start(&desk);
    let by_hand = ByHand::open(&desk, "json", &[]);
    let other = ["run", "-p", "- print: x", "--agent", "scripted", "--no-project"];
    desk.callbox(other).end().expect(0);
    let before = show(&desk, "t1");
    resident.kill();
    let _resident = Resident::start(&desk);
    by_hand.call("record_progress", &json!({"message": "still here"})).unwrap();
    let after = show(&desk, "t1");
    assert_eq!(after["task"]["state"], "running");
    assert_eq!(before["execution"]["unbound_until"], after["execution"]["unbound_until"]);
    assert_eq!(after["executions"].as_array().unwrap().len(), 1);
}

#[test]
fn a_cancelled_run_has_lost_its_token_at_once() {
    let desk = Desk::new();
    let _resident = Resident::start(&desk);
    let by_hand = ByHand::open(&desk, "json", &[]);
    desk.callbox(["cancel", "t1"]).end().expect(0);
    assert_eq!(desk.standing("t1"), "cancelled");
    let refused = by_hand.call("record_progress", &json!({"message": "x"})).unwrap_err();
    assert!(refused.contains("this run has ended"), "{refused}");
}

#[test]
fn who_belongs_to_another_run_does_not_speak_for_an_unbound_one() {
    let desk = Desk::new();
    let _resident = Resident::start(&desk);
    let by_hand = ByHand::open(&desk, "json", &[]);
    let script = format!(
        "CALLBOX_TOKEN={} {SHIM} call record_progress '{{\"message\":\"x\"}}'",
        by_hand.env["CALLBOX_TOKEN"]
    );
    let refused = desk.callbox(["attach", "--", "sh", "-c", &script]).end().expect(1);
    let said = format!("{}{}", refused.stdout, refused.stderr);
    assert!(said.contains("this call came from the processes of `x2`"), "{said}");
    assert_eq!(show(&desk, "t1")["signals"], json!([]));
}

#[test]
fn a_question_that_is_dismissed_behind_its_run_leaves_what_was_reported() {
    for (reported, state) in [(true, "completed"), (false, "failed")] {
        let desk = Desk::new();
        let _resident = Resident::start(&desk);
        let by_hand = ByHand::open(&desk, "json", &[]);
        by_hand.call("ask_user", &json!({"question": "Which?"})).unwrap();
        if reported {
            by_hand.call("report_summary", &report("partial")).unwrap();
        }
        assert_eq!(end(&desk)["state"], "blocked");
        desk.callbox(["dismiss", "q1"]).end().expect(0);
        assert_eq!(desk.standing("t1"), state);
    }
}

#[test]
fn the_real_claude_code_speaks_with_the_configuration_that_a_person_gave_it() {
    let Some(claude) = programs::installed("claude") else { return };
    let desk = Desk::new();
    let _resident = Resident::start(&desk);
    let model = FakeModel::start(Script::of([
        Step::call("report_summary", json!({"summary": "painted by hand"})),
        Step::say("Done."),
    ]))
    .unwrap();
    let file =
        desk.write("mcp.json", &desk.callbox(["mcp-config", "--for", "claude"]).end().expect(0).stdout);
    let ended = Command::new(claude)
        .args(["-p", "Paint it.", "--allowedTools=mcp__callbox", "--mcp-config"])
        .arg(&file)
        .env_clear()
        .env("HOME", desk.path("home"))
        .env("PATH", "/usr/local/bin:/usr/bin:/bin")
        .env("ANTHROPIC_BASE_URL", model.url())
        .env("ANTHROPIC_API_KEY", "sk-ant-dummy")
        .env("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1")
        .current_dir(desk.path("home"))
        .stdin(Stdio::null())
        .output()
        .unwrap();
    assert!(ended.status.success(), "{ended:?}");
    assert_eq!(end(&desk)["state"], "completed");
    assert_eq!(show(&desk, "t1")["summary"], "painted by hand");
}

#[test]
fn the_real_gemini_cli_speaks_with_the_configuration_that_a_person_gave_it() {
    let Some(gemini) = programs::installed("gemini") else { return };
    let desk = Desk::new();
    let _resident = Resident::start(&desk);
    let script = [Step::call("report_summary", json!({"summary": "painted by hand"})), Step::say("Done.")];
    let model = FakeModel::start(Script::of(script)).unwrap();
    let printed = desk.callbox(["mcp-config", "--for", "gemini"]).end().expect(0).stdout;
    let mut settings: Value = serde_json::from_str(&printed).unwrap();
    // Told of an endpoint alone, it takes that for a gateway.
    settings["security"] = json!({"auth": {"selectedType": "gemini-api-key"}});
    desk.write("home/.gemini/settings.json", &settings.to_string());
    let ended = Command::new(&gemini)
        .args(["-p", "Paint it.", "--skip-trust"])
        .env_clear()
        .env("HOME", desk.path("home"))
        .env("PATH", format!("{}:/usr/local/bin:/usr/bin:/bin", gemini.parent().unwrap().display()))
        .env("GOOGLE_GEMINI_BASE_URL", model.url())
        .env("GEMINI_API_KEY", "dummy")
        .env("GEMINI_MODEL", "gemini-2.5-flash")
        .current_dir(desk.path("home"))
        .stdin(Stdio::null())
        .output()
        .unwrap();
    assert!(ended.status.success(), "{ended:?}");
    assert_eq!(end(&desk)["state"], "completed");
    assert_eq!(show(&desk, "t1")["summary"], "painted by hand");
}
