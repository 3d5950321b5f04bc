//! The command line as a whole.

use std::path::PathBuf;

use clap::{Args, Parser};

use super::command::Command;

/// Runs coding agents on tasks and gives each run its own line back to you.
///
/// An agent that needs you records its question and ends its turn; nothing waits. When you answer,
/// hours or days later, the same conversation goes on in the same directory.
#[derive(Debug, Parser)]
#[command(name = "callbox", version, disable_help_subcommand = true, after_help = AFTER_HELP)]
pub(crate) struct Arguments {
    /// What holds for every command.
    #[command(flatten)]
    pub(crate) global: GlobalArguments,
    /// What to do.
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// Flags that go with every command.
#[derive(Debug, Args)]
#[command(next_help_heading = "With every command")]
pub(crate) struct GlobalArguments {
    /// The state directory [default: $CALLBOX_STATE, else $XDG_STATE_HOME/callbox]
    #[arg(long, value_name = "DIR", global = true)]
    pub(crate) state: Option<PathBuf>,
    /// Answer in JSON
    #[arg(long, global = true)]
    pub(crate) json: bool,
    /// Take nothing from this machine but PATH and what is named: no configuration, an own HOME in the state
    /// directory, no store that stays
    #[arg(long, global = true)]
    pub(crate) hermetic: bool,
}

const AFTER_HELP: &str = "\
Exit statuses: 0 done, 1 refused or failed, 2 wrong usage, 3 blocked on a question or on something
outside, 4 timed out, 5 budget exceeded, 6 rate limited, 7 cancelled, 69 something needed is not to
be had, 70 a fault of callbox.

Begin with `callbox doctor`, then `callbox run -p 'what to do'` inside a git project.";

#[cfg(test)]
mod tests {
    use clap::CommandFactory as _;

    use super::*;

    #[test]
    fn the_command_line_is_consistent() {
        Arguments::command().debug_assert();
    }

    #[test]
    fn the_global_flags_go_with_every_command() {
        let mut command = Arguments::command();
        command.build();
        for one in command.get_subcommands() {
            for flag in ["state", "json", "hermetic"] {
                let found = one.get_arguments().find(|argument| argument.get_long() == Some(flag));
                assert!(found.is_some_and(clap::Arg::is_global_set), "{} {flag}", one.get_name());
            }
        }
    }

    #[test]
    fn words_for_an_agent_may_begin_with_a_hyphen() {
        for line in [
            &["run", "-p", "- mend it", "--agent", "scripted"][..],
            &["run", "-p", "-", "--no-project"],
            &["answer", "q1", "- the first", "--run"],
            &["answer", "q1", "-5", "--json"],
            &["answer", "q1", "-"],
            &["resume", "t1", "- and the docs", "--run"],
            &["resume", "t1", "--run"],
        ] {
            let parsed = Arguments::try_parse_from([&["callbox"], line].concat()).unwrap();
            let words = format!("{:?}", parsed.command);
            assert!(!words.contains("--run") && !words.contains("--json"), "{words}");
            assert_eq!(words.contains("run: true"), line.contains(&"--run"), "{words}");
        }
        // A slip in a flag is not taken for words.
        assert!(Arguments::try_parse_from(["callbox", "run", "-p", "x", "--agnet", "y"]).is_err());
    }

    #[test]
    fn every_command_and_every_flag_says_what_it_is_for() {
        let mut all = vec![Arguments::command()];
        while let Some(command) = all.pop() {
            assert!(command.get_about().is_some(), "{}", command.get_name());
            for argument in command.get_arguments().filter(|argument| !argument.is_hide_set()) {
                let name = argument.get_id();
                assert!(argument.get_help().is_some(), "`{name}` of {}", command.get_name());
            }
            all.extend(command.get_subcommands().cloned());
        }
    }
}
