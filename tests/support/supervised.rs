//! A real supervisor over a store that obeys the test, and an agent program written by the test.

use std::{
    collections::BTreeMap,
    fs::{self, File},
    io::Write as _,
    os::unix::fs::PermissionsExt as _,
    path::{Path, PathBuf},
    process::{Child, Command, ExitStatus, Stdio},
};

use callbox::{
    ids::{ExecutionNumber, Secret, TaskNumber, UniqueId},
    layout::StateDir,
    process::{Mark, marked},
    protocol::{
        launch::{Base, Conversation, Handover, LaunchPlan, LaunchSecrets, Workplace},
        supervise::{ReportBody, Verdict},
    },
    vocabulary::{
        AgentEnd, Ending, Fact, Finish, IsolationChoice, Message, Permissions, SandboxRules, Usage,
    },
};

use super::{
    raw_supervision::{Manners, RawSupervision},
    repository::Repository,
    wait::{SOON, wait_until},
};

/// The session that [`AGENT`] speaks of.
pub(crate) const SESSION: &str = "01a22b01-f936-723b-b398-0893d205618d";
/// Secrets to be looked for where they must not be.
pub(crate) const TOKEN: &str = "cbx_canary-token-canary-token-canary-token-canary";
pub(crate) const KEY: &str = "canary-key-canary-key";

/// What the shell script of every agent begins with: words of Claude Code's own.
const AGENT: &str = r#"#!/bin/sh
if [ "$1" = --version ]; then echo "2.1.332 (Claude Code)"; exit; fi
session=01a22b01-f936-723b-b398-0893d205618d
begin() {
  echo '{"type":"system","subtype":"init","session_id":"'$session'","model":"m","mcp_servers":[{"name":"callbox","status":"connected"}]}'
  echo '{"type":"assistant","message":{"content":[{"text":"hello","type":"text"}],"model":"m","usage":{}},"session_id":"'$session'"}'
}
done_well() {
  echo '{"type":"result","subtype":"success","is_error":false,"num_turns":1,"result":"all done","session_id":"'$session'"}'
}
"#;

/// One execution about to be supervised.
pub(crate) struct Supervised {
    /// The project.
    pub(crate) repository: Repository,
    /// The plan, to be changed by the test.
    pub(crate) plan: LaunchPlan,
    /// The store.
    pub(crate) store: RawSupervision,
    /// Where everything stands.
    pub(crate) state: StateDir,
    fault: Option<&'static str>,
}

/// A supervisor that was started. Dropped, it is killed.
pub(crate) struct Supervisor {
    child: Child,
}

impl Supervised {
    /// An agent that does `script` in a sandbox of a new project.
    pub(crate) fn agent(script: &str) -> Self {
        Self::under(script, Manners { verdict: Verdict::Deliver, started: Some(Verdict::Go) })
    }

    /// The same, under another store.
    pub(crate) fn under(script: &str, manners: Manners) -> Self {
        let repository = Repository::new();
        let state = StateDir::at(repository.beside("state"));
        let program = repository.beside("claude");
        write_agent(&program, script);
        let execution = ExecutionNumber::new(31);
        fs::create_dir_all(state.execution(execution)).unwrap();
        let plan = LaunchPlan {
            execution,
            reports: 0,
            worked: None,
            task: TaskNumber::new(12),
            task_id: UniqueId::mint(),
            name: "mend".to_owned(),
            agent: "claude".to_owned(),
            program: Some(program),
            preamble: None,
            description: None,
            servers: Vec::new(),
            withheld: Vec::new(),
            model: None,
            permissions: Permissions::Edit,
            // Agents of these tests leave their traces where the test looks for them.
            isolation: IsolationChoice::None,
            caches: Vec::new(),
            sandbox: SandboxRules::default(),
            options: BTreeMap::new(),
            env: BTreeMap::from([("PLAIN".to_owned(), "of the task".to_owned())]),
            workplace: Workplace::Clone {
                directory: "sandboxes/12/1".into(),
                project: repository.root(),
                base: Base::Head,
            },
            conversation: Conversation::Fresh {
                message: Message::own("Mend it."),
                session: UniqueId::mint(),
            },
            copy: Vec::new(),
            sparse: Vec::new(),
            submodules: false,
            setup: None,
            verify: None,
            handover: Handover::Branch { branch: "callbox/12-mend".to_owned() },
            timeout_seconds: None,
            idle_timeout_seconds: None,
            used_before: Usage::default(),
            cost_left_usd: None,
            patience_seconds: Some(60),
        };
        let store = RawSupervision::begin(&state, manners);
        Self { repository, plan, store, state, fault: None }
    }

    /// Another execution that continues the conversation, in the same sandbox.
    pub(crate) fn resume(&mut self) {
        self.plan.conversation = Conversation::Resume {
            session: SESSION.to_owned(),
            message: Message::own("Go on."),
            retold: Message::own("Everything again."),
            moved: Message::own("Everything again, elsewhere."),
            fallback: UniqueId::mint(),
        };
    }

    /// The supervisor is to die at `point`.
    pub(crate) fn dies_at(&mut self, point: &'static str) {
        self.fault = Some(point);
    }

    /// Starts the supervisor.
    pub(crate) fn start(&self) -> Supervisor {
        let path = std::env::var("PATH").unwrap();
        self.start_with(&[("PATH", &path), ("HOME", "/nonexistent"), ("ANTHROPIC_API_KEY", KEY)])
    }

