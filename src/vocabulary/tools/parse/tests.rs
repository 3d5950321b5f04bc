use proptest::prelude::*;
use serde_json::json;

use super::*;
use crate::vocabulary::tools::TOOL_NAMES;

fn parse(tool: &str, arguments: &Value) -> Result<Call, ArgumentFault> {
    Call::parse(tool, arguments.as_object().unwrap())
}

#[track_caller]
fn refused(tool: &str, arguments: &Value, sentence: &str) {
    assert_eq!(parse(tool, arguments).unwrap_err().to_string(), sentence);
}

#[track_caller]
fn progress(percent: &Value) -> Result<Option<u8>, ArgumentFault> {
    match parse("record_progress", &json!({"message": "m", "percent": percent}))? {
        Call::RecordProgress(progress) => Ok(progress.percent),
        other => panic!("another tool: {other:?}"),
    }
}

#[test]
fn each_tool_takes_its_arguments_and_fills_in_the_rest() {
    let asked = parse("ask_user", &json!({"question": "Which?", "options": ["a", "b"]}));
    let (question, options) = ("Which?".to_owned(), vec!["a".to_owned(), "b".to_owned()]);
    assert_eq!(asked, Ok(Call::AskUser(AskUser { question, options, context: None })));

    let summed = parse("report_summary", &json!({"summary": "did it"}));
    let summary = "did it".to_owned();
    assert_eq!(summed, Ok(Call::ReportSummary(ReportSummary { summary, outcome: SummaryOutcome::Done })));

    let spawned = parse(
        "spawn_subtask",
        &json!({"name": "n", "instructions": "do\nit", "after": ["m"], "model": null}),
    );
    assert_eq!(
        spawned,
        Ok(Call::SpawnSubtask(SpawnSubtask {
            name: "n".to_owned(),
            instructions: "do\nit".to_owned(),
            agent: None,
            model: None,
            after: vec!["m".to_owned()],
        }))
    );
    assert_eq!(progress(&json!(null)), Ok(None));
}

#[test]
fn the_fault_names_the_argument_and_the_reason() {
    refused("ask_user", &json!({}), "`question` is required");
    refused("ask_user", &json!({"question": null}), "`question` is required");
    refused("ask_user", &json!({"question": 5}), "`question` must be a string, and is a number");
    refused("ask_user", &json!({"question": " \n"}), "`question` must not be blank");
    refused("ask_user", &json!({"question": "a\0b"}), "`question` must not contain a NUL character");
    refused(
        "ask_user",
        &json!({"question": "?", "options": ["a", ["b"]]}),
        "`options[1]` must be a string, and is an array",
    );
    refused(
        "ask_user",
        &json!({"question": "?", "options": vec!["x"; 11]}),
        "`options` must have 0 to 10 items, and has 11",
    );
    refused(
        "report_summary",
        &json!({"summary": "s", "outcome": "great"}),
        "`outcome` must be `done`, `partial` or `failed`",
    );
    refused(
        "spawn_subtask",
        &json!({"name": "a\nb", "instructions": "i"}),
        "`name` must be a single line without control characters",
    );
    refused(
        "record_progress",
        &json!({"message": "m", "task_id": "t1"}),
        "`task_id` is no argument of `record_progress`, which takes `message`, `percent`",
    );
}

#[test]
fn an_unknown_tool_is_told_which_there_are() {
    let fault = parse("ask\u{1b}[31m", &json!({})).unwrap_err();
    assert!(fault.to_string().contains("the tools are `ask_user`"), "{fault}");
    assert!(!fault.to_string().contains('\u{1b}'), "{fault}");
}

#[test]
fn lengths_are_counted_in_characters_not_in_bytes() {
    let question = "ü".repeat(4_000);
    assert!(parse("ask_user", &json!({"question": question})).is_ok());
    refused(
        "ask_user",
        &json!({"question": format!("{question}ü")}),
        "`question` must have 1 to 4000 characters, and has 4001",
    );
    refused("ask_user", &json!({"question": ""}), "`question` must have 1 to 4000 characters, and has 0");
}

