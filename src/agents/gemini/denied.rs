//! Which failures of a call are denials.

use super::{event::Failure, permissions::may_be_denied};

/// Whether the call of `tool` was denied, which `failure` tells: by a rule, for want of somebody to ask, because the
/// tool is off, or because it would have written outside the sandbox. Whoever reads outside it is told so by the
/// program, and has missed nothing that a task allows.
pub(super) fn is_denial(tool: &str, failure: &Failure) -> bool {
    let Failure { kind, message } = failure;
    match kind.as_str() {
        "policy_violation" => true,
        "unhandled_exception" => message.contains("requires user confirmation"),
        "tool_not_registered" => may_be_denied(tool),
        "invalid_tool_params" | "path_not_in_workspace" => {
            may_be_denied(tool) && message.contains("not in workspace")
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_permissions_keep_back_is_denied_and_what_merely_failed_is_not() {
        let denied = |tool: &str, kind: &str, message: &str| {
            is_denial(tool, &Failure { kind: kind.to_owned(), message: message.to_owned() })
        };
        let outside = "Path not in workspace: Attempted path \"/etc/x\" resolves outside";
        assert!(denied("run_shell_command", "policy_violation", "Tool execution denied by policy."));
        assert!(denied("mcp_tracker_look", "policy_violation", ""));
        assert!(denied(
            "replace",
            "unhandled_exception",
            "Tool execution for \"Edit\" requires user confirmation"
        ));
        assert!(denied("activate_skill", "tool_not_registered", "Tool \"activate_skill\" not found."));
        assert!(denied("write_file", "invalid_tool_params", outside));
        assert!(!denied("read_file", "invalid_tool_params", outside));
        assert!(!denied("write_file", "invalid_tool_params", "params must have required property 'content'"));
        assert!(!denied("invented", "tool_not_registered", "Tool \"invented\" not found."));
        assert!(!denied("run_shell_command", "shell_execute_error", "spawn failed"));
        assert!(!denied("replace", "unhandled_exception", "TypeError"));
    }
}
