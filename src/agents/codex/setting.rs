//! Settings in the form that `-c` takes: `dotted.name=value`, the value in TOML.

use std::ffi::OsString;

/// One value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Value {
    /// `true` or `false`.
    Is(bool),
    /// A whole number.
    Number(u64),
    /// Text.
    Text(String),
    /// Texts, in order.
    Texts(Vec<String>),
    /// Texts by name.
    Named(Vec<(String, String)>),
}

/// A setting and its value. The name is a dotted path of bare words.
pub(super) type Setting = (String, Value);

/// The text of a setting.
pub(super) fn text(name: impl Into<String>, text: impl Into<String>) -> Setting {
    (name.into(), Value::Text(text.into()))
}

/// The arguments that give `setting`.
pub(super) fn arguments((name, value): &Setting) -> [OsString; 2] {
    ["-c".into(), format!("{name}={}", written(value)).into()]
}

fn written(value: &Value) -> String {
    match value {
        Value::Is(yes) => yes.to_string(),
        Value::Number(number) => number.to_string(),
        Value::Text(text) => quoted(text),
        Value::Texts(texts) => {
            format!("[{}]", texts.iter().map(|text| quoted(text)).collect::<Vec<_>>().join(","))
        }
        Value::Named(pairs) => {
            let pairs = pairs.iter().map(|(name, text)| format!("{}={}", quoted(name), quoted(text)));
            format!("{{{}}}", pairs.collect::<Vec<_>>().join(","))
        }
    }
}

/// As a basic string of TOML. What is not TOML, Codex would take as it stands, quotes and all.
fn quoted(text: &str) -> String {
    let mut quoted = String::from("\"");
    for letter in text.chars() {
        match letter {
            '"' | '\\' => quoted.extend(['\\', letter]),
            letter if letter.is_control() => quoted.extend(format!("\\u{:04X}", u32::from(letter)).chars()),
            letter => quoted.push(letter),
        }
    }
    quoted.push('"');
    quoted
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_value_is_written_as_toml_and_no_text_leaves_its_quotes() {
        for (value, expected) in [
            (Value::Is(false), "x=false"),
            (Value::Number(3), "x=3"),
            (Value::Text("/a\"b\\c\n\u{7f}".to_owned()), "x=\"/a\\\"b\\\\c\\u000A\\u007F\""),
            (Value::Texts(vec!["a".to_owned(), "b]".to_owned()]), "x=[\"a\",\"b]\"]"),
            (Value::Named(vec![("TZ".to_owned(), "UTC".to_owned())]), "x={\"TZ\"=\"UTC\"}"),
        ] {
            assert_eq!(arguments(&("x".to_owned(), value)), ["-c", expected]);
        }
    }
}
