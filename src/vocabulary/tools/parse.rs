//! From what an agent sent to a [`Call`], or to the one sentence that tells it what to mend.

use serde_json::{Map, Value};

use super::{
    AskUser, Call, RecordProgress, ReportSummary, SpawnSubtask, SummaryOutcome,
    arguments::{Arguments, fault, foreign_name},
    fault::{ArgumentFault, ArgumentProblem},
    limits,
};

impl Call {
    /// Checks a call of the tool called `tool` (one of [`super::TOOL_NAMES`]) with `arguments` as the
    /// agent gave them. Unknown arguments are refused: an agent that believes in a `task_id` of its
    /// own must hear that there is none.
    pub fn parse(tool: &str, arguments: &Map<String, Value>) -> Result<Self, ArgumentFault> {
        match tool {
            "ask_user" => ask_user(arguments).map(Self::AskUser),
            "record_progress" => record_progress(arguments).map(Self::RecordProgress),
            "report_summary" => report_summary(arguments).map(Self::ReportSummary),
            "spawn_subtask" => spawn_subtask(arguments).map(Self::SpawnSubtask),
            stranger => Err(fault(foreign_name(stranger), ArgumentProblem::NoTool)),
        }
    }
}

fn ask_user(given: &Map<String, Value>) -> Result<AskUser, ArgumentFault> {
    let given = Arguments::of("ask_user", &["question", "options", "context"], given)?;
    Ok(AskUser {
        question: given.text("question", limits::QUESTION)?,
        options: given.texts("options", limits::OPTIONS, limits::OPTION)?,
        context: given.optional_text("context", limits::CONTEXT)?,
    })
}

fn record_progress(given: &Map<String, Value>) -> Result<RecordProgress, ArgumentFault> {
    let given = Arguments::of("record_progress", &["message", "percent"], given)?;
    Ok(RecordProgress {
        message: given.text("message", limits::MESSAGE)?,
        percent: given.optional_integer("percent", limits::PERCENT)?,
    })
}

fn report_summary(given: &Map<String, Value>) -> Result<ReportSummary, ArgumentFault> {
    let given = Arguments::of("report_summary", &["summary", "outcome"], given)?;
    let outcomes = [
        ("done", SummaryOutcome::Done),
        ("partial", SummaryOutcome::Partial),
        ("failed", SummaryOutcome::Failed),
    ];
    Ok(ReportSummary {
        summary: given.text("summary", limits::SUMMARY)?,
        outcome: given
            .optional_choice("outcome", &outcomes, "`done`, `partial` or `failed`")?
            .unwrap_or_default(),
    })
}

fn spawn_subtask(given: &Map<String, Value>) -> Result<SpawnSubtask, ArgumentFault> {
    let known = ["name", "instructions", "agent", "model", "after"];
    let given = Arguments::of("spawn_subtask", &known, given)?;
    Ok(SpawnSubtask {
        name: given.text("name", limits::NAME)?,
        instructions: given.text("instructions", limits::INSTRUCTIONS)?,
        agent: given.optional_text("agent", limits::AGENT)?,
        model: given.optional_text("model", limits::MODEL)?,
        after: given.texts("after", limits::AFTER, limits::NAME)?,
    })
}

#[cfg(test)]
mod tests;
