//! What is said to the program, in order.

use std::{
    path::Path,
    sync::{Arc, Mutex, PoisonError},
    time::{Duration, Instant},
};

use agent_client_protocol::{
    Agent, Error, JsonRpcRequest, UntypedMessage, is_incoming_transport_closed,
    schema::ProtocolVersion,
    v1::{
        ConnectionTo,
        schema::{CancelNotification, Implementation, InitializeRequest, InitializeResponse},
    },
};
use serde_json::{Map, Value, json};
use tokio::time::{sleep, timeout};

use super::{
    calls::text,
    line::{End, Line, Stage, Tokens, beginning, say},
    listener::Listener,
    reported::Reported,
    stop::Stop,
    told::{Session, Told},
};

/// How long the program may take to stop its turn when it is told to.
const CANCEL: Duration = Duration::from_millis(2500);

/// How long nothing is heard once all of an earlier conversation was repeated: some programs go on repeating it behind
/// their answer.
const QUIET: Duration = Duration::from_millis(300);

/// The longest that is waited for that.
const REPEATED: Duration = Duration::from_secs(20);

/// How often a program goes on that ended its turn because a call was denied.
const GOES_ON: usize = 20;

/// What it is told then.
const DENIED: &str = "callbox: that call is not allowed by this task's permissions, and nobody is there to be asked. Go on \
                      without it, or report what is missing and end your turn.";

/// How much of a program's words goes into the end, in characters.
const WORDS: usize = 4000;

/// The conversation with one program.
pub(super) struct Talk {
    told: Told,
    listener: Arc<Listener>,
    stage: Mutex<Stage>,
}

/// A session that was opened.
struct Opened {
    id: String,
    answer: Value,
}

impl Talk {
    /// With the program that `told` names and `listener` listens to.
    pub(super) fn new(told: Told, listener: Arc<Listener>) -> Self {
        Self { told, listener, stage: Mutex::new(Stage::Initialize) }
    }