#[test]
fn a_whole_number_may_be_a_float_or_stand_in_a_string() {
    for percent in [json!(5), json!(5.0), json!("5"), json!("5.0"), json!(" 5 "), json!("5e0")] {
        assert_eq!(progress(&percent), Ok(Some(5)), "{percent}");
    }
    for percent in [json!(-1), json!(101), json!(0.5), json!("101"), json!(1e300), json!(u64::MAX)] {
        let problem = progress(&percent).unwrap_err().problem;
        assert!(matches!(problem, ArgumentProblem::Range { .. }), "{percent}: {problem}");
    }
    for percent in
        [json!("5%"), json!(""), json!("five"), json!("NaN"), json!(true), json!([5]), json!("[5]")]
    {
        let problem = progress(&percent).unwrap_err().problem;
        assert!(matches!(problem, ArgumentProblem::Type { .. }), "{percent}: {problem}");
    }
}

#[test]
fn an_array_may_stand_in_a_string_only_where_an_array_is_due() {
    let Ok(Call::AskUser(asked)) = parse("ask_user", &json!({"question": "[\"a\"]", "options": "[\"a\"]"}))
    else {
        panic!("refused");
    };
    assert_eq!(asked.question, "[\"a\"]");
    assert_eq!(asked.options, ["a"]);
    refused(
        "ask_user",
        &json!({"question": "?", "options": "yes"}),
        "`options` must be an array of strings, and is a string",
    );
    refused(
        "ask_user",
        &json!({"question": "5", "options": "{}"}),
        "`options` must be an array of strings, and is a string",
    );
}

fn any_json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        (0u8..=120).prop_map(Value::from),
        ".{0,20}".prop_map(Value::from),
        Just(json!("[\"a\", \"b\"]")),
        Just(json!("17")),
        prop::sample::select(vec!["done", "partial", "failed"]).prop_map(Value::from),
    ];
    leaf.prop_recursive(2, 16, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::Array),
            prop::collection::btree_map("[a-z]{1,5}", inner, 0..3)
                .prop_map(|map| Value::Object(map.into_iter().collect())),
        ]
    })
}

fn any_call() -> impl Strategy<Value = (String, Map<String, Value>)> {
    let names = vec![
        "question",
        "options",
        "context",
        "summary",
        "outcome",
        "name",
        "instructions",
        "agent",
        "model",
        "after",
        "message",
        "percent",
        "extra",
    ];
    let tool = prop_oneof![prop::sample::select(TOOL_NAMES.to_vec()).prop_map(str::to_owned), ".{0,8}"];
    let arguments = prop::collection::btree_map(prop::sample::select(names), any_json(), 0..4);
    (tool, arguments).prop_map(|(tool, arguments)| {
        (tool, arguments.into_iter().map(|(name, value)| (name.to_owned(), value)).collect())
    })
}

fn a_good_call() -> impl Strategy<Value = Call> {
    let text = || "[^\0]{0,30}[a-zü]";
    let line = || "[ -~ü]{0,10}[a-z]";
    let outcome =
        prop::sample::select(vec![SummaryOutcome::Done, SummaryOutcome::Partial, SummaryOutcome::Failed]);
    prop_oneof![
        (text(), prop::collection::vec(text(), 0..=10), prop::option::of(text()))
            .prop_map(|(question, options, context)| Call::AskUser(AskUser { question, options, context })),
        (text(), outcome)
            .prop_map(|(summary, outcome)| Call::ReportSummary(ReportSummary { summary, outcome })),
        (
            line(),
            text(),
            prop::option::of(line()),
            prop::option::of(line()),
            prop::collection::vec(line(), 0..4)
        )
            .prop_map(|(name, instructions, agent, model, after)| Call::SpawnSubtask(SpawnSubtask {
                name,
                instructions,
                agent,
                model,
                after
            })),
        (text(), prop::option::of(0u8..=100))
            .prop_map(|(message, percent)| Call::RecordProgress(RecordProgress { message, percent })),
    ]
}

fn written_out(call: &Call) -> Map<String, Value> {
    let value = serde_json::to_value(call).unwrap();
    assert_eq!(value["tool"], call.tool());
    value["arguments"].as_object().unwrap().clone()
}

proptest! {
    #[test]
    fn whatever_comes_is_parsed_or_refused_and_what_parses_parses_the_same_again((tool, arguments) in any_call()) {
        if let Ok(call) = Call::parse(&tool, &arguments) {
            prop_assert_eq!(Call::parse(call.tool(), &written_out(&call)), Ok(call));
        }
    }

    #[test]
    fn every_call_survives_being_written_out_and_parsed(call in a_good_call()) {
        prop_assert_eq!(Call::parse(call.tool(), &written_out(&call)), Ok(call.clone()));
        let json = serde_json::to_string(&call).unwrap();
        prop_assert_eq!(serde_json::from_str::<Call>(&json).unwrap(), call);
    }
}
