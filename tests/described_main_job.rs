//! The main job, end to end with each of the real programs that callbox ships a description of, and a fake model
//! behind it.

use serde_json::{Value, json};

use crate::support::{
    cli::Desk,
    described::{self, Program},
    fake_model::{Refusal, Script, Step},
    processes::nothing_left,
};

/// Each program asks, is answered and delivers in one conversation.
fn asks_is_answered_and_delivers(program: &Program) {
    let side = "- write: {path: side.txt, text: side}\n- summary: side done";
    let desk = Desk::new();
    // These programs want to be told the whole path.
    let colour = desk.state().join("sandboxes/1/1/colour.txt");
    let script = Script::of([
        program.calls("record_progress", json!({"message": "looking", "percent": 10})),
        program.calls("spawn_subtask", json!({"name": "side", "agent": "scripted", "instructions": side})),
        program.shell("echo draft > draft.txt; git add -A; git commit -q -m draft"),
        program.calls("ask_user", json!({"question": "Which colour?", "options": ["red", "blue"]})),
        Step::say("I have asked."),
        program.writes(&colour),
        program.calls("report_summary", json!({"summary": "It is blue."})),
        Step::say("Done."),
    ]);
    let Some(office) = program.office_at(desk, script) else { return };
    let before = (office.project.git(["status", "--porcelain"]), office.project.git(["rev-parse", "HEAD"]));

    let asked = office.run(&["--json"]).end().expect(3).json();
    assert_eq!(asked["task"]["state"], "blocked", "{asked}");
    assert_eq!(asked["subtasks"][0]["state"], "completed", "{asked}");
    nothing_left(&office.desk);

    let answered = office.callbox(&["answer", "q1", "blue", "--run", "--json"]).end().expect(0).json();
    assert_eq!(answered["task"]["state"], "completed", "{answered}");
    assert_eq!(answered["summary"], "It is blue.");
    let said = office.model.turns().pop().unwrap().said().concat();
    assert_eq!(said.matches("Answer to question 1 (Which colour?): blue").count(), 1, "{said}");
    assert_eq!(said.matches("Standing instructions").count(), 1, "it is one conversation: {said}");
    assert_eq!(office.project.git(["show", "callbox/t1-colours:colour.txt"]).trim(), "x");
    assert_eq!(office.project.git(["show", "callbox/t1-colours:draft.txt"]).trim(), "draft");
    let after = (office.project.git(["status", "--porcelain"]), office.project.git(["rev-parse", "HEAD"]));
    assert_eq!(after, before);
    nothing_left(&office.desk);

    let shown = office.callbox(&["show", "t1", "--json"]).end().expect(0).json();
    let runs = shown["executions"].as_array().unwrap();
    assert_eq!(runs.len(), 2);
    assert_eq!(runs[0]["session_id"], runs[1]["session_id"]);
    for run in runs {
        assert_eq!(run["agent_version"], program.version, "{run}");
        assert_eq!(
            run["tokens_in"].as_u64().is_some_and(|tokens| tokens > 0),
            program.counts_tokens,
            "{run}"
        );
    }
    let tools: Vec<&Value> =
        shown["signals"].as_array().unwrap().iter().map(|signal| &signal["tool"]).collect();
    assert_eq!(tools, ["record_progress", "spawn_subtask", "ask_user", "report_summary"]);
}

/// A prompt that is a flag, a subcommand, a slash command or the name of a file arrives as text.
fn takes_every_prompt_as_text(program: &Program) {
    for prompt in ["--version", "mcp list", "/clear", "!touch made.txt", "@secret.txt and --yolo"] {
        let script = [program.calls("report_summary", json!({"summary": "heard"})), Step::say("Done.")];
        let Some(office) = program.office(Script::of(script)) else { return };
        office.project.write("secret.txt", "canary-contents");
        office.project.commit("a secret");
        let run = ["run", "--agent", program.name, "--name", "colours", "--json", "-p", "-"];
        let ended = office.callbox(&run).stdin(prompt).end().expect(0).json();
        assert_eq!(ended["summary"], "heard", "{prompt}");
        let said = office.model.turns().pop().unwrap().said().concat();
        assert!(said.contains(prompt), "{prompt} in {said}");
        assert_eq!(office.project.git(["branch", "--list", "callbox/*"]), "", "{prompt}");
    }
}

/// A repository's own settings for the program run nothing, set nothing and lead no request elsewhere.
fn heeds_nothing_of_a_hostile_tree(program: &Program) {
    let script = [
        program.shell("env > seen.txt"),
        program.calls("report_summary", json!({"summary": "calm"})),
        Step::say("Done."),
    ];
    let Some(office) = program.office(Script::of(script)) else { return };
    let mark = office.desk.path("ran");
    for (path, contents) in described::traps(&mark) {
        office.project.write(path, contents);
    }
    office.project.commit("hostile");
    office.run(&["--json"]).end().expect(0);
    assert!(!mark.exists(), "the tree's code ran");
    assert!(!office.project.git(["show", "callbox/t1-colours:seen.txt"]).contains("CANARY_VARIABLE"));
    let offered = office.model.turns().remove(0).offered();
    assert!(!offered.iter().any(|tool| tool.contains("evil")), "{offered:?}");
}

/// What the provider refuses for good, and a login that it refuses, are told as that.
fn tells_what_the_provider_refused(program: &Program) {
    for (status, exit, code) in [(400, 1, "provider"), (401, 69, "auth")] {
        let script = Script::default().refusing(Refusal::always(status, "some_kind", "canary: not so"));
        let Some(office) = program.office(script) else { return };
        let ended = office.run(&["--json"]).end().expect(exit).json();
        assert_eq!(ended["execution"]["error"]["code"], code, "{ended}");
        nothing_left(&office.desk);
    }
}

#[test]
fn copilot_asks_is_answered_and_delivers_in_one_conversation() {
    asks_is_answered_and_delivers(&described::COPILOT);
}

#[test]
fn opencode_asks_is_answered_and_delivers_in_one_conversation() {
    asks_is_answered_and_delivers(&described::OPENCODE);
}

#[test]
fn qwen_asks_is_answered_and_delivers_in_one_conversation() {
    asks_is_answered_and_delivers(&described::QWEN);
}

#[test]
fn copilot_takes_every_prompt_as_text() {
    takes_every_prompt_as_text(&described::COPILOT);
}

#[test]
fn opencode_takes_every_prompt_as_text() {
    takes_every_prompt_as_text(&described::OPENCODE);
}

#[test]
fn qwen_takes_every_prompt_as_text() {
    takes_every_prompt_as_text(&described::QWEN);
}

#[test]
fn copilot_heeds_nothing_of_a_hostile_tree() {
    heeds_nothing_of_a_hostile_tree(&described::COPILOT);
}

#[test]
fn opencode_heeds_nothing_of_a_hostile_tree() {
    heeds_nothing_of_a_hostile_tree(&described::OPENCODE);
}

#[test]
fn qwen_heeds_nothing_of_a_hostile_tree() {
    heeds_nothing_of_a_hostile_tree(&described::QWEN);
}

#[test]
fn copilot_tells_what_the_provider_refused() {
    tells_what_the_provider_refused(&described::COPILOT);
}

#[test]
fn opencode_tells_what_the_provider_refused() {
    tells_what_the_provider_refused(&described::OPENCODE);
}

#[test]
fn qwen_tells_what_the_provider_refused() {
    tells_what_the_provider_refused(&described::QWEN);
}
