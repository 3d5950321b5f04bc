//! Every field of a task as a flag of the same name, read and refused as in a task file.

use std::path::{Path, PathBuf};

use clap::Args;

use super::{error::CliError, offered};
use crate::{
    ids::TaskNumber,
    taskfile::{self, PartialSpec},
};

/// Flags that say what a task is. They go before what a file says, and that before the configuration.
#[derive(Debug, Default, Args)]
#[command(next_help_heading = "The task")]
pub(crate) struct TaskFlags {
    /// The git project to work on [default with -p: the one around the working directory]
    #[arg(short = 'C', long, value_name = "DIR", conflicts_with = "no_project")]
    pub(crate) project: Option<PathBuf>,
    /// Work in an empty directory
    #[arg(long)]
    pub(crate) no_project: bool,
    /// The agent program, or any: whichever of those installed is free [default: the only one installed]
    #[arg(long, value_name = "NAME", value_parser = offered::AGENT_OF_A_TASK, hide_possible_values = true)]
    agent: Option<String>,
    /// The model to ask the agent program for
    #[arg(long, value_name = "MODEL")]
    model: Option<String>,
    /// A name [default: the first line of the instructions]
    #[arg(long, value_name = "NAME")]
    pub(crate) name: Option<String>,
    /// What the sandbox starts from: head, worktree, after, or a branch, tag or commit [default: head]
    #[arg(long, value_name = "BASE", value_parser = offered::BASE, hide_possible_values = true)]
    base: Option<String>,
    /// What the agent may do: read, edit or full [default: edit]
    #[arg(long, value_name = "WHAT", value_parser = offered::PERMISSIONS, hide_possible_values = true)]
    permissions: Option<String>,
    /// What the agent is held by: auto, none, landlock, or the command line of a launcher [default: auto]
    #[arg(long, value_name = "HOW", value_parser = offered::ISOLATION, hide_possible_values = true)]
    isolation: Option<String>,
    /// An option of the agent program; may be repeated
    #[arg(long, value_name = "NAME=VALUE")]
    options: Vec<String>,
    /// A variable of this environment for the agent, never stored; with =VALUE one that is stored,
    /// so never a secret. May be repeated
    #[arg(long, value_name = "NAME[=VALUE]")]
    env: Vec<String>,
    /// Which of the waiting tasks goes first: high, normal or low [default: normal]
    #[arg(long, value_name = "PRIORITY", value_parser = offered::PRIORITY, hide_possible_values = true)]
    priority: Option<String>,
    /// A task that must be completed first; may be repeated
    #[arg(long, value_name = "ID")]
    pub(crate) after: Vec<TaskNumber>,
    /// A word to find the task by; may be repeated
    #[arg(long, value_name = "TAG")]
    tag: Vec<String>,
    /// A file or folder of the project for each new sandbox, such as .env; may be repeated
    #[arg(long, value_name = "PATH")]
    copy: Vec<String>,
    /// A folder of the project that new sandboxes have alone, with the files above it; may be repeated
    #[arg(long, value_name = "FOLDER")]
    sparse: Vec<String>,
    /// Whether submodules are filled from what the project has of them: yes or no [default: no]
    #[arg(long, value_name = "YES|NO", value_parser = offered::YES_OR_NO, hide_possible_values = true)]
    submodules: Option<String>,
    /// A command that is run once in each new sandbox, such as `npm ci`
    #[arg(long, value_name = "COMMAND", allow_hyphen_values = true)]
    setup: Option<String>,
    /// How long --setup may take [default: 10m]
    #[arg(long, value_name = "LENGTH")]
    setup_timeout: Option<String>,
    /// How long one run may take, such as 30m
    #[arg(long, value_name = "LENGTH")]
    timeout: Option<String>,
    /// How long a run may say and do nothing, such as 30m, or never [default: 15m]
    #[arg(long, value_name = "LENGTH", value_parser = offered::NEVER, hide_possible_values = true)]
    idle_timeout: Option<String>,
    /// What the task and its subtasks may cost, in dollars
    #[arg(long, value_name = "DOLLARS")]
    max_cost_usd: Option<String>,
    /// How many tokens the task and its subtasks may use
    #[arg(long, value_name = "NUMBER")]
    max_tokens: Option<String>,
    /// How many attempts a failing task gets in all [default: 1]
    #[arg(long, value_name = "N")]
    retry: Option<String>,
    /// What to do when the provider refuses for now: wait or fail [default: wait]
    #[arg(long, value_name = "WHAT", value_parser = offered::ON_RATE_LIMIT, hide_possible_values = true)]
    on_rate_limit: Option<String>,
    /// Where the work goes: branch, merge, patch or none [default: branch]
    #[arg(long, value_name = "WHERE", value_parser = offered::DELIVER, hide_possible_values = true)]
    deliver: Option<String>,
    /// Whether a person accepts the work before the task is completed: yes or no [default: no]
    #[arg(long, value_name = "YES|NO", value_parser = offered::YES_OR_NO, hide_possible_values = true)]
    review: Option<String>,
    /// A command that must return 0 in the sandbox before the work is handed over
    #[arg(long, value_name = "COMMAND", allow_hyphen_values = true)]
    verify: Option<String>,
    /// How often the agent may mend what --verify found [default: 2]
    #[arg(long, value_name = "N")]
    verify_tries: Option<String>,
    /// Whether a run whose agent reports no summary is reminded once and then fails: yes or no [default: no]
    #[arg(long, value_name = "YES|NO", value_parser = offered::YES_OR_NO, hide_possible_values = true)]
    require_summary: Option<String>,
    /// Whether a run that changes nothing fails: yes or no [default: no]
    #[arg(long, value_name = "YES|NO", value_parser = offered::YES_OR_NO, hide_possible_values = true)]
    require_changes: Option<String>,
    /// Whether the agent is told when its subtasks have ended: yes or no [default: yes]
    #[arg(long, value_name = "YES|NO", value_parser = offered::YES_OR_NO, hide_possible_values = true)]
    resume_after_subtasks: Option<String>,
}

