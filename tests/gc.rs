//! What ended tasks left is removed, and nothing that anybody may still need, end to end with the scripted agent.

use std::fs;

use rustix::process::Signal;

use crate::support::{
    cli::Desk,
    leftovers::{collected, gc, run, standing, tasks},
    processes::{is_stopped, kill, nothing_left},
    repository::{Repository, git},
    resident::Resident,
    wait::{SOON, wait_until},
};

const WRITES: &str =
    "- write: {path: a.txt, text: one}\n- progress: begun\n- summary: written\n- print: again\n";

#[test]
fn a_dry_run_names_exactly_what_is_then_removed_with_and_without_a_store_that_stays() {
    for stays in [false, true] {
        let (desk, project) = (Desk::new(), Repository::new());
        run(&desk, &project, WRITES, &[]).expect(0);
        run(&desk, &project, &format!("{WRITES}- exit: 3"), &[]).expect(1);
        run(&desk, &project, "- ask: {question: Which?}", &[]).expect(3);
        let store = stays.then(|| Resident::start(&desk));
        let mut seen = collected(&desk, &["--dry-run"]);
        assert_eq!(
            (tasks(&seen, "removed"), tasks(&seen, "stays").len()),
            (vec!["t1".into(), "t2".into()], 0)
        );
        assert!(standing(&desk, 1).contains(&"1".to_owned()) && desk.state().join("executions/1").exists());
        let done = collected(&desk, &[]);
        assert!(seen["freed"].as_u64().unwrap() > 10_000 && seen["kept"] == 1, "{seen}");
        seen["dry_run"] = false.into();
        assert_eq!(seen, done);
        for number in [1, 2] {
            assert_eq!(standing(&desk, number), [""; 0]);
            assert!(!desk.state().join(format!("executions/{number}")).exists());
        }
        assert!(standing(&desk, 3).contains(&"1".to_owned()), "a question waits");
        let again = collected(&desk, &[]);
        assert_eq!((tasks(&again, "removed").len(), &again["freed"]), (0, &0.into()), "{again}");
        // What was kept and delivered is the project's.
        assert_eq!(project.git(["show", "refs/callbox/x2:a.txt"]), "one");
        assert_eq!(project.git(["show", "callbox/t1-work:a.txt"]), "one");
        if let Some(store) = store {
            store.stop();
        }
        nothing_left(&desk);
    }
}

#[test]
fn a_week_passes_before_anything_goes_unless_the_configuration_says_otherwise() {
    let (desk, project) = (Desk::new(), Repository::new());
    run(&desk, &project, WRITES, &[]).expect(0);
    let _ = desk.callbox(["gc"]).end().expect(0);
    assert!(standing(&desk, 1).contains(&"1".to_owned()));
    desk.write("home/.config/callbox/config.toml", "[gc]\nkeep = \"1s\"\n");
    wait_until("a second has passed", SOON, || {
        tasks(&desk.callbox(["gc", "--json"]).end().expect(0).json(), "removed") == ["t1"]
    });
    assert_eq!(standing(&desk, 1), [""; 0]);
}

#[test]
fn over_what_all_may_take_the_oldest_go_first_and_no_more_than_must() {
    let (desk, project) = (Desk::new(), Repository::new());
    project.write("large", vec![b'x'; 3 << 20]);
    project.commit("large");
    for _ in 0..3 {
        run(&desk, &project, "- print: x", &[]).expect(0);
    }
    desk.write("home/.config/callbox/config.toml", "[gc]\nmax_disk = \"8MiB\"\n");
    let text = desk.callbox(["gc", "--dry-run"]).end().expect(0).stdout;
    assert!(text.contains("t1") && !text.contains("t2") && text.contains("would be freed"), "{text}");
    let done = desk.callbox(["gc", "--json"]).end().expect(0).json();
    assert_eq!(
        (tasks(&done, "removed"), &done["removed"][0]["why"]),
        (vec!["t1".to_owned()], &"room".into())
    );
    assert!(done["taken"].as_u64().unwrap() <= 8 << 20, "{done}");
    assert!(standing(&desk, 2).contains(&"1".to_owned()));
}

