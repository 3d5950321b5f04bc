//! A tree as JSON, for what goes on to others as it stands.

use serde_json::{Map, Number, Value as Json};

use super::{Node, Value};

/// The same tree as JSON. A number that JSON does not have, such as `.inf`, stays text.
pub fn json(node: &Node) -> Json {
    match &node.value {
        Value::Null => Json::Null,
        Value::Flag(flag, _) => Json::Bool(*flag),
        Value::Number(written) => number(written).map_or_else(|| Json::String(written.clone()), Json::Number),
        Value::Text(text) => Json::String(text.clone()),
        Value::List(items) => Json::Array(items.iter().map(json).collect()),
        Value::Map(entries) => Json::Object(
            entries.iter().map(|entry| (entry.key.clone(), json(&entry.value))).collect::<Map<_, _>>(),
        ),
    }
}

fn number(written: &str) -> Option<Number> {
    let unsigned = written.strip_prefix('+').unwrap_or(written);
    let whole =
        unsigned.parse::<i64>().map(Number::from).or_else(|_| unsigned.parse::<u64>().map(Number::from));
    whole.ok().or_else(|| unsigned.parse::<f64>().ok().and_then(Number::from_f64))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use crate::document::read_yaml;

    #[test]
    fn a_tree_keeps_its_types() {
        let tree =
            read_yaml("{a: 1, b: -2.5, c: yes, d: ~, e: [x, '1'], f: 18446744073709551615}", 1).unwrap();
        assert_eq!(
            super::json(&tree),
            json!({"a": 1, "b": -2.5, "c": true, "d": null, "e": ["x", "1"], "f": 18_446_744_073_709_551_615_u64})
        );
    }
}
