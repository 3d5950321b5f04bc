//! Reports as the store sends them, for the tests of what is printed.

use serde_json::json;

use crate::{
    ids::{ExecutionNumber, QuestionNumber, TaskNumber, Timestamp, UniqueId},
    protocol::report::{
        ExecutionReport, MessageReport, QuestionReport, SCHEMA, SignalReport, SubtaskReport, TaskHead,
        TaskLine, TaskReport, Totals, VerifyReport,
    },
    vocabulary::{Budget, Deliver, Delivery, Denial, Exit, Fault, Isolation, Kept, Priority},
};

/// 2026-11-30T04:00:00Z.
pub(in crate::cli) const START: i64 = 1_796_011_200_000;

/// A run that went well, with a subtask and a verification.
pub(in crate::cli) fn completed() -> TaskReport {
    let execution = execution(1, "succeeded");
    TaskReport {
        summary: Some("Added greetings in three languages.\n\nThe tests cover each of them.".to_owned()),
        subtasks: vec![SubtaskReport {
            number: TaskNumber::new(2),
            name: "translate".to_owned(),
            state: "completed".to_owned(),
            summary: Some("translated".to_owned()),
            branch: Some("callbox/2-translate".to_owned()),
        }],
        denied: vec![Denial { tool: "Bash".to_owned(), input: "rm -rf target".to_owned(), count: 3 }],
        verify: Some(VerifyReport {
            command: "cargo test".to_owned(),
            exit: Exit::Code(0),
            tail: "ok".to_owned(),
        }),
        delivery: Some(Delivery {
            base: "a".repeat(40),
            branch: Some("callbox/1-greet".to_owned()),
            patch: None,
            head: "b".repeat(40),
            commits: 2,
            files: 1,
            insertions: 1_240,
            deletions: 2,
        }),
        executions: vec![execution.clone()],
        execution: Some(execution),
        messages: vec![
            message("message", "in oil, please", "taken"),
            message("rejection", "too bright", "handed"),
            message("message", "hurry", "waiting"),
        ],
        signals: vec![signal("record_progress", json!({"message": "half way", "percent": 50}))],
        ..report("completed")
    }
}

/// What a run without a good end left.
pub(in crate::cli) fn kept() -> Kept {
    Kept {
        base: "a".repeat(40),
        reference: "refs/callbox/x1".to_owned(),
        head: "c".repeat(40),
        commits: 2,
        files: 1,
        insertions: 3,
        deletions: 0,
    }
}

/// A run that asked and ended its turn.
pub(in crate::cli) fn blocked() -> TaskReport {
    TaskReport {
        task: TaskHead { wait: Some("answer to q1".to_owned()), ..head("blocked") },
        questions: questions(),
        execution: Some(execution(1, "blocked")),
        executions: vec![execution(1, "blocked")],
        signals: vec![signal("ask_user", json!({"question": "Which language?"}))],
        ..report("blocked")
    }
}

/// A run whose agent failed.
pub(in crate::cli) fn failed() -> TaskReport {
    let exit = Some(Exit::Code(1));
    TaskReport {
        execution: Some(ExecutionReport { exit, ..execution(1, "failed") }),
        error: Some(
            Fault::new("provider", "the provider answered 500: overloaded").hinted("try again later"),
        ),
        ..report("failed")
    }
}

/// One open question with options and context.
pub(in crate::cli) fn questions() -> Vec<QuestionReport> {
    vec![QuestionReport {
        number: QuestionNumber::new(1),
        task: TaskNumber::new(1),
        task_name: "greet".to_owned(),
        project: Some("/home/ada/greeter".into()),
        question: "Which language comes first?".to_owned(),
        options: vec!["Latin".to_owned(), "Greek".to_owned()],
        context: Some("The README names both.".to_owned()),
        asked_at: Timestamp::from_millis(START + 10_000),
        state: "open".to_owned(),
        answer: None,
    }]
}

