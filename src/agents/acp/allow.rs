//! Tools that a task allows beyond its permissions, of a program that is known by its description alone.

use std::collections::BTreeMap;

use crate::{agents::tool_rules::tool_rules, vocabulary::Fault};

/// The tools that `options` allow, by name or by kind.
pub(super) fn read(options: &BTreeMap<String, String>) -> Result<Vec<String>, Fault> {
    let mut allowed = Vec::new();
    for (name, value) in options {
        if name != "allow" {
            let message = format!("a program that is known by its description has no option `{name}`");
            return Err(Fault::new("option_unknown", message).hinted("its only option is `allow`"));
        }
        allowed = tool_rules(value).ok_or_else(|| {
            let value: String = value.chars().take(80).collect();
            let message = format!(
                "option `allow` is `{value}`; it must be names or kinds of tools between commas, such as `fetch, other`"
            );
            Fault::new("option_invalid", message)
        })?;
    }
    Ok(allowed)
}

/// The line of a task file under which `tool` would have been allowed.
pub(super) fn allowing(tool: &str) -> String {
    by_kind(tool).map_or_else(|| format!("options: {{allow: \"{tool}\"}}"), str::to_owned)
}

/// The same, where the protocol's word for its kind says it all.
pub(super) fn by_kind(tool: &str) -> Option<&'static str> {
    match tool {
        "execute" => Some("permissions: edit"),
        "edit" | "delete" | "move" => Some("permissions: edit  # outside the sandbox: full"),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tools_are_allowed_by_name_or_kind_and_no_other_option_is_known() {
        let options = |name: &str, value: &str| BTreeMap::from([(name.to_owned(), value.to_owned())]);
        assert_eq!(read(&options("allow", "fetch, WebSearch")).unwrap(), ["fetch", "WebSearch"]);
        assert_eq!(read(&options("allow", "fetch,")).unwrap_err().code, "option_invalid");
        assert_eq!(read(&options("effort", "high")).unwrap_err().code, "option_unknown");
        assert_eq!(allowing("execute"), "permissions: edit");
        assert_eq!(allowing("fetch"), "options: {allow: \"fetch\"}");
    }
}