    /// What the program was asked last.
    pub(super) fn stage(&self) -> Stage {
        *self.stage.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Holds the turn, until its end or until `stop` says so.
    pub(super) async fn hold(&self, program: &ConnectionTo<Agent>, stop: &mut Stop) -> End {
        let opened = tokio::select! {
            opened = self.open(program) => opened,
            () = stop.told() => return End::Stopped,
        };
        let id = match opened {
            Ok(id) => id,
            Err(end) => return end,
        };
        self.listener.begin_turn();
        let mut prompt = self.told.prompt.clone();
        let mut tokens: Option<Tokens> = None;
        for _ in 0..=GOES_ON {
            let denied = self.listener.denied();
            let reported = match self.turn(program, stop, &id, &prompt).await {
                Ok(reported) => reported,
                Err(end) => return end,
            };
            tokens = match (tokens, reported.tokens) {
                (Some(before), Some(more)) => Some(before.plus(more)),
                (before, more) => before.or(more),
            };
            // Nobody cancelled it: codex-acp ends a turn in which a call was denied, whatever it might still do.
            if reported.stop != "cancelled" || self.listener.denied() == denied {
                return End::Turn { stop: reported.stop, tokens };
            }
            DENIED.clone_into(&mut prompt);
        }
        End::Turn { stop: "cancelled".to_owned(), tokens }
    }

    /// Opens the session, as the program can and as is wanted.
    async fn open(&self, program: &ConnectionTo<Agent>) -> Result<String, End> {
        let whoami = Implementation::new("callbox", env!("CARGO_PKG_VERSION"));
        let initialize = InitializeRequest::new(ProtocolVersion::V1).client_info(whoami);
        let known: InitializeResponse = self.ask(program, Stage::Initialize, initialize).await?;
        if known.protocol_version != ProtocolVersion::V1 {
            let lacks = format!("speaks version {} of the protocol and not 1", known.protocol_version);
            return Err(End::Unfit { lacks });
        }
        if let Some(program) = &known.agent_info {
            let (name, version) = (beginning(&program.name, 200), beginning(&program.version, 40));
            say(&Line::Program { name, version });
        }
        let opened = self.session(program, &known).await?;
        say(&Line::Session { id: beginning(&opened.id, 200) });
        self.settle(program, &opened).await?;
        Ok(opened.id)
    }

    async fn session(
        &self,
        program: &ConnectionTo<Agent>,
        known: &InitializeResponse,
    ) -> Result<Opened, End> {
        let mut params = Map::from_iter([
            ("cwd".to_owned(), json!(path(&self.told.directory))),
            ("mcpServers".to_owned(), json!(self.told.servers)),
        ]);
        if !self.told.meta.is_null() {
            params.insert("_meta".to_owned(), self.told.meta.clone());
        }
        let Session::Resume(id) = &self.told.session else {
            let answer = self.call(program, Stage::New, "session/new", params.into()).await?;
            let lacks = || End::Unfit { lacks: "opened a session and did not say which".to_owned() };
            let id = text(&answer, "sessionId").ok_or_else(lacks)?.to_owned();
            return Ok(Opened { id, answer });
        };
        params.insert("sessionId".to_owned(), json!(id));
        let can = &known.agent_capabilities;
        let answer = if can.session_capabilities.resume.is_some() {
            self.call(program, Stage::Resume, "session/resume", params.into()).await?
        } else if can.load_session {
            let answer = self.call(program, Stage::Resume, "session/load", params.into()).await?;
            self.repeated().await;
            answer
        } else {
            return Err(End::Unfit { lacks: "goes on with no conversation".to_owned() });
        };
        Ok(Opened { id: id.clone(), answer })
    }

    /// Waits until the earlier conversation was repeated.
    async fn repeated(&self) {
        let begun = Instant::now();
        while self.listener.last().max(begun).elapsed() < QUIET && begun.elapsed() < REPEATED {
            sleep(QUIET / 10).await;
        }
    }

    /// Puts the session into the mode and to the model that are wanted, and says which model it is.
    async fn settle(&self, program: &ConnectionTo<Agent>, opened: &Opened) -> Result<(), End> {
        if let Some(mode) = &self.told.mode {
            let params = json!({"sessionId": opened.id, "modeId": mode});
            self.call(program, Stage::Settings, "session/set_mode", params).await?;
        }
        let options = opened.answer.get("configOptions").and_then(Value::as_array);
        let option = options.into_iter().flatten().find(|option| text(option, "id") == Some("model"));
        if let Some(model) = &self.told.model {
            if option.is_none() {
                return Err(End::Unfit { lacks: "lets no model be chosen".to_owned() });
            }
            let params = json!({"sessionId": opened.id, "configId": "model", "value": model});
            self.call(program, Stage::Settings, "session/set_config_option", params).await?;
        }
        let current = option.and_then(|option| text(option, "currentValue"));
        let current =
            current.or_else(|| opened.answer.pointer("/models/currentModelId").and_then(Value::as_str));
        if let Some(name) = self.told.model.as_deref().or(current) {
            say(&Line::Model { name: beginning(name, 200) });
        }
        Ok(())
    }

    /// One turn in the session `id`.
    async fn turn(
        &self,
        program: &ConnectionTo<Agent>,
        stop: &mut Stop,
        id: &str,
        prompt: &str,
    ) -> Result<Reported, End> {
        let params = json!({"sessionId": id, "prompt": [{"type": "text", "text": prompt}]});
        let mut answer = Box::pin(self.call(program, Stage::Prompt, "session/prompt", params));
        tokio::select! {
            answer = &mut answer => answer.map(|answer| Reported::read(&answer)),
            () = stop.told() => {
                let _ = program.send_notification(CancelNotification::new(id.to_owned()));
                let _ = timeout(CANCEL, answer).await;
                Err(End::Stopped)
            }
        }
    }

    async fn call(
        &self,
        program: &ConnectionTo<Agent>,
        stage: Stage,
        method: &str,
        params: Value,
    ) -> Result<Value, End> {
        let request = UntypedMessage::new(method, params).map_err(|error| refused(stage, &error))?;
        self.ask(program, stage, request).await
    }

    async fn ask<R: JsonRpcRequest>(
        &self,
        program: &ConnectionTo<Agent>,
        stage: Stage,
        request: R,
    ) -> Result<R::Response, End> {
        *self.stage.lock().unwrap_or_else(PoisonError::into_inner) = stage;
        program.send_request(request).block_task().await.map_err(|error| {
            if is_incoming_transport_closed(&error) { End::Gone { stage } } else { refused(stage, &error) }
        })
    }
}

fn path(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}

fn refused(stage: Stage, error: &Error) -> End {
    End::Refused {
        stage,
        code: i32::from(error.code).into(),
        message: beginning(&error.message, WORDS),
        data: short(error.data.as_ref()),
    }
}

/// What goes with an error, where it is not too long.
fn short(data: Option<&Value>) -> Value {
    match data {
        Some(Value::String(words)) => beginning(words, WORDS).into(),
        Some(data) if data.to_string().len() <= 4 * WORDS => data.clone(),
        _ => Value::Null,
    }
}
