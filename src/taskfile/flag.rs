//! One field as a flag of the same name: read and refused exactly as in a file.

use std::path::Path;

use super::{PartialSpec, Reading, read_field, strings::check_variable};
use crate::document::{Entry, Faults, Node, Value};

/// A flag with a value that its field does not take.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`--{flag}` {message}")]
pub struct FlagError {
    /// Without the hyphens before it.
    pub flag: String,
    /// What is wrong, as the end of a sentence.
    pub message: String,
}

/// The field `field` (`on_rate_limit`, say) alone, from what follows its flag.
///
/// A flag of a list adds one entry (`--tag docs` is the field `tags`, `--env NAME` the field
/// `env_names`, `--copy PATH` the field `copy`, `--sparse FOLDER` the field `sparse`), of `options` or `env` one `name=value`, of `retry` it is the number of attempts; names of agents stand between commas.
/// Relative paths are relative to `directory`, which is absolute.
pub fn flag(field: &str, text: &str, directory: &Path) -> Result<PartialSpec, FlagError> {
    let mut faults = Faults::default();
    let value = value(field, text, &mut faults);
    let mut reading = Reading { spec: PartialSpec::default(), directory, faults: &mut faults };
    read_field(&Entry { key: field.to_owned(), line: 1, value }, &[], &mut reading);
    let spec = reading.spec;
    faults
        .into_result(spec)
        .map_err(|mut faults| FlagError { flag: flag_name(field), message: faults.swap_remove(0).message })
}

fn value(field: &str, text: &str, faults: &mut Faults) -> Node {
    let node = |value| Node { line: 1, value };
    let words = || node(Value::Text(text.to_owned()));
    match field {
        "tags" | "env_names" | "copy" | "sparse" => node(Value::List(vec![words()])),
        "agent" if text.contains(',') => {
            node(Value::List(text.split(',').map(|name| node(Value::Text(name.to_owned()))).collect()))
        }
        "options" | "env" => {
            let (name, value) = text.split_once('=').unwrap_or_else(|| {
                faults.field(1, field, "must be `name=value`");
                (text, "")
            });
            if field == "env" {
                check_variable(name, 1, field, faults);
            }
            let value = node(Value::Text(value.to_owned()));
            node(Value::Map(vec![Entry { key: name.to_owned(), line: 1, value }]))
        }
        "retry" => {
            let value = node(Value::Number(text.to_owned()));
            node(Value::Map(vec![Entry { key: "max_attempts".to_owned(), line: 1, value }]))
        }
        "verify_tries" | "max_cost_usd" | "max_tokens" => node(Value::Number(text.to_owned())),
        "review" | "submodules" | "require_summary" | "require_changes" | "resume_after_subtasks" => {
            match text {
                "yes" | "true" => node(Value::Flag(true, text.to_owned())),
                "no" | "false" => node(Value::Flag(false, text.to_owned())),
                _ => words(),
            }
        }
        _ => words(),
    }
}

fn flag_name(field: &str) -> String {
    match field {
        "tags" => "tag".to_owned(),
        "env_names" => "env".to_owned(),
        _ => field.replace('_', "-"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::vocabulary::{BaseChoice, IdleLimit, Permissions};

    fn read(field: &str, text: &str) -> Result<PartialSpec, String> {
        flag(field, text, Path::new("/here")).map_err(|error| error.to_string())
    }

    #[test]
    fn a_flag_is_read_as_its_field_in_a_file() {
        assert_eq!(read("permissions", "full").unwrap().permissions, Some(Permissions::Full));
        assert_eq!(read("base", "main").unwrap().base, Some(BaseChoice::Revision("main".to_owned())));
        assert_eq!(read("timeout", "15m").unwrap().timeout_seconds, Some(900));
        assert_eq!(read("idle_timeout", "never").unwrap().idle_timeout, Some(IdleLimit::Never));
        assert_eq!(read("max_cost_usd", "0.5").unwrap().max_cost_usd, Some(0.5));
        assert_eq!(read("project", "there").unwrap().project, Some("/here/there".into()));
        assert_eq!(read("model", "5").unwrap().model.as_deref(), Some("5"));
        assert_eq!(read("tags", "docs").unwrap().tags, ["docs"]);
        assert_eq!(read("copy", "a/./b/").unwrap().copy, [Path::new("a/b")]);
        assert_eq!(read("sparse", "apps/shop/").unwrap().sparse, [Path::new("apps/shop")]);
        assert_eq!(read("env_names", "KEY").unwrap().env_names, ["KEY"]);
        assert_eq!(read("options", "a=b=c").unwrap().options["a"], "b=c");
        assert_eq!(read("retry", "3").unwrap().retry.max_attempts, Some(3));
        assert_eq!(read("resume_after_subtasks", "no").unwrap().resume_after_subtasks, Some(false));
    }

    #[test]
    fn a_wrong_flag_is_named_as_it_was_typed() {
        for (field, text, message) in [
            ("on_rate_limit", "stop", "`--on-rate-limit` must be `wait` or `fail`, not `stop`"),
            ("copy", "../x", "`--copy` must hold paths below the root"),
            ("copy", "/etc", "`--copy` must hold paths below the root"),
            ("copy", "a/.git/b", "`--copy` must hold paths below the root"),
            ("sparse", "a/../../b", "`--sparse` must hold paths below the root"),
            ("sparse", "/", "`--sparse` must hold paths below the root"),
            ("sparse", "a\nb", "`--sparse` must be one line without control characters"),
            ("tags", " ", "`--tag` is empty"),
            ("env_names", "A-B", "`--env` holds a name"),
            ("options", "a", "`--options` must be `name=value`"),
            ("max_tokens", "0", "`--max-tokens` must be a whole number from 1 to"),
            ("max_cost_usd", "0", "`--max-cost-usd` must be more than 0"),
            ("max_cost_usd", "x", "`--max-cost-usd` must be a number of 0 or more"),
            ("idle_timeout", "soon", "`--idle-timeout` is wrong: `soon` is not a length of time"),
            ("timeout", "90", "`--timeout` is wrong: `90` is not a length of time"),
            ("retry", "0", "`--retry` must be a whole number from 1 to 100"),
        ] {
            let error = read(field, text).unwrap_err();
            assert!(error.starts_with(message), "{error}");
        }
    }
}
