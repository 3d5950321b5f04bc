use std::collections::BTreeMap;

use super::*;
use crate::{agents::Catalogue, cli::gather::SearchPath};

fn option(name: &str) -> AgentOption {
    AgentOption { name: name.to_owned(), ..AgentOption::of(&TaskSpec::new(name, "x")) }
}

#[test]
fn a_limit_is_said_not_to_hold_where_the_task_comes_to_an_agent_that_reports_nothing_of_it() {
    let programs =
        Programs { agents: Catalogue::built_in(), search: SearchPath::default(), named: BTreeMap::new() };
    let mut spec = TaskSpec::new(ANY, "y");
    spec.agents = vec![option("claude"), option("codex"), option("gemini")];
    assert_eq!(unmeasured(&spec, &programs), None);
    spec.max_tokens = Some(5);
    assert_eq!(unmeasured(&spec, &programs), None, "all of them tell tokens");
    spec.max_cost_usd = Some(1.0);
    let said = unmeasured(&spec, &programs).unwrap();
    assert!(
        said.starts_with("`max_cost_usd` cannot hold `y` where it goes to `codex` or `gemini`"),
        "{said}"
    );
    spec.agents = vec![option("claude")];
    assert_eq!(unmeasured(&spec, &programs), None);
}