/// Tasks in several states.
pub(in crate::cli) fn lines() -> Vec<TaskLine> {
    let mut running = line(1, "greet in three languages", "running");
    running.activity = Some("Bash: cargo test".to_owned());
    running.cost_usd = Some(0.25);
    let mut child = line(2, "translate", "queued");
    child.parent = Some(TaskNumber::new(1));
    child.wait = Some("slot".to_owned());
    let mut blocked = line(3, "mend the parser", "blocked");
    blocked.wait = Some("answer to q1".to_owned());
    blocked.questions = 1;
    let mut done = line(4, "日本語の名前", "completed");
    done.branch = Some("callbox/4-task".to_owned());
    vec![running, child, blocked, done, line(5, "too slow", "timed_out")]
}

pub(in crate::cli) fn line(number: i64, name: &str, state: &str) -> TaskLine {
    TaskLine {
        number: TaskNumber::new(number),
        id: identity(),
        name: name.to_owned(),
        state: state.to_owned(),
        wait: None,
        agent: "scripted".to_owned(),
        picked_agent: None,
        project: Some("/home/ada/greeter".into()),
        priority: Priority::Normal,
        tags: Vec::new(),
        comparison: None,
        parent: None,
        branch: None,
        activity: None,
        cost_usd: None,
        questions: 0,
        created_at: Timestamp::from_millis(START),
        updated_at: Timestamp::from_millis(START + 12_000),
    }
}

fn report(state: &str) -> TaskReport {
    TaskReport {
        schema: SCHEMA,
        task: head(state),
        instructions: "Greet everybody.\n\nIn three languages.".to_owned(),
        deliver: Deliver::Branch,
        budget: Budget::default(),
        execution: None,
        summary: None,
        questions: Vec::new(),
        messages: Vec::new(),
        subtasks: Vec::new(),
        denied: Vec::new(),
        verify: None,
        delivery: None,
        merged_into: None,
        kept: None,
        not_kept: None,
        swept: false,
        sandbox: Some("/home/ada/.local/state/callbox/sandboxes/1/1".into()),
        totals: Totals {
            cost_usd: Some(0.25),
            tokens_in: Some(12_000),
            tokens_out: Some(900),
            executions: 2,
            seconds: 72.5,
        },
        error: None,
        executions: Vec::new(),
        signals: Vec::new(),
    }
}

fn head(state: &str) -> TaskHead {
    TaskHead {
        number: TaskNumber::new(1),
        id: identity(),
        name: "greet".to_owned(),
        state: state.to_owned(),
        wait: None,
        project: Some("/home/ada/greeter".into()),
        agent: "scripted".to_owned(),
        picked_agent: None,
        tags: Vec::new(),
        comparison: None,
        parent: None,
        branch: None,
    }
}

fn execution(number: i64, outcome: &str) -> ExecutionReport {
    ExecutionReport {
        number: ExecutionNumber::new(number),
        attempt: 1,
        outcome: Some(outcome.to_owned()),
        agent: "scripted".to_owned(),
        agent_version: Some("0.1.0".to_owned()),
        model: None,
        credential: Some("ANTHROPIC_API_KEY".to_owned()),
        isolation: Some(Isolation::Landlock { abi: 7 }),
        unbound_until: None,
        session_id: Some("s-1".to_owned()),
        activity: None,
        exit: Some(Exit::Code(0)),
        error: None,
        started_at: Some(Timestamp::from_millis(START)),
        ended_at: Some(Timestamp::from_millis(START + 12_000)),
        cost_usd: Some(0.25),
        tokens_in: Some(12_000),
        tokens_out: Some(900),
    }
}

fn message(kind: &str, text: &str, state: &str) -> MessageReport {
    MessageReport {
        kind: kind.to_owned(),
        text: text.to_owned(),
        actor: None,
        at: Timestamp::from_millis(START),
        state: state.to_owned(),
        execution: (state != "waiting").then(|| ExecutionNumber::new(1)),
        taken_at: (state == "taken").then(|| Timestamp::from_millis(START + 6_000)),
    }
}

fn signal(tool: &str, arguments: serde_json::Value) -> SignalReport {
    SignalReport {
        execution: ExecutionNumber::new(1),
        seq: 1,
        tool: tool.to_owned(),
        arguments,
        at: Timestamp::from_millis(START + 5_000),
    }
}

fn identity() -> UniqueId {
    UniqueId::parse("0197d1a0-0000-7000-8000-000000000001").unwrap()
}