#[test]
fn nothing_goes_of_a_task_that_can_still_go_on() {
    let (desk, project) = (Desk::new(), Repository::new());
    run(&desk, &project, &format!("{WRITES}- ask: {{question: Which?}}"), &[]).expect(3);
    run(&desk, &project, WRITES, &["--review", "yes"]).expect(0);
    let root = project.root().display().to_string();
    let submit = |steps: &str, more: &[&str]| {
        let task = ["submit", "-C", &root, "--agent", "scripted", "-p", steps];
        desk.callbox(task.iter().chain(more)).end().expect(0);
    };
    submit(WRITES, &["--hold"]);
    submit(&format!("{WRITES}- hang:"), &[]);
    let store = Resident::start(&desk);
    wait_until("the agent works", SOON, || desk.state().join("sandboxes/4/1/a.txt").exists());
    let done = collected(&desk, &[]);
    assert_eq!((tasks(&done, "removed").len(), tasks(&done, "stays").len()), (0, 0), "{done}");
    for number in [1, 2, 4] {
        assert!(standing(&desk, number).contains(&"1".to_owned()), "{number}");
    }
    let _ = desk.callbox(["cancel", "t4"]).end().expect(0);
    let _ = desk.callbox(["cancel", "t4"]).end().expect(0);
    store.stop();
    nothing_left(&desk);
}

#[test]
fn what_a_task_left_stays_while_a_subtask_of_it_is_done_anew_even_against_a_wish() {
    let (desk, project) = (Desk::new(), Repository::new());
    run(&desk, &project, "- subtask: {name: side, instructions: '- print: x'}\n- print: x\n- print: x", &[])
        .expect(0);
    let _ = desk.callbox(["retry", "t2", "--fresh"]).end().expect(0);
    for more in [&[][..], &["--drop", "t1"]] {
        let done = collected(&desk, more);
        assert_eq!(
            (tasks(&done, "removed").len(), tasks(&done, "stays")),
            (0, vec!["t1".to_owned()]),
            "{done}"
        );
        let reason = done["stays"][0]["reason"].as_str().unwrap();
        assert!(reason.contains("its subtask t2 has not ended"), "{done}");
        assert_eq!(done["stays"][0]["droppable"], false);
    }
    let text = desk.callbox(["gc", "--keep", "0s"]).end().expect(0).stdout;
    assert!(text.contains("t1 stays") && !text.contains("--drop"), "{text}");
}

#[test]
fn a_task_whose_sandbox_is_gone_says_so_and_goes_on_in_a_new_one_with_what_is_known() {
    for word in ["resume", "retry"] {
        let (desk, project) = (Desk::new(), Repository::new());
        run(&desk, &project, WRITES, &[]).expect(0);
        collected(&desk, &[]);
        let _ = desk.callbox(["open", "t1"]).end().expect(1).says("is gone");
        let shown = desk.callbox(["show", "t1"]).end().expect(0).stdout;
        assert!(shown.contains("removed by `callbox gc`") && !shown.contains("callbox logs"), "{shown}");
        let shown = desk.callbox(["show", "t1", "--json"]).end().expect(0).json();
        assert_eq!((&shown["swept"], &shown["sandbox"]), (&true.into(), &serde_json::Value::Null), "{shown}");
        let _ = desk
            .callbox(["logs", "t1"])
            .end()
            .expect(1)
            .says("the logs of `x1` were removed by `callbox gc`");
        let _ = desk.callbox(["tell", "t1", "more"]).end().expect(1).says("its sandbox is gone");
        assert!(
            desk.callbox(["diff", "t1"]).end().expect(0).stdout.contains("+one"),
            "what was delivered is there"
        );
        let queued = desk.callbox([word, "t1", "--json"]).end().expect(0).json();
        assert!(queued["message"].as_str().unwrap().contains("its sandbox is gone"), "{queued}");
        let root = project.root().display().to_string();
        let ended = desk.callbox(["run", "--queued", "--json"]).within(&root).end().expect(0).json();
        let ended = if ended.is_array() { ended[0].clone() } else { ended };
        assert!(ended["sandbox"].as_str().unwrap().ends_with("/sandboxes/1/2"), "{ended}");
        let told = fs::read_to_string(desk.state().join("executions/2/launch.json")).unwrap();
        assert!(told.contains("summary of the work so far: ") && told.contains("written"), "{told}");
        // The new sandbox starts from what the old one delivered.
        assert!(desk.state().join("sandboxes/1/2/a.txt").exists());
        assert_eq!(standing(&desk, 1).iter().filter(|name| name.starts_with('1')).count(), 0);
        let _ = collected(&desk, &[]);
        assert_eq!(standing(&desk, 1), [""; 0], "the next one goes too");
    }
}

