//! A supervisor from its start to the delivery of the work.

use std::{fs, os::unix::fs::PermissionsExt as _};

use callbox::{
    protocol::{
        launch::{Conversation, Workplace},
        supervise::{ReportBody, Verdict},
    },
    vocabulary::{AgentEnd, Exit, Fact, Finish},
};

use crate::support::{
    raw_supervision::Manners,
    supervised::{KEY, SESSION, Supervised, TOKEN, all_text, fault},
};

#[test]
fn work_is_done_in_a_sandbox_and_stands_in_the_project_as_a_branch() {
    let run = Supervised::agent("cat >/dev/null; begin; echo new > new.txt; done_well");
    let ending = run.run();
    assert_eq!(ending.end, AgentEnd::Finished, "{}", run.log());
    assert_eq!(ending.exit, Some(Exit::Code(0)));
    assert!(ending.changed && ending.turn_taken);
    assert_eq!(ending.session.as_deref(), Some(SESSION));
    assert_eq!(ending.final_message.as_deref(), Some("all done"));
    let Finish::Delivered { delivery: Some(delivery), .. } = run.finish() else { panic!("not delivered") };
    assert_eq!(delivery.branch.as_deref(), Some("callbox/12-mend"));
    assert_eq!(run.repository.git(["show", "callbox/12-mend:new.txt"]), "new");
    assert_eq!(run.repository.git(["status", "--porcelain"]), "");

    let reports = run.store.reports();
    let numbers: Vec<u64> = reports.iter().map(|report| report.number).collect();
    assert_eq!(numbers, (1..=reports.len() as u64).collect::<Vec<_>>());
    assert!(matches!(reports[0].body, ReportBody::Started { .. }));
    let facts = run.facts();
    assert!(facts.contains(&Fact::Session { id: SESSION.to_owned() }) && facts.contains(&Fact::TurnTaken));
    assert!(facts.iter().any(|fact| matches!(fact, Fact::AgentStarted { version, credential, .. }
        if version.as_deref() == Some("2.1.332") && credential.as_deref() == Some("ANTHROPIC_API_KEY"))));
    let directory = "sandboxes/12/1".into();
    assert!(facts.contains(&Fact::Sandbox { directory, base: Some(delivery.base) }));
}

#[test]
fn a_refused_supervisor_makes_nothing() {
    let manners = Manners { verdict: Verdict::Keep, started: None };
    let run = Supervised::under("begin; done_well", manners);
    assert!(run.start().wait().success());
    assert!(run.store.reports().is_empty());
    assert!(!run.sandbox().exists() && !run.folder().join("agent.log").exists());
}

#[test]
fn what_a_run_leaves_behind_is_private_and_holds_no_secret() {
    let run = Supervised::agent(
        "cat >/dev/null; begin; cat /proc/*/cmdline 2>/dev/null | tr '\\0' ' ' > ../../../../lines; done_well",
    );
    assert_eq!(run.run().end, AgentEnd::Finished, "{}", run.log());
    let lines = run.wait_for("lines");
    assert!(lines.contains("supervise") && lines.contains("--mcp-config"), "{lines}");
    let left = all_text(&run.folder()) + &lines;
    for secret in [TOKEN, KEY] {
        assert!(!left.contains(secret));
    }
    for name in ["agent.log", "agent.stderr.log", "transcript.log", "spool.jsonl", "alive"] {
        let mode = fs::metadata(run.folder().join(name)).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600, "{name}");
    }
    for name in ["mcp.json", "tmp", "git"] {
        assert!(!run.folder().join(name).exists(), "{name}");
    }
    assert!(fs::read_to_string(run.folder().join("transcript.log")).unwrap().contains("hello"));
}

#[test]
fn an_agent_is_given_what_was_looked_up_for_it_and_nothing_of_the_store() {
    let run = Supervised::agent(
        "cat >/dev/null; begin; env > ../../../../environment; umask > ../../../../mask; done_well",
    );
    run.run();
    let environment = run.wait_for("environment");
    let tmp = format!("TMPDIR={}", run.folder().join("tmp").display());
    for line in
        ["ANTHROPIC_API_KEY=canary-key-canary-key", "PLAIN=of the task", "CALLBOX_EXECUTION=x31", &tmp]
    {
        assert!(environment.lines().any(|given| given == line), "{line} in {environment}");
    }
    assert!(!environment.contains("CALLBOX_STRAY") && !environment.contains(TOKEN));
    assert_ne!(run.wait_for("mask").trim(), "0077");
}

#[test]
fn a_program_that_is_missing_is_named_and_nothing_is_made() {
    let mut run = Supervised::agent("");
    run.plan.program = None;
    run.start_with(&[("PATH", "/nonexistent")]).wait();
    let ending = run.ending();
    assert!(matches!(ending.end, AgentEnd::Unavailable { .. }));
    assert_eq!(fault(&ending).code, "program_missing");
    assert!(!run.sandbox().exists());
}

#[test]
fn a_project_that_cannot_be_used_is_said_and_nothing_is_made() {
    let run = Supervised::agent("begin; done_well");
    fs::rename(run.repository.root(), run.repository.beside("moved")).unwrap();
    let ending = run.run();
    assert!(matches!(ending.end, AgentEnd::Unavailable { .. }));
    assert_eq!(fault(&ending).code, "project");
    assert!(!run.sandbox().exists());
}

