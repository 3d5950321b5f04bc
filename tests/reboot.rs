//! A machine that is started anew: every process is gone at once, and every run goes on in its conversation.

use rusqlite::Connection;
use serde_json::{Value, json};

use crate::support::{
    cli::Desk,
    processes::kill_all,
    resident::Resident,
    supervised::write_agent,
    wait::{SOON, wait_until},
};

fn shown(desk: &Desk, task: &str) -> Value {
    desk.callbox(["show", task, "--json"]).end().expect(0).json()
}

/// Ends everything without a word, as a loss of power does. What a store finds next is another boot than the one
/// under which everything was in order.
fn power_off(desk: &Desk, store: Resident) {
    store.kill();
    kill_all(desk);
    let database = Connection::open(desk.state().join("callbox.db")).unwrap();
    let changed = database.execute("UPDATE meta SET value = 'another' WHERE key = 'boot'", []).unwrap();
    assert_eq!(changed, 1, "no store has noted the boot");
}

#[test]
fn every_run_goes_on_in_its_conversation_and_what_waited_waits() {
    let desk = Desk::new();
    desk.write("home/.config/callbox/config.toml", "max_concurrent = 2\n");
    let store = Resident::start(&desk);
    let submit = |steps: &str| {
        let _ = desk.callbox(["submit", "--agent", "scripted", "--no-project", "-p", steps]).end().expect(0);
    };
    submit("- ask: {question: which?}\n- summary: '{answer}'");
    wait_until("the first has asked", SOON, || desk.standing("t1") == "blocked");
    submit("- progress: {message: begun}\n- sleep: 1h\n- summary: second");
    submit("- progress: {message: begun}\n- sleep: 1h\n- summary: third");
    submit("- summary: fourth");
    for task in ["t2", "t3"] {
        wait_until("both are at work", SOON, || shown(&desk, task)["signals"].as_array().unwrap().len() == 1);
    }
    let sessions = ["t2", "t3"].map(|task| shown(&desk, task)["execution"]["session_id"].clone());
    power_off(&desk, store);

    let _ = desk.callbox(["answer", "q1", "blue"]).end().expect(0);
    let _store = Resident::start(&desk);
    // Behind the step at which the power was lost, which a scripted agent does not repeat.
    for (task, summary) in [("t1", "blue"), ("t2", "second"), ("t3", "third"), ("t4", "fourth")] {
        wait_until("it is done", 2 * SOON, || desk.standing(task) == "completed");
        assert_eq!(shown(&desk, task)["summary"], summary);
    }
    for (task, session) in ["t2", "t3"].into_iter().zip(sessions) {
        let ended = shown(&desk, task);
        let outcomes: Vec<_> =
            ended["executions"].as_array().unwrap().iter().map(|run| run["outcome"].clone()).collect();
        assert_eq!(outcomes, ["lost", "succeeded"], "{ended}");
        assert_eq!(ended["execution"]["session_id"], session);
        assert_eq!(ended["signals"].as_array().unwrap().len(), 2, "each signal once: {ended}");
    }
}

#[test]
fn restarts_do_not_count_as_losses_of_a_task_whose_agent_had_not_begun() {
    let desk = Desk::new();
    let program = desk.path("claude-of-mine");
    write_agent(&program, "sleep 3600");
    desk.write(
        "home/.config/callbox/config.toml",
        &format!("[agents.claude]\nprogram = \"{}\"\n", program.display()),
    );
    let mut store = Resident::of(&desk);
    let submit = ["submit", "--agent", "claude", "--no-project", "-p", "x"];
    let _ = desk.callbox(submit).variable("ANTHROPIC_API_KEY", "sk-ant-dummy").end().expect(0);
    for runs in 1..=4 {
        wait_until("it is at work again", SOON, || {
            let now = shown(&desk, "t1");
            now["task"]["state"] == "running"
                && now["executions"].as_array().unwrap().len() == runs
                && !now["execution"]["started_at"].is_null()
        });
        power_off(&desk, store);
        store = Resident::of(&desk);
    }
    write_agent(&program, "cat >/dev/null\nbegin\ndone_well");
    wait_until("it is at work or done", SOON, || {
        shown(&desk, "t1")["executions"].as_array().unwrap().len() == 5
    });
    power_off(&desk, store);
    let _store = Resident::of(&desk);
    wait_until("it is done", SOON, || desk.standing("t1") == "completed");
    let outcomes: Vec<Value> = shown(&desk, "t1")["executions"]
        .as_array()
        .unwrap()
        .iter()
        .map(|run| run["outcome"].clone())
        .collect();
    assert!(
        outcomes.len() >= 5 && outcomes[..4].iter().all(|outcome| *outcome == json!("lost")),
        "{outcomes:?}"
    );
}
