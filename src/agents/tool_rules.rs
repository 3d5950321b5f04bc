//! Tools that a task allows beyond its permissions, as agent programs write such rules.

/// Rules between commas, such as `WebFetch, Bash(git push:*)`. A comma within parentheses belongs to
/// its rule. `None` where one of them could be no rule.
pub(super) fn tool_rules(value: &str) -> Option<Vec<String>> {
    let mut rules = vec![String::new()];
    let mut depth = 0_usize;
    for letter in value.chars() {
        match letter {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            ',' if depth == 0 => {
                rules.push(String::new());
                continue;
            }
            _ => {}
        }
        if let Some(rule) = rules.last_mut() {
            rule.push(letter);
        }
    }
    let rules: Vec<String> = rules.into_iter().map(|rule| rule.trim().to_owned()).collect();
    rules.iter().all(|rule| is_rule(rule)).then_some(rules)
}

fn is_rule(rule: &str) -> bool {
    let (tool, rest) = rule.split_at(rule.find('(').unwrap_or(rule.len()));
    let named = !tool.is_empty()
        && tool.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-');
    let closed =
        rest.is_empty() || (rest.ends_with(')') && rest.matches('(').count() == rest.matches(')').count());
    named && !tool.starts_with('-') && closed && !rule.chars().any(char::is_control)
}