#[test]
fn what_one_gc_removes_no_other_counts_as_its_own() {
    let (desk, project) = (Desk::new(), Repository::new());
    for _ in 0..2 {
        run(&desk, &project, WRITES, &[]).expect(0);
    }
    let store = Resident::start(&desk);
    let first = desk.callbox(["gc", "--drop", "t1", "--drop", "t2", "--json"]);
    let first = first.variable("CALLBOX_FAULT", "gc:moved").variable("CALLBOX_FAULT_ACTION", "stop").start();
    wait_until("the first one has moved something", SOON, || is_stopped(first.pid()));
    let second = collected(&desk, &[]);
    kill(first.pid(), Signal::CONT);
    let first = first.end().json();
    assert_eq!(
        (tasks(&first, "removed"), tasks(&second, "removed")),
        (vec!["t1".to_owned()], vec!["t2".to_owned()])
    );
    store.stop();
}

#[test]
fn work_that_goes_on_in_a_new_sandbox_is_one_work_on_one_branch() {
    let (desk, project) = (Desk::new(), Repository::new());
    let steps = "- write: {path: one.txt, text: one}\n- commit: make one\n- summary: written\n\
                 - write: {path: two.txt, text: two}\n- commit: make two\n- summary: more";
    let first = run(&desk, &project, steps, &[]).expect(0).json();
    assert_eq!(first["task"]["state"], "completed", "{first}");
    collected(&desk, &[]);
    let ended = desk.callbox(["resume", "t1", "--run", "--json"]).end().expect(0).json();
    let delivery = &ended["delivery"];
    assert_eq!(delivery["branch"], first["delivery"]["branch"], "{ended}");
    assert_eq!(delivery["base"], first["delivery"]["base"], "{ended}");
    let diff = desk.callbox(["diff", "t1"]).end().expect(0).stdout;
    assert!(diff.contains("+one"), "the work of before is part of it: {diff}");
    assert_eq!(project.git(["branch", "--list", "callbox/*-2"]), "", "{ended}");
}

#[test]
fn kept_work_is_what_a_task_goes_on_from_whose_sandbox_is_gone() {
    let (desk, project) = (Desk::new(), Repository::new());
    run(&desk, &project, &format!("{WRITES}- exit: 3"), &[]).expect(1);
    collected(&desk, &[]);
    let _ = desk.callbox(["resume", "t1", "--run"]).end().expect(1);
    let head = git(&desk.state().join("sandboxes/1/2"), ["rev-parse", "HEAD"]);
    assert_eq!(head, project.git(["rev-parse", "refs/callbox/x1"]));
}

#[test]
fn a_subtask_done_anew_starts_where_it_did_although_its_parents_sandbox_is_gone() {
    let (desk, project) = (Desk::new(), Repository::new());
    let steps = "- write: {path: a.txt, text: one}\n- commit: one\n- subtask: {name: side, instructions: '- print: x'}\n- summary: x\n- print: x";
    run(&desk, &project, steps, &[]).expect(0);
    assert_eq!(tasks(&collected(&desk, &[]), "removed").len(), 2);
    desk.callbox(["retry", "t2", "--fresh", "--run"]).end().expect(0);
    assert!(desk.state().join("sandboxes/2/2/a.txt").exists());
}

#[test]
fn no_agent_removes_what_another_left() {
    let (desk, project) = (Desk::new(), Repository::new());
    run(&desk, &project, WRITES, &[]).expect(0);
    let attempt = format!("{} gc --keep 0s > tried 2>&1; echo $? >> tried", env!("CARGO_BIN_EXE_callbox"));
    let verify = ["--isolation", "none", "--deliver", "none", "--verify", &attempt];
    let ended = run(&desk, &project, "- print: x", &verify).expect(0).json();
    let tried = fs::read_to_string(format!("{}/tried", ended["sandbox"].as_str().unwrap())).unwrap();
    assert!(tried.contains("only a person may give it") && tried.ends_with("\n1\n"), "{tried}");
    assert!(standing(&desk, 1).contains(&"1".to_owned()));
}

#[test]
fn a_number_that_names_nothing_to_drop_is_refused() {
    let (desk, project) = (Desk::new(), Repository::new());
    run(&desk, &project, "- ask: {question: Which?}", &[]).expect(3);
    let _ = gc(&desk, &["--drop", "t1"]).end().expect(1).says("has left nothing that could be dropped");
    let _ = gc(&desk, &["--drop", "t9"]).end().expect(1).says("there is no `t9`");
}
