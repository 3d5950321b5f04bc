//! What a call of a tool is to do, in one line.

use serde_json::Value;

use super::shorten::shorten;

/// The argument of a tool that says most, whatever the program.
const TELLING: [&str; 14] = [
    "command",
    "file_path",
    "notebook_path",
    "dir_path",
    "pattern",
    "url",
    "query",
    "question",
    "summary",
    "name",
    "message",
    "description",
    "prompt",
    "path",
];

/// How much of a call is shown, in characters.
pub(super) const SHOWN: usize = 200;

/// The most telling of a call's `arguments`, shortened to one line of at most [`SHOWN`] characters; empty where
/// there are none.
pub(super) fn telling(arguments: &Value) -> String {
    let most = TELLING.into_iter().find_map(|key| arguments.get(key).and_then(Value::as_str));
    match (most, arguments) {
        (Some(most), _) => shorten(most, SHOWN),
        (None, Value::Object(fields)) if fields.is_empty() => String::new(),
        (None, Value::Null) => String::new(),
        (None, other) => shorten(&other.to_string(), SHOWN),
    }
}

/// `tool` and what it is to do, such as `Bash: cargo test`, in one line of at most [`SHOWN`] characters.
pub(super) fn call_line(tool: &str, input: &str) -> String {
    shorten(&if input.is_empty() { tool.to_owned() } else { format!("{tool}: {input}") }, SHOWN)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_call_is_told_by_what_says_most_of_it() {
        for (arguments, told) in [
            (json!({"description": "test", "command": "cargo\n test"}), "cargo test"),
            (json!({"path": "a", "prompt": "see it"}), "see it"),
            (json!({"percent": 3}), "{\"percent\":3}"),
            (json!({}), ""),
            (Value::Null, ""),
        ] {
            assert_eq!(telling(&arguments), told);
        }
        assert_eq!((call_line("Bash", "ls").as_str(), call_line("Bash", "").as_str()), ("Bash: ls", "Bash"));
    }
}
