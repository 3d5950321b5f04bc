//! What the program says and asks of itself while a turn is on.

use std::{
    path::PathBuf,
    sync::{Mutex, MutexGuard, PoisonError},
    time::Instant,
};

use agent_client_protocol::{
    UntypedMessage,
    v1::schema::{
        RequestPermissionOutcome, RequestPermissionRequest, RequestPermissionResponse,
        SelectedPermissionOutcome,
    },
};
use serde_json::Value;

use super::{
    calls::Calls,
    line::{Line, beginning, say},
    permission::{Decision, decide, option},
    told::{Rules, Told},
    update,
};

/// The longest notification that the protocol does not name, in bytes of JSON.
const EXTENSION: usize = 1 << 20;

/// Listens to one program.
pub(super) struct Listener {
    rules: Rules,
    directory: PathBuf,
    heard: Mutex<Heard>,
}

/// What was heard so far.
struct Heard {
    calls: Calls,
    /// What comes before the prompt belongs to earlier turns.
    turn: bool,
    denied: usize,
    last: Instant,
}

impl Listener {
    /// Of the program that `told` names.
    pub(super) fn new(told: &Told) -> Self {
        let calls = Calls::new(told.naming);
        let heard = Heard { calls, turn: false, denied: 0, last: Instant::now() };
        Self { rules: told.rules.clone(), directory: told.directory.clone(), heard: Mutex::new(heard) }
    }

    /// From now on what is said belongs to this run.
    pub(super) fn begin_turn(&self) {
        self.heard().turn = true;
    }

    /// How many calls were denied so far.
    pub(super) fn denied(&self) -> usize {
        self.heard().denied
    }

    /// When anything was heard last.
    pub(super) fn last(&self) -> Instant {
        self.heard().last
    }

    /// Takes a notification.
    pub(super) fn notified(&self, message: &UntypedMessage) {
        let mut heard = self.heard();
        heard.last = Instant::now();
        if !heard.turn {
            return;
        }
        if message.method() == "session/update" {
            let update = message.params().get("update").unwrap_or(&Value::Null);
            update::lines(update, &mut heard.calls).iter().for_each(say);
        } else if message.method().starts_with('_') && message.params().to_string().len() <= EXTENSION {
            let method = beginning(message.method(), 200);
            say(&Line::Extension { method, params: message.params().clone() });
        }
    }

    /// Decides on what the program asks to be allowed.
    pub(super) fn asked(&self, request: &RequestPermissionRequest) -> RequestPermissionResponse {
        let said = serde_json::to_value(&request.tool_call).unwrap_or(Value::Null);
        let mut heard = self.heard();
        heard.last = Instant::now();
        let told = heard.calls.take(&said);
        let told = told.or_else(|| heard.calls.untold(&said));
        told.iter().for_each(say);
        let wanted = heard.calls.wanted(&said);
        let decision = wanted.map_or(Decision::Deny, |wanted| decide(&self.rules, &self.directory, &wanted));
        if decision == Decision::Deny {
            heard.denied += 1;
            say(&Line::Denied { id: beginning(&request.tool_call.tool_call_id.0, 400) });
        }
        RequestPermissionResponse::new(match option(decision, &request.options) {
            Some(option) => {
                RequestPermissionOutcome::Selected(SelectedPermissionOutcome::new(option.option_id.clone()))
            }
            None => RequestPermissionOutcome::Cancelled,
        })
    }

    fn heard(&self) -> MutexGuard<'_, Heard> {
        self.heard.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
