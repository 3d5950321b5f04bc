//! How the store stands, in the text format of Prometheus.
//!
//! Written by hand: a registry of live counters would be a second memory beside the rows, which a killed store would
//! lose.

use std::fmt::Write as _;

use crate::{database::rows::usage::Total, protocol::status::Status};

/// All metrics, each with its help and type.
pub(super) fn exposition(status: &Status, totals: &[Total]) -> String {
    let mut text = Exposition::default();
    text.family("callbox_build_info", "gauge", "The store's version of callbox.");
    text.sample("callbox_build_info", &[("version", &status.version)], 1.0);
    text.gauge(
        "callbox_store_generation",
        "Stores that opened this state directory.",
        small(status.generation),
    );
    text.gauge(
        "callbox_store_resident",
        "Whether the store stays by itself.",
        f64::from(u8::from(status.resident)),
    );
    text.gauge("callbox_executions_running", "Executions at work.", status.running.into());
    text.gauge("callbox_executions_slots", "Executions that may be at work at once.", status.slots.into());
    text.gauge("callbox_questions_open", "Questions without an answer.", status.questions.into());
    text.gauge("callbox_events_last", "The place of the newest event.", small(status.last_event));
    text.family("callbox_tasks", "gauge", "Tasks by state.");
    for (state, count) in &status.tasks {
        text.sample("callbox_tasks", &[("state", state)], (*count).into());
    }
    text.family("callbox_agent_held", "gauge", "Agents whose tasks are held, by reason.");
    for agent in &status.agents {
        if let Some(reason) = &agent.held {
            text.sample("callbox_agent_held", &[("agent", &agent.name), ("reason", reason)], 1.0);
        }
    }
    if let Some(day) = &status.day {
        text.gauge("callbox_day_cost_usd", "Dollars that this day has cost.", day.spent_usd);
        if let Some(limit) = day.limit_usd {
            text.gauge("callbox_day_limit_usd", "Dollars that this day may cost.", limit);
        }
    }
    of_executions(&mut text, totals);
    text.0
}

fn of_executions(text: &mut Exposition, totals: &[Total]) {
    text.family("callbox_executions_total", "counter", "Executions that have ended, by agent and outcome.");
    for total in totals {
        if let Some(outcome) = total.outcome {
            let labels = [("agent", total.agent.as_str()), ("outcome", outcome.name())];
            text.sample("callbox_executions_total", &labels, large(total.count));
        }
    }
    text.family(
        "callbox_cost_usd_total",
        "counter",
        "Dollars that executions have cost that have ended, by agent and outcome.",
    );
    // What still runs has no outcome, and a counter that moves from one label to another would count twice.
    let ended = |total: &Total| Some((total.agent.clone(), total.outcome?.name()));
    for total in totals {
        let Some((agent, outcome)) = ended(total) else { continue };
        if let Some(cost) = total.usage.cost_usd {
            text.sample("callbox_cost_usd_total", &[("agent", &agent), ("outcome", outcome)], cost);
        }
    }
    text.family(
        "callbox_tokens_total",
        "counter",
        "Tokens that executions have used that have ended, by agent, outcome and way.",
    );
    for total in totals {
        let Some((agent, outcome)) = ended(total) else { continue };
        for (way, count) in [("in", total.usage.tokens_in), ("out", total.usage.tokens_out)] {
            if let Some(count) = count {
                let labels = [("agent", agent.as_str()), ("outcome", outcome), ("way", way)];
                text.sample("callbox_tokens_total", &labels, large(count));
            }
        }
    }
}

/// The samples of a format are floating-point numbers.
#[expect(
    clippy::cast_precision_loss,
    reason = "counts of this size are exact far beyond what is ever counted"
)]
fn large(count: u64) -> f64 {
    count as f64
}

fn small(count: i64) -> f64 {
    large(count.unsigned_abs())
}

#[derive(Default)]
struct Exposition(String);

impl Exposition {
    fn family(&mut self, name: &str, kind: &str, help: &str) {
        let _ = writeln!(self.0, "# HELP {name} {help}\n# TYPE {name} {kind}");
    }

    fn sample(&mut self, name: &str, labels: &[(&str, &str)], value: f64) {
        let labels: Vec<String> =
            labels.iter().map(|(label, value)| format!("{label}=\"{}\"", escaped(value))).collect();
        let _ = writeln!(self.0, "{name}{{{}}} {value}", labels.join(","));
    }

    fn gauge(&mut self, name: &str, help: &str, value: f64) {
        self.family(name, "gauge", help);
        let _ = writeln!(self.0, "{name} {value}");
    }
}

/// An agent's name comes from a task file.
fn escaped(text: &str) -> String {
    text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{domain::Outcome, protocol::status::AgentStatus, vocabulary::Usage};

    #[test]
    fn every_sample_stands_below_its_family_and_labels_are_escaped() {
        let held = AgentStatus {
            name: "a\"b\\c\nd".to_owned(),
            running: 0,
            slots: None,
            held: Some("auth".to_owned()),
            until: None,
            message: None,
        };
        let status = Status {
            version: "0.1.0".to_owned(),
            pid: 1,
            generation: 7,
            resident: true,
            running: 2,
            slots: 4,
            tasks: [("queued".to_owned(), 3)].into(),
            questions: 1,
            agents: vec![held],
            day: None,
            last_event: 12,
        };
        let usage = Usage { cost_usd: Some(0.25), tokens_in: Some(100), tokens_out: None };
        let total =
            Total { agent: "scripted".to_owned(), outcome: Some(Outcome::Succeeded), count: 5, usage };
        let text = exposition(&status, &[total]);
        for line in [
            "callbox_build_info{version=\"0.1.0\"} 1",
            "callbox_store_generation 7",
            "callbox_tasks{state=\"queued\"} 3",
            "callbox_agent_held{agent=\"a\\\"b\\\\c\\nd\",reason=\"auth\"} 1",
            "callbox_executions_total{agent=\"scripted\",outcome=\"succeeded\"} 5",
            "callbox_cost_usd_total{agent=\"scripted\",outcome=\"succeeded\"} 0.25",
            "callbox_tokens_total{agent=\"scripted\",outcome=\"succeeded\",way=\"in\"} 100",
        ] {
            assert!(text.lines().any(|found| found == line), "{line}\n{text}");
        }
        let mut family = "";
        for line in text.lines() {
            match line.strip_prefix("# TYPE ") {
                Some(named) => family = named.split(' ').next().unwrap(),
                None if line.starts_with('#') => {}
                None => assert!(line.starts_with(family), "{line} below {family}"),
            }
        }
    }
}