#[test]
fn a_failed_run_keeps_its_sandbox_and_the_words_of_its_agent() {
    let run = Supervised::agent("cat >/dev/null; begin; echo 'it broke' >&2; exit 3");
    let ending = run.run();
    assert_eq!(ending.exit, Some(Exit::Code(3)));
    let fault = fault(&ending);
    assert!(fault.message.contains("it broke"), "{fault:?}");
    assert!(run.sandbox().join("README.md").exists());
}

#[test]
fn without_a_project_the_agent_works_in_an_empty_directory() {
    let mut run = Supervised::agent("cat >/dev/null; begin; ls -A > ../../../../list; done_well");
    run.plan.workplace = Workplace::Empty { directory: "sandboxes/12/1".into() };
    let ending = run.run();
    assert_eq!(ending.end, AgentEnd::Finished, "{}", run.log());
    assert_eq!(run.wait_for("list"), "");
    assert_eq!(run.finish(), Finish::Delivered { delivery: None, notice: None });
}

#[test]
fn a_conversation_goes_on_in_its_sandbox() {
    let mut run = Supervised::agent("cat > ../../../../told; begin; echo more >> more.txt; done_well");
    run.run();
    run.resume();
    let base = run.repository.git(["rev-parse", "HEAD"]);
    run.repository.write("later.txt", "of the person");
    run.repository.commit("later");
    let before = run.store.reports().len();
    run.start().wait();
    assert!(run.wait_for("told").contains("Go on."));
    let reports = run.store.reports();
    assert!(reports.len() > before && matches!(reports[before].body, ReportBody::Started { .. }));
    assert_eq!(run.repository.git(["show", "callbox/12-mend:more.txt"]), "more\nmore");
    assert!(
        run.facts()
            .iter()
            .rev()
            .any(|fact| matches!(fact, Fact::Sandbox { base: Some(found), .. } if *found == base))
    );
}

#[test]
fn another_session_than_the_recorded_one_ends_the_run() {
    let mut run = Supervised::agent(
        "cat >/dev/null; session=11111111-f936-723b-b398-0893d205618d; begin; sleep 60; done_well",
    );
    run.resume();
    fs::create_dir_all(run.sandbox()).unwrap();
    run.plan.workplace = Workplace::Empty { directory: "sandboxes/12/1".into() };
    let ending = run.run();
    assert_eq!(fault(&ending).code, "session_changed");
    assert_eq!(ending.session.as_deref(), Some(SESSION));
    let strange = |fact: &Fact| matches!(fact, Fact::Session { id } if id != SESSION);
    assert!(!run.facts().iter().any(strange));
}

#[test]
fn where_the_sandbox_is_gone_everything_is_told_again_in_a_new_one() {
    let mut run = Supervised::agent("cat > ../../../../told; begin; done_well");
    run.resume();
    assert_eq!(run.run().end, AgentEnd::Finished, "{}", run.log());
    assert!(run.wait_for("told").contains("Everything again, elsewhere."));
    assert!(run.sandbox().join("README.md").exists());
    assert!(run.facts().iter().any(|fact| matches!(fact, Fact::Retold { .. })));
}

#[test]
fn where_the_session_is_gone_everything_is_told_again_in_the_same_sandbox() {
    let mut run = Supervised::agent(
        r#"cat > ../../../../told
case "$*" in *--resume*)
  echo '{"type":"result","subtype":"error_during_execution","is_error":true,"num_turns":0,"errors":["No conversation found with session ID: x"]}'; exit 1;;
esac
begin; cat kept.txt > ../../../../kept; done_well"#,
    );
    run.plan.workplace = Workplace::Empty { directory: "sandboxes/12/1".into() };
    fs::create_dir_all(run.sandbox()).unwrap();
    fs::write(run.sandbox().join("kept.txt"), "kept").unwrap();
    run.resume();
    assert_eq!(run.run().end, AgentEnd::Finished, "{}", run.log());
    assert!(run.wait_for("told").contains("Everything again."));
    assert_eq!(run.wait_for("kept"), "kept");
    assert!(run.facts().iter().any(|fact| matches!(fact, Fact::Retold { .. })));
}

#[test]
fn the_finish_step_alone_hands_over_what_is_there_and_can_be_repeated() {
    let mut run = Supervised::agent("cat >/dev/null; begin; echo new > new.txt; done_well");
    run.dies_at("supervisor:delivered_before_report");
    run.start().wait();
    assert!(!run.store.reports().iter().any(|report| matches!(report.body, ReportBody::Ended { .. })));
    let delivered = run.repository.git(["rev-parse", "callbox/12-mend"]);
    run.dies_at("nowhere");
    run.plan.conversation = Conversation::Finished;
    run.start().wait();
    let Finish::Delivered { delivery: Some(delivery), .. } = run.finish() else { panic!("not delivered") };
    assert_eq!(delivery.head, delivered);
    assert_eq!(
        run.repository.git(["for-each-ref", "--format=%(refname)", "refs/heads/callbox"]),
        "refs/heads/callbox/12-mend"
    );
}
