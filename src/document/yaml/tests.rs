use proptest::prelude::*;

use super::*;

fn faults(text: &str) -> String {
    let faults = read_yaml(text, 1).expect_err("the document must be refused");
    faults.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")
}

#[test]
fn every_value_knows_its_line() {
    let tree = read_yaml("a: 1\nb:\n  - x\n  - y: |\n      text\n", 11).unwrap();
    let Value::Map(entries) = &tree.value else { panic!("{tree:?}") };
    assert_eq!(entries.iter().map(|entry| entry.line).collect::<Vec<_>>(), [11, 12]);
    let Value::List(items) = &entries[1].value.value else { panic!("{tree:?}") };
    assert_eq!(items.iter().map(|item| item.line).collect::<Vec<_>>(), [13, 14]);
}

#[test]
fn kinds_follow_the_core_schema_and_quotes_make_text() {
    for (yaml, value) in [
        ("~", Value::Null),
        ("", Value::Null),
        ("yes", Value::Flag(true, "yes".to_owned())),
        ("false", Value::Flag(false, "false".to_owned())),
        ("1.50", Value::Number("1.50".to_owned())),
        ("-3", Value::Number("-3".to_owned())),
        ("1.2.3", Value::Text("1.2.3".to_owned())),
        ("inf", Value::Text("inf".to_owned())),
        ("'1'", Value::Text("1".to_owned())),
        ("\"no\"", Value::Text("no".to_owned())),
        ("|\n  a\n  b\n", Value::Text("a\nb\n".to_owned())),
    ] {
        assert_eq!(read_yaml(yaml, 1).unwrap().value, value, "{yaml}");
    }
}

#[test]
fn a_name_that_stands_twice_is_refused_with_both_lines() {
    assert_eq!(faults("a: 1\nb: 2\na: 3\n"), "3: `a` stands here for a second time, after line 1");
}

#[test]
fn anchors_aliases_and_tags_are_all_named() {
    let text = "a: &x [1]\nb: *x\nc: !!str 1\n*x : d\n";
    let found = faults(text);
    for line in ["1: anchors", "2: aliases", "3: tags", "4: aliases"] {
        assert!(found.contains(line), "{found}");
    }
}

#[test]
fn a_page_of_aliases_costs_nothing() {
    let levels = (1..60).map(|level| {
        let below = level - 1;
        format!("a{level}: &a{level} [*a{below}, *a{below}]\n")
    });
    let text = std::iter::once("a0: &a0 [x, x]\n".to_owned()).chain(levels).collect::<String>();
    assert!(faults(&text).contains("aliases are not supported"));
}

#[test]
fn what_is_no_yaml_is_refused_with_its_line() {
    assert!(faults("a: 1\nb: [1, 2\nc: }\n").contains("this is not YAML"));
    assert!(faults("a: 1\n---\nb: 2\n").contains("2: a second document"));
    assert!(faults("a: 1\nb: x\0y\n").contains("2: a NUL character"));
    assert!(faults("a: \"x\\0y\"\n").contains("NUL"));
    assert!(faults("? [a, b]\n: c\n").contains("1: a name must be text"));
    assert!(faults("? {a: {b: c}}\n: c\nd: e\nd: f\n").contains("4: `d`"));
}

#[test]
fn depth_has_a_limit_that_is_named() {
    for text in ["[".repeat(40), "- ".repeat(100_000), "{a: ".repeat(40)] {
        assert!(faults(&text).contains("32 deep"), "{}", faults(&text));
    }
    assert!(faults(&"[".repeat(1 << 20)).contains("1: this is not YAML: recursion limit"));
}

proptest! {
    #[test]
    fn any_text_is_read_or_refused(text in "\\PC{0,80}|[-a-c:\\[\\]{}?*&!|>'\"#,\\n ]{0,120}") {
        let _ = read_yaml(&text, 1);
    }

    #[test]
    fn quoted_text_comes_back_as_it_was(text in "[^\\p{Cc}]{0,40}") {
        let quoted = format!("'{}'", text.replace('\'', "''"));
        let tree = read_yaml(&quoted, 1).unwrap();
        prop_assert_eq!(tree.value, Value::Text(text));
    }
}
