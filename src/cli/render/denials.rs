//! What an agent was denied, with the line that would have allowed it.

use crate::{agents::Adapter, cli::sanitise, vocabulary::Denial};

/// One line for each denial, and behind it the line of a task file that allows it.
pub(super) fn denials(agent: Option<&dyn Adapter>, denied: &[Denial]) -> Vec<String> {
    let mut lines = Vec::new();
    for denial in denied {
        let times = if denial.count > 1 { format!(" ({} times)", denial.count) } else { String::new() };
        let input = sanitise::cut(&sanitise::line(&denial.input), 80);
        let input = if input.is_empty() { input } else { format!(": {input}") };
        lines.push(format!("{}{input}{times}", sanitise::line(&denial.tool)));
        if let Some(adapter) = agent {
            lines.push(format!("  allowed by: {}", sanitise::line(&adapter.allowing(denial))));
        }
    }
    lines
}