    /// Starts the supervisor of a run for which these variables were looked up.
    pub(crate) fn start_with(&self, environment: &[(&str, &str)]) -> Supervisor {
        let mut plan = self.plan.clone();
        plan.reports = self.store.reports().last().map_or(0, |report| report.number);
        let plan = serde_json::to_vec(&plan).unwrap();
        fs::write(self.state.launch_plan(self.plan.execution), plan).unwrap();
        let log =
            File::options().create(true).append(true).open(self.folder().join("supervisor.log")).unwrap();
        let mut command = Command::new(env!("CARGO_BIN_EXE_callbox"));
        command.arg("supervise").arg("--state").arg(self.state.root()).args(["--execution", "x31"]);
        command.stdin(Stdio::piped()).stdout(log.try_clone().unwrap()).stderr(log);
        command.env("CALLBOX_STRAY", "of the store");
        command.envs(self.fault.map(|point| ("CALLBOX_FAULT", point)));
        let mut child = command.spawn().unwrap();
        let secrets = LaunchSecrets {
            supervisor_secret: Secret::mint(),
            token: Some(Secret::new(TOKEN)),
            environment: environment
                .iter()
                .map(|(name, value)| ((*name).to_owned(), Secret::new(*value)))
                .collect(),
        };
        let line = serde_json::to_string(&secrets).unwrap() + "\n";
        child.stdin.take().unwrap().write_all(line.as_bytes()).unwrap();
        Supervisor { child }
    }

    /// Starts the supervisor and waits for its end; how the agent's part ended.
    #[track_caller]
    pub(crate) fn run(&self) -> Ending {
        self.start().wait();
        self.ending()
    }

    /// How the agent's part ended, as it was reported.
    #[track_caller]
    pub(crate) fn ending(&self) -> Ending {
        let ended = self.store.reports().into_iter().find_map(|report| match report.body {
            ReportBody::AgentEnded { ending } => Some(*ending),
            _ => None,
        });
        ended.unwrap_or_else(|| panic!("no end was reported:\n{}", self.log()))
    }

    /// How the finish step ended, as it was reported.
    #[track_caller]
    pub(crate) fn finish(&self) -> Finish {
        let ended = self.store.reports().into_iter().find_map(|report| match report.body {
            ReportBody::Ended { finish } => Some(finish),
            _ => None,
        });
        ended.unwrap_or_else(|| panic!("no finish was reported:\n{}", self.log()))
    }

    /// All facts that were reported, in order.
    pub(crate) fn facts(&self) -> Vec<Fact> {
        let bodies = self.store.reports().into_iter().map(|report| report.body);
        bodies
            .filter_map(|body| match body {
                ReportBody::Facts { facts } => Some(facts),
                _ => None,
            })
            .flatten()
            .collect()
    }

    /// The execution's own folder.
    pub(crate) fn folder(&self) -> PathBuf {
        self.state.execution(self.plan.execution)
    }

    /// The sandbox.
    pub(crate) fn sandbox(&self) -> PathBuf {
        self.state.root().join("sandboxes/12/1")
    }

    /// A file that the script of the agent writes outside its sandbox.
    #[track_caller]
    pub(crate) fn wait_for(&self, name: &str) -> String {
        let path = self.repository.beside(name);
        wait_until(&format!("`{name}` is written\n{}", self.log()), SOON, || path.exists());
        fs::read_to_string(path).unwrap()
    }

    /// What the supervisor wrote down for itself.
    pub(crate) fn log(&self) -> String {
        fs::read_to_string(self.folder().join("supervisor.log")).unwrap_or_default()
    }

    /// Whether any process of the run lives.
    pub(crate) fn is_populated(&self) -> bool {
        let mark = Mark {
            execution: self.plan.execution,
            tmpdir: self.folder(),
            sandbox: self.sandbox(),
            socket: self.state.agent_socket(),
        };
        !marked(&mark).unwrap().is_empty()
    }
}

impl Supervisor {
    /// Its process id.
    pub(crate) fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Waits for its end.
    #[track_caller]
    pub(crate) fn wait(mut self) -> ExitStatus {
        let mut status = None;
        wait_until("the supervisor ends", 2 * SOON, || {
            status = self.child.try_wait().unwrap();
            status.is_some()
        });
        status.unwrap()
    }
}

impl Drop for Supervisor {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Writes an agent program that speaks as Claude Code does and does `script`, a shell script that may
/// use `begin` and `done_well`.
pub(crate) fn write_agent(program: &Path, script: &str) {
    fs::write(program, format!("{AGENT}{script}\n")).unwrap();
    fs::set_permissions(program, fs::Permissions::from_mode(0o755)).unwrap();
}

/// The fault of a run that failed.
#[track_caller]
pub(crate) fn fault(ending: &Ending) -> &callbox::vocabulary::Fault {
    match &ending.end {
        AgentEnd::Failed { fault } | AgentEnd::Unavailable { fault } => fault,
        other => panic!("the run did not fail: {other:?}"),
    }
}

/// Everything below `folder`, as text.
pub(crate) fn all_text(folder: &Path) -> String {
    let mut text = String::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            text.push_str(&all_text(&path));
        } else if let Ok(bytes) = fs::read(&path) {
            text.push_str(&String::from_utf8_lossy(&bytes));
        }
    }
    text
}
