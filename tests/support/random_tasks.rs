//! Tasks of random steps, which a seed decides: everything that an agent may do, in any order.

use std::{fmt::Write as _, path::Path};

use super::dice::Dice;

/// A file of `count` tasks in `project`, the same for the same dice.
///
/// Each line, file and commit of a task says which task and step it is of, so that any of them can be looked for.
pub(crate) fn random_tasks(dice: &mut Dice, count: usize, project: &Path) -> String {
    let mut text = "tasks:\n".to_owned();
    for number in 0..count {
        let name = format!("c{number}");
        let _ = writeln!(text, "- name: {name}\n  agent: scripted\n  project: {}", project.display());
        let priority = ["high", "normal", "low"][dice.below(3)];
        let _ = writeln!(text, "  priority: {priority}\n  env: {{SEEDED: \"{name}\"}}");
        if number > 0 && dice.percent(25) {
            let (one, other) = (dice.below(number), dice.below(number));
            let list = if one == other { format!("c{one}") } else { format!("c{one}, c{other}") };
            let _ = writeln!(text, "  after: [{list}]");
        }
        if dice.percent(40) {
            let _ = writeln!(text, "  retry: {{max_attempts: {}, delay: 1s}}", 2 + dice.below(2));
        }
        if dice.percent(6) {
            text += "  review: yes\n";
        }
        text += "  instructions: |\n";
        for step in 0..2 + dice.below(6) {
            text += &random_step(dice, &format!("{name}s{step}"));
        }
        if dice.percent(80) {
            let _ = writeln!(text, "    - summary: {name}");
        }
    }
    text
}

/// One step under its `name`, a commit with what it commits. What ends a run is rarer than what is done in one.
fn random_step(dice: &mut Dice, name: &str) -> String {
    let work = format!("- write: {{path: {name}, text: {name}}}\n    - commit: {name}");
    let step = match dice.below(34) {
        0..10 => work,
        10..17 => format!("- progress: {name}"),
        17..20 => format!("- sleep: {}ms", dice.below(600)),
        20..22 => format!("- ask: \"{name}\""),
        22..24 => {
            let steps =
                format!("- write: {{path: {name}, text: {name}}}\\n- commit: {name}\\n- summary: {name}");
            format!("- subtask: {{name: {name}, instructions: \"{steps}\"}}")
        }
        24..26 => format!("- summary: {name}"),
        26..28 => format!("- cost: 0.0{}", 1 + dice.below(9)),
        28 => "- orphan: {sleep: 600s}".to_owned(),
        29 => "- deny: Bash".to_owned(),
        30 => format!("- rate_limit: {{reset: {}ms}}", 100 + dice.below(500)),
        31 => "- crash".to_owned(),
        32 => format!("- exit: {}", dice.below(4)),
        // Uncommitted work is work too.
        _ => format!("- write: {{path: {name}, text: {name}}}"),
    };
    format!("    {step}\n")
}
