//! callbox's three words for what an agent may do, in Gemini CLI's terms: a mode, and rules in a file that are
//! given both as the person's and as an administrator's, so that nothing but a real administrator's overrules them.

use std::fmt::Write as _;

use serde_json::json;

use super::options::Options;
use crate::vocabulary::{McpServer, Permissions};

/// Tools that are off in every run: they ask a person who is not there, or plan what such a person is to approve.
const OFF: [&str; 3] = ["ask_user", "enter_plan_mode", "exit_plan_mode"];

/// Tools that change something, run something or reach out.
const CHANGING: [&str; 4] = ["write_file", "replace", "run_shell_command", "web_fetch"];

/// Why those are denied, as the model is told.
const LOOK: &str = "callbox: this task may only look (`permissions: read`)";

/// The argument that sets the mode.
pub(super) fn mode(permissions: Permissions) -> &'static str {
    match permissions {
        Permissions::Read => "--approval-mode=default",
        Permissions::Edit => "--approval-mode=auto_edit",
        Permissions::Full => "--approval-mode=yolo",
    }
}

/// The file of rules, in TOML, which writes texts and lists as JSON does. The highest priority counts. What the tools of
/// the person's own `servers` do nobody here knows, so who may only look may use them only where `allow` names them.
pub(super) fn rules(permissions: Permissions, options: &Options, servers: &[McpServer]) -> String {
    let mut rules = rule(&OFF, "deny", 999, "");
    for allowed in &options.allow {
        rules.push_str(&match allowed.split_once('(') {
            None => rule(&[allowed], "allow", 990, "allowRedirection = true\n"),
            Some((tool, rest)) => {
                let begins = json!(rest.strip_suffix(')').unwrap_or(rest));
                let more = format!("commandPrefix = {begins}\nallowRedirection = true\n");
                rule(&[tool], "allow", 990, &more)
            }
        });
    }
    match permissions {
        Permissions::Read => {
            rules.push_str(&denied_when_called(&CHANGING, ""));
            for server in servers {
                rules.push_str(&denied_when_called(&["*"], &format!("mcpName = {}\n", json!(server.name))));
            }
        }
        Permissions::Edit => {
            rules.push_str(&rule(&["run_shell_command"], "allow", 960, "allowRedirection = true\n"));
        }
        Permissions::Full => {}
    }
    rules
}

/// A tool that is denied outright is not offered, and nobody would learn that it was wanted. A pattern that fits every
/// argument denies it when it is called; should it ever not fit, nobody is there to be asked.
fn denied_when_called(tools: &[&str], more: &str) -> String {
    let always = format!("argsPattern = \"^\"\ndenyMessage = {}\n{more}", json!(LOOK));
    [rule(tools, "deny", 980, &always), rule(tools, "ask_user", 970, more)].concat()
}

fn rule(tools: &[&str], decision: &str, priority: u16, more: &str) -> String {
    let mut rule = String::new();
    // Writing to a string does not fail.
    let _ = writeln!(
        rule,
        "[[rule]]\ntoolName = {}\ndecision = \"{decision}\"\npriority = {priority}\n{more}",
        json!(tools),
    );
    rule
}

/// Whether `tool` is one of those that some permissions deny or every run is without.
pub(super) fn may_be_denied(tool: &str) -> bool {
    OFF.contains(&tool) || CHANGING.contains(&tool) || tool == "activate_skill"
}

/// The line of a task file under which `tool` would have been allowed.
pub(super) fn allowing(tool: &str) -> String {
    match tool {
        "run_shell_command" => "permissions: edit".to_owned(),
        // Outside the sandbox Gemini CLI lets them write under no permissions.
        "write_file" | "replace" => "permissions: edit  # outside the sandbox only by a command".to_owned(),
        _ => format!("options: {{allow: \"{tool}\"}}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::vocabulary::ServerWay;

    fn read(permissions: Permissions, allow: &[&str]) -> Vec<toml::Table> {
        let allow = allow.iter().map(|rule| (*rule).to_owned()).collect();
        let way = ServerWay::Url { url: "https://x".to_owned(), bearer_env: None };
        let servers = [McpServer { name: "my_tracker".to_owned(), way }];
        let rules = rules(permissions, &Options { allow, max_turns: None }, &servers);
        let rules: toml::Table = rules.parse().expect("TOML");
        rules["rule"].as_array().unwrap().iter().map(|rule| rule.as_table().unwrap().clone()).collect()
    }

    fn told(rule: &toml::Table) -> (Vec<&str>, &str) {
        let tools = rule["toolName"].as_array().unwrap().iter().map(|tool| tool.as_str().unwrap());
        (tools.collect(), rule["decision"].as_str().unwrap())
    }

    #[test]
    fn whoever_may_only_look_is_denied_what_changes_anything_twice_over() {
        let rules = read(Permissions::Read, &[]);
        assert_eq!(told(&rules[1]), (CHANGING.to_vec(), "deny"));
        assert_eq!(rules[1]["argsPattern"].as_str(), Some("^"));
        assert_eq!(told(&rules[2]), (CHANGING.to_vec(), "ask_user"));
        assert!(rules[1]["priority"].as_integer() > rules[2]["priority"].as_integer());
        let of_servers = [&rules[3], &rules[4]].map(|rule| (rule["mcpName"].as_str().unwrap(), told(rule)));
        assert_eq!(of_servers, ["deny", "ask_user"].map(|decision| ("my_tracker", (vec!["*"], decision))));
        assert!(read(Permissions::Edit, &[]).iter().all(|rule| !rule.contains_key("mcpName")));
    }

    #[test]
    fn what_asks_a_person_is_off_whatever_the_permissions_and_nothing_allows_it() {
        for permissions in [Permissions::Read, Permissions::Edit, Permissions::Full] {
            let rules = read(permissions, &["ask_user"]);
            assert_eq!(told(&rules[0]), (OFF.to_vec(), "deny"));
            let highest = rules[0]["priority"].as_integer();
            assert!(rules[1..].iter().all(|rule| rule["priority"].as_integer() < highest));
        }
    }

    #[test]
    fn a_command_that_is_allowed_by_its_beginning_is_allowed_by_that_alone() {
        let rules = read(Permissions::Read, &["web_fetch", "run_shell_command(echo \"a\")"]);
        assert_eq!(told(&rules[1]), (vec!["web_fetch"], "allow"));
        assert!(!rules[1].contains_key("commandPrefix"));
        assert_eq!(told(&rules[2]), (vec!["run_shell_command"], "allow"));
        assert_eq!(rules[2]["commandPrefix"].as_str(), Some("echo \"a\""));
    }

    #[test]
    fn a_denial_names_the_least_that_would_have_allowed_it() {
        assert_eq!(allowing("run_shell_command"), "permissions: edit");
        assert!(allowing("write_file").starts_with("permissions: edit"));
        assert_eq!(allowing("web_fetch"), "options: {allow: \"web_fetch\"}");
    }
}
