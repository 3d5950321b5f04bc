//! `callbox completions`.

use clap::{Args, CommandFactory as _, ValueEnum};
use clap_complete::Shell;

use crate::cli::{arguments::Arguments, error::CliError, exit::ExitStatus, output};

/// Flags of `callbox completions`.
#[derive(Debug, Args)]
pub(crate) struct Completions {
    /// The shell
    #[arg(value_name = "SHELL", value_enum)]
    shell: CompletedShell,
}

/// The shells that callbox was tried with or that take the same words.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum CompletedShell {
    /// To be sourced, or put into `~/.local/share/bash-completion/completions/callbox`
    Bash,
    /// To be put as `_callbox` into a folder of `fpath`
    Zsh,
    /// To be put into `~/.config/fish/completions/callbox.fish`
    Fish,
}

impl Completions {
    /// Prints the script. It knows commands, flags and their fixed values; numbers of tasks it does not ask for.
    pub(crate) fn run(self) -> Result<ExitStatus, CliError> {
        let shell = match self.shell {
            CompletedShell::Bash => Shell::Bash,
            CompletedShell::Zsh => Shell::Zsh,
            CompletedShell::Fish => Shell::Fish,
        };
        let mut script = Vec::new();
        clap_complete::generate(shell, &mut Arguments::command(), "callbox", &mut script);
        output::write_bytes(&script)?;
        Ok(ExitStatus::Success)
    }
}
