//! What a shim's environment tells it. Nothing else in the shim looks there.

use std::{env, ffi::OsString, path::PathBuf, time::Duration};

use crate::{
    ids::Secret,
    protocol::{SOCKET_VARIABLE, TOKEN_VARIABLE, TOOL_LIMIT_VARIABLE},
};

/// What the environment said.
pub(super) struct Environment {
    /// How the store is reached. Its absence is said at the first call and not before: a client that
    /// only lists the tools must be served.
    pub(super) wiring: Result<Wiring, Unwired>,
    /// How long a call waits for the store.
    pub(super) patience: Duration,
}

/// How the store is reached, and who speaks.
pub(super) struct Wiring {
    /// The store's socket.
    pub(super) socket: PathBuf,
    /// The run's secret.
    pub(super) token: Secret,
}

/// A variable that should be set and is not.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("`{variable}` is not set for this MCP server")]
pub(super) struct Unwired {
    /// Its name.
    pub(super) variable: &'static str,
}

impl Environment {
    /// Reads the process's environment.
    pub(super) fn read() -> Self {
        Self::from(|name| env::var_os(name))
    }

    fn from(look_up: impl Fn(&str) -> Option<OsString>) -> Self {
        let given =
            |variable| look_up(variable).filter(|value| !value.is_empty()).ok_or(Unwired { variable });
        let wiring = || {
            let socket = PathBuf::from(given(SOCKET_VARIABLE)?);
            let token = given(TOKEN_VARIABLE)?;
            let token = token.into_string().map_err(|_| Unwired { variable: TOKEN_VARIABLE })?;
            Ok(Wiring { socket, token: Secret::new(token) })
        };
        let limit = look_up(TOOL_LIMIT_VARIABLE).and_then(|limit| limit.to_str()?.parse().ok());
        Self { wiring: wiring(), patience: patience(limit) }
    }
}

/// How long a call may wait where the agent gives it up after `limit` seconds. Ten seconds are left
/// to say that it was not recorded, or half the time where that is less; 50 s where nothing is known,
/// which is below every default limit found (60 s in the TypeScript SDK).
fn patience(limit: Option<u64>) -> Duration {
    match limit {
        Some(limit) => Duration::from_secs(limit)
            .saturating_sub(Duration::from_secs(10).min(Duration::from_secs(limit) / 2)),
        None => Duration::from_secs(50),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_missing_is_named() {
        let only_token = |name: &str| (name == TOKEN_VARIABLE).then(|| "cbx_x".into());
        assert_eq!(Environment::from(only_token).wiring.err(), Some(Unwired { variable: "CALLBOX_SOCKET" }));
        let only_socket = |name: &str| (name == SOCKET_VARIABLE).then(|| "/s".into());
        assert_eq!(Environment::from(only_socket).wiring.err(), Some(Unwired { variable: "CALLBOX_TOKEN" }));
        let empty = |_: &str| Some(OsString::new());
        assert_eq!(Environment::from(empty).wiring.err(), Some(Unwired { variable: "CALLBOX_SOCKET" }));
    }

    #[test]
    fn a_call_ends_before_the_agent_gives_it_up() {
        for (limit, seconds) in
            [(None, 50.0), (Some(600), 590.0), (Some(12), 6.0), (Some(1), 0.5), (Some(0), 0.0)]
        {
            assert_eq!(patience(limit), Duration::from_secs_f64(seconds), "{limit:?}");
        }
    }
}
