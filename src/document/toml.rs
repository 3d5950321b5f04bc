//! TOML into the tree.

use std::ops::Range;

use toml::{
    Spanned,
    de::{DeTable, DeValue},
};

use super::{Entry, Faults, FileFault, Node, Value};

/// Reads a TOML document; every place at which it is no TOML is named.
pub fn read_toml(text: &str) -> Result<Node, Vec<FileFault>> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let lines = Lines(text.match_indices('\n').map(|(at, _)| at).collect());
    let mut faults = Faults::default();
    let (table, errors) = DeTable::parse_recoverable(text);
    for error in errors {
        let line = error.span().map_or(1, |span| lines.of(&span));
        faults.document(line, format!("this is not TOML: {}", error.message().replace('\n', ", ")));
    }
    let node = table_node(1, table.get_ref(), &lines, &mut faults);
    faults.into_result(node)
}

/// Where the lines of a text end.
struct Lines(Vec<usize>);

impl Lines {
    fn of(&self, span: &Range<usize>) -> usize {
        self.0.partition_point(|end| *end < span.start) + 1
    }
}

fn table_node(line: usize, table: &DeTable<'_>, lines: &Lines, faults: &mut Faults) -> Node {
    let mut entries: Vec<Entry> = table
        .iter()
        .map(|(key, value)| Entry {
            key: key.get_ref().to_string(),
            line: lines.of(&key.span()),
            value: node(value, lines, faults),
        })
        .collect();
    entries.sort_by_key(|entry| entry.line);
    Node { line, value: Value::Map(entries) }
}

fn node(value: &Spanned<DeValue<'_>>, lines: &Lines, faults: &mut Faults) -> Node {
    let line = lines.of(&value.span());
    let value = match value.get_ref() {
        DeValue::String(text) => {
            if text.contains('\0') {
                faults.document(line, "this text holds a NUL character");
            }
            Value::Text(text.to_string())
        }
        DeValue::Integer(number) => {
            let decimal = i128::from_str_radix(number.as_str(), number.radix());
            Value::Number(decimal.map_or_else(|_| number.to_string(), |number| number.to_string()))
        }
        DeValue::Float(number) => Value::Number(number.to_string()),
        DeValue::Boolean(flag) => Value::Flag(*flag, flag.to_string()),
        DeValue::Datetime(_) => {
            faults.document(line, "dates are not used here: put text in quotes");
            Value::Null
        }
        DeValue::Array(items) => Value::List(items.iter().map(|item| node(item, lines, faults)).collect()),
        DeValue::Table(table) => return table_node(line, table, lines, faults),
    };
    Node { line, value }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn faults(text: &str) -> Vec<String> {
        read_toml(text).unwrap_err().iter().map(ToString::to_string).collect()
    }

    #[test]
    fn every_value_knows_its_line_and_kind() {
        let tree = read_toml("a = 0x10\n\n[b]\nc = [\n 'x',\n true]\nd = 1.5\n").unwrap();
        let Value::Map(entries) = &tree.value else { panic!("{tree:?}") };
        assert_eq!((entries[0].line, &entries[0].value.value), (1, &Value::Number("16".to_owned())));
        let Value::Map(inner) = &entries[1].value.value else { panic!("{tree:?}") };
        assert_eq!(inner.iter().map(|entry| entry.line).collect::<Vec<_>>(), [4, 7]);
        let Value::List(items) = &inner[0].value.value else { panic!("{tree:?}") };
        assert_eq!(items.iter().map(|item| item.line).collect::<Vec<_>>(), [5, 6]);
    }

    #[test]
    fn every_place_that_is_no_toml_is_named() {
        let found = faults("a = \nb = 1\nb = 2\nc = [1\n");
        assert!(found.iter().any(|fault| fault.starts_with("1: this is not TOML")), "{found:?}");
        assert!(found.iter().any(|fault| fault.starts_with("3: this is not TOML")), "{found:?}");
    }

    #[test]
    fn dates_and_nuls_are_refused() {
        assert_eq!(faults("a = 2026-11-30"), ["1: dates are not used here: put text in quotes"]);
        assert_eq!(faults("a = \"\\u0000\""), ["1: this text holds a NUL character"]);
    }

    #[test]
    fn depth_does_not_end_the_program() {
        assert!(faults(&format!("a = {}", "[".repeat(200_000)))[0].starts_with("1: this is not TOML"));
        let _ = read_toml(&format!("{}.a = 1", vec!["a"; 100_000].join(".")));
    }

    proptest! {
        #[test]
        fn any_text_is_read_or_refused(text in "\\PC{0,60}|[ab=\\[\\]{}\"'.,0-9\\n# -]{0,100}") {
            let _ = read_toml(&text);
        }
    }
}