impl TaskFlags {
    /// The fields that were given; relative paths are relative to `directory`.
    pub(crate) fn partial(&self, directory: &Path) -> Result<PartialSpec, CliError> {
        let mut spec = PartialSpec::default();
        for (field, text) in self.given() {
            let one = taskfile::flag(field, text, directory).map_err(CliError::usage)?;
            spec = one.over(&spec);
        }
        // Not through the table: a path need not be text.
        spec.project = self.project.as_ref().map(|path| directory.join(path));
        Ok(spec)
    }

    fn given(&self) -> impl Iterator<Item = (&'static str, &str)> {
        let single = [
            ("agent", &self.agent),
            ("model", &self.model),
            ("name", &self.name),
            ("base", &self.base),
            ("permissions", &self.permissions),
            ("isolation", &self.isolation),
            ("priority", &self.priority),
            ("submodules", &self.submodules),
            ("setup", &self.setup),
            ("setup_timeout", &self.setup_timeout),
            ("timeout", &self.timeout),
            ("idle_timeout", &self.idle_timeout),
            ("max_cost_usd", &self.max_cost_usd),
            ("max_tokens", &self.max_tokens),
            ("retry", &self.retry),
            ("on_rate_limit", &self.on_rate_limit),
            ("deliver", &self.deliver),
            ("review", &self.review),
            ("verify", &self.verify),
            ("verify_tries", &self.verify_tries),
            ("require_summary", &self.require_summary),
            ("require_changes", &self.require_changes),
            ("resume_after_subtasks", &self.resume_after_subtasks),
        ];
        let env = |text: &str| if text.contains('=') { "env" } else { "env_names" };
        let repeated =
            [("options", &self.options), ("tags", &self.tag), ("copy", &self.copy), ("sparse", &self.sparse)];
        let repeated =
            repeated.into_iter().flat_map(|(field, texts)| texts.iter().map(move |text| (field, text)));
        single
            .into_iter()
            .filter_map(|(field, text)| Some((field, text.as_deref()?)))
            .chain(repeated.map(|(field, text)| (field, text.as_str())))
            .chain(self.env.iter().map(move |text| (env(text), text.as_str())))
    }
}

