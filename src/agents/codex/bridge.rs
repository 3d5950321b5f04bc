//! Codex behind `codex-acp`, proved with version 0.16.0, which is a Codex of its own.
//!
//! It reads the configuration in its home and can't be told not to, so it is given a home beside the sandbox, where the
//! person's login is lent to it. It brings no bubblewrap along, and Codex's own sandbox would fail each command; so it
//! asks before whatever changes anything, and callbox answers.

use std::path::{Path, PathBuf};

use super::{
    command::{OFF, endpoint},
    home, login,
    options::Options,
    setting::{Setting, Value, arguments, text},
};
use crate::{
    acp::{Borrowed, Naming},
    agents::{
        Launch, OwnPlace, PrivateFile, Reach,
        acp::{Bridged, Preamble},
        model_name::check_model,
    },
    ids::Secret,
    vocabulary::{Fault, Permissions},
};

/// The provider that a key is used with: told to log in with one, the bridge would write it into its home.
const PROVIDER: &str = "callbox";

/// Where the provider is, unless the person names another place.
const ENDPOINT: &str = "https://api.openai.com/v1";

/// What is off in every run of Codex and is none of this one's settings: it takes it for the name of an agent.
const UNKNOWN: &str = "agents.enabled";

/// What a run of the bridge is given.
pub(in crate::agents) fn bridged(launch: &Launch<'_>) -> Result<Bridged, Fault> {
    let options = Options::read(launch.options)?;
    check_model(launch.model)?;
    let own = own_home(launch.directory)
        .ok_or_else(|| Fault::new("internal", "an agent cannot work in the root directory"))?;
    let policy = if launch.permissions == Permissions::Full { "never" } else { "untrusted" };
    let mut settings = vec![text("approval_policy", policy), text("sandbox_mode", "danger-full-access")];
    let off = OFF.into_iter().filter(|name| *name != UNKNOWN);
    settings.extend(off.map(|name| (name.to_owned(), Value::Is(false))));
    settings.push(text("web_search", "disabled"));
    settings.extend(launch.model.map(|name| text("model", name)));
    settings.extend(options.effort.map(|effort| text("model_reasoning_effort", effort)));
    settings.extend(provider(launch)?);
    // Its commands are not given the key.
    settings.push(("shell_environment_policy.exclude".to_owned(), Value::Texts(vec![login::KEY.to_owned()])));
    let person = home(launch.environment).map(|folder| folder.join(login::FILE));
    let borrowed = person.map(|from| Borrowed { from, to: own.join(login::FILE) });
    Ok(Bridged {
        arguments: settings.iter().flat_map(arguments).filter_map(|word| word.into_string().ok()).collect(),
        environment: [("CODEX_HOME", own.to_string_lossy().as_ref()), ("NO_BROWSER", "1"), ("TZ", "UTC0")]
            .map(|(name, value)| (name.to_owned(), Secret::new(value)))
            .into(),
        naming: Naming::Field,
        preamble: Preamble::BeforePrompt,
        borrowed: borrowed.into_iter().collect(),
        // The home must be there, and what stands in this file is read before all else.
        files: vec![PrivateFile { path: own.join("config.toml"), contents: Secret::new("") }],
        reach: if launch.permissions == Permissions::Read { Reach::Read } else { Reach::Write },
        ..Bridged::default()
    })
}

/// Where a run of the bridge writes, in `directory`: its own home, and the person's login, which it renews.
pub(in crate::agents) fn bridge_places(launch: &Launch<'_>) -> Vec<OwnPlace> {
    let login = home(launch.environment).map(|folder| folder.join(login::FILE));
    let own = own_home(launch.directory).map(OwnPlace::Folder);
    own.into_iter().chain(login.map(OwnPlace::File)).collect()
}

/// The home beside the sandbox `directory`; `None` where nothing can stand beside it.
fn own_home(directory: &Path) -> Option<PathBuf> {
    let mut name = directory.file_name()?.to_owned();
    name.push(".codex");
    Some(directory.with_file_name(name))
}

fn provider(launch: &Launch<'_>) -> Result<Vec<Setting>, Fault> {
    let named = endpoint(launch)?;
    let has_key = launch.environment.get(login::KEY).is_some_and(|key| !key.expose().is_empty());
    if !has_key {
        return Ok(named.into_iter().collect());
    }
    let place = match named {
        Some((_, Value::Text(place))) => place,
        _ => ENDPOINT.to_owned(),
    };
    let key = |name: &str| format!("model_providers.{PROVIDER}.{name}");
    Ok(vec![
        text("model_provider", PROVIDER),
        text(key("name"), "OpenAI"),
        text(key("base_url"), place),
        text(key("env_key"), login::KEY),
        text(key("wire_api"), "responses"),
    ])
}
