//! Which variables go with a task: their values are held in the store's memory and never written.

use std::collections::BTreeMap;

use crate::{
    agents,
    cli::{error::CliError, surroundings::Surroundings},
    ids::Secret,
};

/// What any program needs to run as this person on this machine, besides `LC_*`.
const ORDINARY: [&str; 20] = [
    "PATH",
    "HOME",
    "USER",
    "LOGNAME",
    "SHELL",
    "LANG",
    "TERM",
    "TZ",
    "HTTP_PROXY",
    "HTTPS_PROXY",
    "ALL_PROXY",
    "NO_PROXY",
    "http_proxy",
    "https_proxy",
    "all_proxy",
    "no_proxy",
    "SSL_CERT_FILE",
    "SSL_CERT_DIR",
    "NODE_EXTRA_CA_CERTS",
    "LANGUAGE",
];

/// The ordinary variables, those that agent programs read, and those named with `--env`, of which
/// none may be missing. Everything else of this process's environment stays here.
pub(crate) fn environment(
    surroundings: &Surroundings,
    named: &[String],
) -> Result<BTreeMap<String, Secret>, CliError> {
    let locale = surroundings.names().filter(|name| name.starts_with("LC_"));
    let mut environment = BTreeMap::new();
    for name in ORDINARY.into_iter().chain(agents::variables()).chain(locale) {
        // One that is not text cannot be sent; nobody asked for it by name.
        if let Some(value) = surroundings.value(name).and_then(|value| value.to_str()) {
            environment.insert(name.to_owned(), Secret::new(value));
        }
    }
    for name in named {
        let value = surroundings.value(name).ok_or_else(|| missing(name))?;
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

    #[test]
    fn only_ordinary_variables_those_of_agents_and_named_ones_are_sent() {
        let variables = [
            ("PATH", "/bin"),
            ("LC_ALL", "C"),
            ("AWS_SECRET_ACCESS_KEY", "no"),
            ("ANTHROPIC_API_KEY", "key"),
            ("MINE", "yes"),
        ];
        let sent = environment(&Surroundings::of(&variables), &["MINE".to_owned()]).unwrap();
        let names: Vec<_> = sent.keys().map(String::as_str).collect();
        assert_eq!(names, ["ANTHROPIC_API_KEY", "LC_ALL", "MINE", "PATH"]);
    }

    #[test]
    fn a_named_variable_that_is_missing_is_wrong_usage_and_named() {
        let error = environment(&Surroundings::of(&[]), &["MISSING".to_owned()]).unwrap_err();
        assert_eq!(error.status().code(), 2);
        assert!(error.to_string().contains("`MISSING`"));
    }
}
