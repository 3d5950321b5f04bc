//! Words that a shell offers for a flag. What the flag takes is decided where its value is read, with words of its own.

use std::ffi::OsStr;

use clap::{
    Arg, Command,
    builder::{PossibleValue, StringValueParser, TypedValueParser},
};

use crate::{agents, settings, vocabulary::ANY};

/// The agents there are without any configuration.
pub(crate) const AGENTS: Offered = Offered(agents_without_configuration);
/// What a task may name as its agent without any configuration.
pub(crate) const AGENT_OF_A_TASK: Offered = Offered(|| [agents_without_configuration(), vec![ANY]].concat());
/// What permissions there are.
pub(crate) const PERMISSIONS: Offered = Offered(|| vec!["read", "edit", "full"]);
/// What an agent can be held by, launchers aside.
pub(crate) const ISOLATION: Offered = Offered(|| vec!["auto", "none", "landlock"]);
/// Which of the waiting tasks goes first.
pub(crate) const PRIORITY: Offered = Offered(|| vec!["high", "normal", "low"]);
/// What a refusal for now leads to.
pub(crate) const ON_RATE_LIMIT: Offered = Offered(|| vec!["wait", "fail"]);
/// Where work goes.
pub(crate) const DELIVER: Offered = Offered(|| vec!["branch", "merge", "patch", "none"]);
/// What a sandbox starts from, revisions aside.
pub(crate) const BASE: Offered = Offered(|| vec!["head", "worktree", "after"]);
/// Yes or no.
pub(crate) const YES_OR_NO: Offered = Offered(|| vec!["yes", "no"]);
/// Lengths of time have no list, but for the one without end.
pub(crate) const NEVER: Offered = Offered(|| vec!["never"]);

fn agents_without_configuration() -> Vec<&'static str> {
    agents::BUILT_IN.into_iter().chain(settings::shipped_names()).collect()
}

/// A flag that takes any text, of which these words are offered.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Offered(fn() -> Vec<&'static str>);

impl TypedValueParser for Offered {
    type Value = String;

    fn parse_ref(
        &self,
        command: &Command,
        argument: Option<&Arg>,
        value: &OsStr,
    ) -> Result<String, clap::Error> {
        StringValueParser::new().parse_ref(command, argument, value)
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        Some(Box::new((self.0)().into_iter().map(PossibleValue::new)))
    }
}
