//! Which variables go with a task: their values are held in the store's memory and never written.

use std::collections::BTreeMap;

use crate::{
    cli::{context::Context, error::CliError, mode::Mode},
    ids::Secret,
    vocabulary::is_ordinary,
};

/// The ordinary variables, those that agent programs and the person's MCP servers read, and those named with
/// `--env`, of which none may be missing that no `env_file` could have. Everything else of this process's environment stays here.
pub(crate) fn environment(context: &Context, named: &[String]) -> Result<BTreeMap<String, Secret>, CliError> {
    let Context { surroundings, settings, agents, mode, .. } = context;
    let of_agents = match mode {
        Mode::Ordinary => agents.variables(),
        Mode::Hermetic => agents.hermetic_variables(),
    };
    let ordinary = surroundings.names().filter(|name| is_ordinary(name));
    let mut environment = BTreeMap::new();
    for name in ordinary.chain(of_agents).chain(settings.server_variables()) {
        // One that is not text cannot be sent; nobody asked for it by name.
        if let Some(value) = surroundings.value(name).and_then(|value| value.to_str()) {
            environment.insert(name.to_owned(), Secret::new(value));
        }
    }
    for name in named {
        let value = match surroundings.value(name) {
            Some(value) => value,
            // Looked at when the run begins, which says so where it is not there either.
            None if settings.env_file.is_some() => continue,
            None => return Err(missing(name)),
        };
        let value = value.to_str().ok_or_else(|| {
            CliError::usage(format!("the variable `{name}` of `--env` holds something else than text"))
        })?;
        environment.insert(name.clone(), Secret::new(value));
    }
    Ok(environment)
}

fn missing(name: &str) -> CliError {
    CliError::usage(format!("the variable `{name}` of `--env` is not set"))
        .hinted(format!("set it, as in `{name}=… callbox run …`, or leave `--env {name}` out"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        agents::Catalogue,
        cli::{context::Format, surroundings::Surroundings},
        layout::StateDir,
        settings::Settings,
    };

    fn context(variables: &[(&str, &str)]) -> Context {
        Context {
            surroundings: Surroundings::of(variables),
            state: StateDir::at("/s"),
            format: Format::Text,
            mode: Mode::Ordinary,
            settings: Settings::default(),
            agents: Catalogue::built_in(),
            configuration_fault: None,
        }
    }

    #[test]
    fn only_ordinary_variables_those_of_agents_and_named_ones_are_sent() {
        let variables = [
            ("PATH", "/bin"),
            ("LC_ALL", "C"),
            ("AWS_SECRET_ACCESS_KEY", "no"),
            ("ANTHROPIC_API_KEY", "key"),
            ("MINE", "yes"),
        ];
        let sent = environment(&context(&variables), &["MINE".to_owned()]).unwrap();
        let names: Vec<_> = sent.keys().map(String::as_str).collect();
        assert_eq!(names, ["ANTHROPIC_API_KEY", "LC_ALL", "MINE", "PATH"]);
    }

    #[test]
    fn a_named_variable_that_is_missing_is_wrong_usage_and_named() {
        let error = environment(&context(&[]), &["MISSING".to_owned()]).unwrap_err();
        assert_eq!(error.status().code(), 2);
        assert!(error.to_string().contains("`MISSING`"));
    }

    #[test]
    fn one_that_is_not_set_is_refused_unless_a_file_may_have_it() {
        let named = ["MINE".to_owned()];
        let mut context = context(&[]);
        let refused = environment(&context, &named);
        assert!(refused.unwrap_err().to_string().contains("`MINE`"));
        context.settings.env_file = Some("keys.env".into());
        assert!(environment(&context, &named).unwrap().is_empty());
    }
}
