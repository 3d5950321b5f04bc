//! The adapter of each program that speaks the Agent Client Protocol against the real program, with a fake model
//! behind it.

use std::fs;

use callbox::{
    agents::Read,
    vocabulary::{Fact, Permissions},
};
use serde_json::json;

use crate::support::{
    agent::{Desk, Order},
    bridges::{Bridge, over_bridges},
    fake_model::{Script, Step},
    raw_store::Answer,
};

over_bridges!(
    a_fresh_run_tells_its_session_at_once_then_its_turn_and_what_it_used,
    a_resumed_run_is_the_same_session_and_its_words_are_its_own,
    the_four_tools_reach_the_store,
    nothing_is_offered_that_asks_plans_or_schedules,
    the_preamble_reaches_the_model,
    a_session_that_is_gone_is_said_to_be,
    a_run_that_was_ended_in_the_middle_is_no_success,
    a_run_without_any_login_says_so,
);

fn a_fresh_run_tells_its_session_at_once_then_its_turn_and_what_it_used(bridge: &Bridge) {
    let script =
        Script::of([bridge.shell("echo made > made.txt"), bridge.write("edited.txt"), Step::say("all done")]);
    let Some(desk) = bridge.desk(script) else { return };
    let run = desk.run(&Order::new("make a file"));
    run.record(&desk, &format!("{}-fresh", bridge.agent));
    run.finished();
    let facts = run.facts();
    assert!(matches!(facts[0], Fact::Session { id } if *id == run.session()), "{facts:?}");
    assert!(matches!(facts[1], Fact::Model { .. }), "{facts:?}");
    assert_eq!(*facts[2], Fact::TurnTaken);
    let activity = format!("{}: echo made > made.txt", bridge.denied.0);
    assert!(facts.contains(&&Fact::Activity { text: activity }), "{facts:?}");
    assert_eq!(run.conclusion.final_message.as_deref(), Some("all done"));
    assert_eq!(run.usage().tokens_in.is_some(), bridge.agent != "codex-acp");
    assert_eq!(run.usage().cost_usd.is_some(), bridge.agent == "claude-acp");
    assert_eq!(fs::read_to_string(desk.work().join("made.txt")).unwrap(), "made\n");
    assert_eq!(fs::read_to_string(desk.work().join("edited.txt")).unwrap().trim(), "x");
    let left: Vec<_> = fs::read_dir(desk.work()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(left.len(), 2, "nothing else stands where it worked: {left:?}");
    let own = [".codex", ".gemini"].map(|folder| desk.beside("home").join(folder).exists());
    assert_eq!(own, [false, false], "the person's own home is left alone");
}

fn a_resumed_run_is_the_same_session_and_its_words_are_its_own(bridge: &Bridge) {
    let Some(desk) = bridge.desk(Script::of(["one", "two", "three"].map(Step::say))) else { return };
    let first = desk.run(&Order::new("begin"));
    let second = desk.run(&Order::resume(&first.session(), "go on"));
    let third = desk.run(&Order::resume(&first.session(), "and on"));
    third.record(&desk, &format!("{}-resumed", bridge.agent));
    for (run, words) in [(&first, "one"), (&second, "two"), (&third, "three")] {
        run.finished();
        assert_eq!(run.session(), first.session());
        assert_eq!(run.conclusion.final_message.as_deref(), Some(words));
        assert_eq!(run.usage().tokens_in, first.usage().tokens_in);
        assert_eq!(run.usage().cost_usd, first.usage().cost_usd);
    }
    let said = desk.model.turns().pop().unwrap().said().concat();
    for words in ["callbox: begin", "callbox: go on", "callbox: and on"] {
        assert_eq!(said.matches(words).count(), 1, "{words} in {said}");
    }
}

fn the_four_tools_reach_the_store(bridge: &Bridge) {
    let script = Script::of([
        Step::call("record_progress", json!({"message": "began"})),
        Step::call("spawn_subtask", json!({"name": "part", "instructions": "do it"})),
        Bridge::summary("half"),
        bridge.ask("which?"),
        Step::say("waiting"),
    ]);
    let Some(desk) = bridge.desk(script) else { return };
    for _ in 0..4 {
        desk.store.answer(Answer::Recorded("recorded, canary-answer"));
    }
    let run = desk.run(&Order::new("use them").permitted(Permissions::Read));
    run.record(&desk, &format!("{}-four-tools", bridge.agent));
    run.finished();
    assert_eq!(run.denied(), []);
    assert_eq!(desk.store.signals(4).len(), 4);
    let last = desk.model.turns().pop().unwrap();
    assert!(last.tool_results().iter().all(|result| result.to_string().contains("canary-answer")));
    let asked = run
        .facts()
        .iter()
        .any(|fact| matches!(fact, Fact::Activity { text } if text.starts_with("ask_user")));
    assert!(asked, "{:?}", run.facts());
}

/// Tools that ask a person, plan, schedule or spawn in ways that callbox does not know of.
const OFF: [&str; 10] = [
    "AskUserQuestion",
    "CronCreate",
    "EnterPlanMode",
    "EnterWorktree",
    "ScheduleWakeup",
    "Workflow",
    "create_goal",
    "request_user_input",
    "enter_plan_mode",
    "web_search",
];

fn nothing_is_offered_that_asks_plans_or_schedules(bridge: &Bridge) {
    let Some(desk) = bridge.desk(Script::of([Step::say("done")])) else { return };
    desk.run(&Order::new("look")).finished();
    let offered = desk.model.turns().pop().unwrap().offered();
    for tool in [bridge.asking(), "record_progress", "report_summary", "spawn_subtask"] {
        assert!(offered.contains(&format!("{}{tool}", bridge.own)), "{tool} in {offered:?}");
    }
    let off: Vec<_> = offered.iter().filter(|name| OFF.contains(&name.as_str())).collect();
    assert!(off.is_empty(), "{off:?}");
}

fn the_preamble_reaches_the_model(bridge: &Bridge) {
    let Some(desk) = bridge.desk(Script::of([Step::say("done")])) else { return };
    desk.run(&Order::new("look")).finished();
    let request = desk.model.turns().remove(0);
    let told = request.system() + &request.said().concat();
    let words = format!("Call `{}{}` only for", bridge.own, bridge.asking());
    assert_eq!(told.matches(&words).count(), 1, "{told}");
}

fn a_session_that_is_gone_is_said_to_be(bridge: &Bridge) {
    let Some(desk) = bridge.desk(Script::of([Step::say("done")])) else { return };
    let run = desk.run(&Order::resume("22222222-2222-4222-8222-222222222222", "go on"));
    run.record(&desk, &format!("{}-session-gone", bridge.agent));
    run.failure("session_unknown");
    assert!(run.conclusion.session_unknown && !run.conclusion.turn_taken);
    assert_eq!(desk.model.turns().len(), 0);
}

fn a_run_that_was_ended_in_the_middle_is_no_success(bridge: &Bridge) {
    let Some(desk) = bridge.desk(Script::of([bridge.shell("true"), Step::Hang])) else { return };
    let run = desk.run_until(&Order::new("begin"), |read| matches!(read, Read::Fact(Fact::Activity { .. })));
    run.record(&desk, &format!("{}-interrupted", bridge.agent));
    assert!(run.failure("agent_error").contains("was stopped"));
}

fn a_run_without_any_login_says_so(bridge: &Bridge) {
    let Some(mut desk) = bridge.desk(Script::of([Step::say("done")])) else { return };
    without_key(&mut desk);
    let run = desk.run(&Order::new("go"));
    assert!(matches!(run.conclusion.end, callbox::vocabulary::AgentEnd::Auth { .. }), "{:?}", run.conclusion);
    assert_eq!(desk.model.turns().len(), 0);
}

fn without_key(desk: &mut Desk) {
    for key in ["ANTHROPIC_API_KEY", "CODEX_API_KEY", "GEMINI_API_KEY"] {
        desk.environment.remove(key);
    }
}