#[cfg(test)]
mod tests {
    use clap::{CommandFactory as _, FromArgMatches as _, Parser};

    use super::*;
    use crate::vocabulary::Permissions;

    #[derive(Debug, Parser)]
    struct Line {
        #[command(flatten)]
        flags: TaskFlags,
    }

    fn read(arguments: &[&str]) -> Result<PartialSpec, CliError> {
        let matches = Line::command().get_matches_from([&["callbox"], arguments].concat());
        Line::from_arg_matches(&matches).unwrap().flags.partial(Path::new("/here"))
    }

    #[test]
    fn every_field_of_a_task_is_a_flag() {
        let command = Line::command();
        for field in taskfile::field_names().filter(|field| *field != "instructions") {
            let flag = match field {
                "tags" => "tag".to_owned(),
                "env_names" => "env".to_owned(),
                field => field.replace('_', "-"),
            };
            let found = command.get_arguments().any(|argument| argument.get_long() == Some(flag.as_str()));
            assert!(found, "no flag `--{flag}`");
        }
    }

    #[test]
    fn every_word_that_a_shell_offers_is_taken_and_none_that_is_taken_is_missing() {
        for argument in Line::command().get_arguments() {
            let offered: Vec<String> =
                argument.get_possible_values().iter().map(|value| value.get_name().to_owned()).collect();
            let (Some(flag), false) = (argument.get_long(), offered.is_empty()) else { continue };
            if !argument.get_action().takes_values() {
                continue;
            }
            let field = flag.replace('-', "_");
            for word in &offered {
                taskfile::flag(&field, word, Path::new("/here")).unwrap();
            }
            // A list that is closed names all of its words.
            if let Err(refusal) = taskfile::flag(&field, "no such word", Path::new("/here")) {
                let named = refusal.message.split("must be ").nth(1).unwrap_or_default();
                let named = named.split(", not").next().unwrap_or_default();
                let words: Vec<&str> = named.split(" or ").map(|word| word.trim_matches('`')).collect();
                if words.len() > 1 && !named.contains(',') {
                    assert_eq!(offered, words, "--{flag}");
                }
            }
        }
    }

    #[test]
    fn what_was_given_is_read_and_nothing_else() {
        let spec = read(&[
            "-C",
            "a b",
            "--permissions",
            "full",
            "--tag",
            "one",
            "--tag",
            "two",
            "--env",
            "KEY",
            "--env",
            "MODE=fast",
            "--options",
            "x=1",
            "--timeout",
            "15m",
            "--retry",
            "3",
        ])
        .unwrap();
        assert_eq!(spec.project.as_deref(), Some(Path::new("/here/a b")));
        assert_eq!(spec.permissions, Some(Permissions::Full));
        assert_eq!(
            (spec.env_names.as_slice(), spec.env["MODE"].as_str()),
            (["KEY".to_owned()].as_slice(), "fast")
        );
        assert_eq!((spec.timeout_seconds, spec.retry.max_attempts), (Some(900), Some(3)));
        assert_eq!((spec.options["x"].as_str(), spec.tags.len(), spec.model), ("1", 2, None));
    }

    #[test]
    fn a_wrong_value_is_wrong_usage_and_names_its_flag() {
        let error = read(&["--permissions", "all"]).unwrap_err();
        assert_eq!(error.status().code(), 2);
        assert!(error.to_string().contains("`--permissions`"), "{error}");
    }
}
