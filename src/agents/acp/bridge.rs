//! The three programs that are known: which they are, and which adapter knows the program behind each.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
};

use super::{Bridged, allow};
use crate::{
    agents::{Adapter, Claude, Codex, Gemini, Launch, OwnPlace, Reports, claude, codex, gemini},
    ids::Secret,
    vocabulary::{Denial, Fault},
};

/// One of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Bridge {
    /// `claude-agent-acp`.
    Claude,
    /// `codex-acp`.
    Codex,
    /// `gemini --acp`.
    Gemini,
}

impl Bridge {
    /// All, in the order in which they are listed to people.
    pub(super) const ALL: [Self; 3] = [Self::Claude, Self::Codex, Self::Gemini];

    /// Into how many messages it puts those of a turn when it goes on behind it: Gemini CLI makes one of all calls (0.61.0),
    /// and one of the words behind them.
    pub(super) fn joined(self) -> Option<usize> {
        (self == Self::Gemini).then_some(2)
    }

    /// How it tells that the tool which runs commands was denied, `native` being the program's own name for it: codex-acp
    /// asks about the kind of a call (0.16.0).
    pub(super) fn shell_denied(self, native: &'static str) -> &'static str {
        match self {
            Self::Codex => "execute",
            Self::Claude | Self::Gemini => native,
        }
    }

    /// What tasks call it.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Claude => "claude-acp",
            Self::Codex => "codex-acp",
            Self::Gemini => "gemini-acp",
        }
    }

    /// What is looked for on the PATH.
    pub(super) fn program(self) -> &'static str {
        match self {
            Self::Claude => "claude-agent-acp",
            Self::Codex => "codex-acp",
            Self::Gemini => "gemini",
        }
    }

    /// The adapter of the program behind it.
    pub(super) fn native(self) -> &'static dyn Adapter {
        match self {
            Self::Claude => &Claude,
            Self::Codex => &Codex,
            Self::Gemini => &Gemini,
        }
    }

    /// Where the program itself is that `found` only starts.
    pub(super) fn behind(self, found: &Path) -> Vec<PathBuf> {
        match self {
            Self::Codex => codex::bridge_candidates(found),
            Self::Claude | Self::Gemini => Vec::new(),
        }
    }

    /// What a run is given.
    pub(super) fn bridged(self, launch: &Launch<'_>) -> Result<Bridged, Fault> {
        match self {
            Self::Claude => claude::bridged(launch),
            Self::Codex => codex::bridged(launch),
            Self::Gemini => gemini::bridged(launch),
        }
    }

    /// Where a run writes what is its own.
    pub(super) fn own_places(
        self,
        launch: &Launch<'_>,
        environment: &BTreeMap<String, Secret>,
    ) -> Vec<OwnPlace> {
        match self {
            Self::Codex => codex::bridge_places(launch),
            Self::Claude | Self::Gemini => self.native().own_places(launch, environment),
        }
    }

    /// Arguments that print a version: of the Claude Code within it, since claude-agent-acp tells its own in the
    /// conversation alone, and so does codex-acp.
    pub(super) fn version_arguments(self) -> &'static [&'static str] {
        match self {
            Self::Claude => &["--cli", "--version"],
            Self::Codex => &["--help"],
            Self::Gemini => &["--version"],
        }
    }

    /// What is told of a run's use. codex-acp tells only how full the model's window is.
    pub(super) fn reports(self) -> Reports {
        match self {
            Self::Claude => Reports::Dollars,
            Self::Codex => Reports::Nothing,
            Self::Gemini => Reports::Tokens,
        }
    }

    /// The line of a task file that would have allowed what was denied.
    pub(super) fn allowing(self, denial: &Denial) -> String {
        match self {
            // It knows its tools by their kind alone, and has no option that allows one.
            Self::Codex => match allow::by_kind(&denial.tool) {
                Some(line) => line.to_owned(),
                None => "permissions: full".to_owned(),
            },
            Self::Claude | Self::Gemini => self.native().allowing(denial),
        }
    }
}
