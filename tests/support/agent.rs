//! A real agent program, started as its adapter says and read by its adapter's reader, with a fake
//! model behind it, the real shim beside it and a home of its own.

use std::{
    collections::BTreeMap,
    fs,
    io::{BufRead as _, BufReader, Read as _, Write as _},
    os::unix::{fs::OpenOptionsExt as _, process::ExitStatusExt as _},
    path::{Path, PathBuf},
    process::{Child, Command, ExitStatus, Stdio},
    sync::mpsc::{Receiver, RecvTimeoutError, channel},
    thread,
};

use callbox::{
    agents::{
        Adapter, AgentCommand, Beforehand, Catalogue, Conclusion, Launch, Read, Session, StopSignal, User,
        preamble,
    },
    ids::{ExecutionNumber, Secret, UniqueId},
    vocabulary::{AgentEnd, Exit, Fact, Isolation, Message, Permissions, Usage},
};
use rustix::process::{Pid, Signal, kill_process};
use tempfile::TempDir;

use super::{
    fake_model::{FakeModel, Script},
    programs,
    raw_store::{RawStore, TOKEN},
    shim::SHIM,
    wait::SOON,
};

/// One agent's surroundings; several runs may follow one another in them.
pub(crate) struct Desk {
    pub(crate) model: FakeModel,
    pub(crate) store: RawStore,
    agents: Catalogue,
    agent: String,
    program: PathBuf,
    folder: TempDir,
    /// Beyond what every run is given.
    pub(crate) environment: BTreeMap<String, String>,
}

/// What a launch refers to.
struct Place {
    work: PathBuf,
    execution: PathBuf,
    socket: PathBuf,
    token: Secret,
    preamble: String,
    values: BTreeMap<String, Secret>,
    environment: BTreeMap<String, Secret>,
}

/// What a run is asked for.
pub(crate) struct Order {
    pub(crate) message: Message,
    pub(crate) model: Option<&'static str>,
    pub(crate) resume: Option<String>,
    /// What the conversation used before.
    pub(crate) used: Usage,
    pub(crate) permissions: Permissions,
    pub(crate) options: BTreeMap<String, String>,
    pub(crate) shim: PathBuf,
    /// Given in the place of what the adapter would give.
    pub(crate) raw_input: Option<&'static str>,
}

/// A run that has ended.
pub(crate) struct Run {
    pub(crate) lines: Vec<Vec<u8>>,
    pub(crate) read: Vec<Read>,
    pub(crate) hopeless: Option<AgentEnd>,
    pub(crate) exit: Exit,
    pub(crate) conclusion: Conclusion,
}

impl Desk {
    /// Surroundings of Claude Code in which the model plays `script`; `None` where it is not installed.
    #[track_caller]
    pub(crate) fn new(script: Script) -> Option<Self> {
        Self::of("claude", script)
    }

    /// The same of the agent program that callbox calls `agent`.
    #[track_caller]
    pub(crate) fn of(agent: &str, script: Script) -> Option<Self> {
        let found = programs::installed(&programs::program_of(agent))?;
        let folder = tempfile::tempdir().unwrap();
        for part in ["home", "work", "tmp", "execution"] {
            fs::create_dir(folder.path().join(part)).unwrap();
        }
        let model = FakeModel::start(script).unwrap();
        let (agents, variables) = (programs::shipped(), programs::wired(agent, &model));
        let adapter = agents.find(agent).expect("callbox knows it");
        let behind = adapter.behind(&found.canonicalize().unwrap()).into_iter().find(|path| path.exists());
        let program = behind.unwrap_or(found);
        let environment = variables.into_iter().map(|(name, value)| (name.to_owned(), value)).collect();
        let agent = agent.to_owned();
        Some(Self { model, store: RawStore::present(), agents, agent, program, folder, environment })
    }

    /// Where the agent works.
    pub(crate) fn work(&self) -> PathBuf {
        self.folder.path().join("work")
    }

    /// A path beside everything the agent is given.
    pub(crate) fn beside(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Runs the program to its end. As a supervisor does, it is stopped once its reader says that nothing
    /// good can come.
    #[track_caller]
    pub(crate) fn run(&self, order: &Order) -> Run {
        self.run_until(order, |_| false)
    }

    /// The same, and stopped once `enough` says so of something read.
    #[track_caller]
    pub(crate) fn run_until(&self, order: &Order, enough: impl Fn(&Read) -> bool) -> Run {
        let place = Place {
            work: self.work(),
            execution: self.beside("execution"),
            socket: self.store.socket(),
            token: Secret::new(TOKEN),
            preamble: preamble(self.adapter()),
            values: BTreeMap::new(),
            environment: self.run_environment(),
        };
        let command = self.adapter().command(&self.launch(order, &place)).unwrap();
        let mut child = self.spawn(&command, order.raw_input);
        let lines = lines_of(&mut child);
        let beforehand = Beforehand { permissions: order.permissions, used: order.used.clone() };
        let mut reader = self.adapter().reader(&beforehand);
        let mut run = (Vec::new(), Vec::new());
        let mut stopped = false;
        let mut hopeless = None;
        loop {
            match lines.recv_timeout(2 * SOON) {
                Ok(line) => {
                    let read = reader.line(&line);
                    hopeless = hopeless.or_else(|| reader.hopeless());
                    if !stopped && (hopeless.is_some() || read.iter().any(&enough)) {
                        stopped = true;
                        kill_process(Pid::from_child(&child), self.stop_signal()).unwrap();
                    }
                    run.0.push(line);
                    run.1.extend(read);
                }
                Err(RecvTimeoutError::Disconnected) => break,
                Err(RecvTimeoutError::Timeout) => {
                    child.kill().unwrap();
                    panic!("{} neither spoke nor ended: {:?}", self.agent, run.1);
                }
            }
        }
        let mut stderr = String::new();
        child.stderr.take().unwrap().read_to_string(&mut stderr).unwrap();
        run.1.extend(stderr.lines().flat_map(|line| reader.complaint(line.as_bytes())));
        let exit = exit(child.wait().unwrap());
        for file in &command.files {
            fs::remove_file(&file.path).unwrap();
        }
        let conclusion = reader.conclude(exit, &stderr);
        Run { lines: run.0, read: run.1, hopeless, exit, conclusion }
    }

    fn adapter(&self) -> &dyn Adapter {
        self.agents.find(&self.agent).expect("it was found before")
    }

    /// The environment of a run, without what the adapter adds.
    fn run_environment(&self) -> BTreeMap<String, Secret> {
        let own = [
            ("HOME", self.beside("home").display().to_string()),
            // Some programs are started by a Node beside them.
            ("PATH", format!("{}:/usr/local/bin:/usr/bin:/bin", self.program.parent().unwrap().display())),
            ("LANG", "C.UTF-8".to_owned()),
            ("TMPDIR", self.beside("tmp").display().to_string()),
        ];
        let own = own.into_iter().map(|(name, value)| (name.to_owned(), value));
        let all = own.chain(self.environment.clone());
        all.map(|(name, value)| (name, Secret::new(value))).collect()
    }

    fn stop_signal(&self) -> Signal {
        match self.adapter().stop_signal() {
            StopSignal::Interrupt => Signal::INT,
            StopSignal::Terminate => Signal::TERM,
        }
    }

    fn launch<'a>(&'a self, order: &'a Order, place: &'a Place) -> Launch<'a> {
        Launch {
            program: &self.program,
            directory: &place.work,
            folder: &place.execution,
            shim: &order.shim,
            socket: &place.socket,
            token: &place.token,
            execution: ExecutionNumber::new(31),
            model: order.model,
            permissions: order.permissions,
            isolation: &Isolation::None,
            environment: &place.environment,
            options: &order.options,
            servers: &[],
            values: &place.values,
            cost_left_usd: None,
            session: order.resume.as_deref().map_or_else(|| Session::New(UniqueId::mint()), Session::Resume),
            message: &order.message,
            preamble: &place.preamble,
            user: User::current(),
        }
    }

    fn spawn(&self, command: &AgentCommand, raw_input: Option<&str>) -> Child {
        for file in &command.files {
            fs::create_dir_all(file.path.parent().unwrap()).unwrap();
            let mut open = fs::OpenOptions::new();
            let mut opened = open.write(true).create_new(true).mode(0o600).open(&file.path).unwrap();
            opened.write_all(file.contents.expose().as_bytes()).unwrap();
        }
        // What callbox starts of itself is its own program, and here that of the tests.
        let own = command.program == Path::new("/proc/self/exe");
        let program = if own { Path::new(env!("CARGO_BIN_EXE_callbox")) } else { &command.program };
        let mut child = Command::new(program)
            .args(&command.arguments)
            .env_clear()
            .envs(self.run_environment().iter().map(|(name, value)| (name, value.expose())))
            .envs(command.environment.iter().map(|(name, value)| (name, value.expose())))
            .current_dir(self.work())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let input = raw_input.map_or(command.input.as_slice(), str::as_bytes);
        child.stdin.take().unwrap().write_all(input).unwrap();
        child
    }
}

impl Order {
    /// A new conversation in callbox's own words.
    pub(crate) fn new(words: &str) -> Self {
        Self {
            message: Message::own(format!("callbox: {words}")),
            model: None,
            resume: None,
            used: Usage::default(),
            permissions: Permissions::Edit,
            options: BTreeMap::new(),
            shim: SHIM.into(),
            raw_input: None,
        }
    }

    /// The conversation `session` goes on.
    pub(crate) fn resume(session: &str, words: &str) -> Self {
        Self { resume: Some(session.to_owned()), ..Self::new(words) }
    }

    /// The same under other permissions.
    pub(crate) fn permitted(self, permissions: Permissions) -> Self {
        Self { permissions, ..self }
    }
}

impl Run {
    /// The words of its failure, which must have the code `code`.
    #[track_caller]
    pub(crate) fn failure(&self, code: &str) -> &str {
        match &self.conclusion.end {
            AgentEnd::Failed { fault } if fault.code == code => &fault.message,
            other => panic!("expected a failure `{code}`: {other:?}"),
        }
    }

    /// Fails unless it finished well.
    #[track_caller]
    pub(crate) fn finished(&self) {
        assert_eq!(self.conclusion.end, AgentEnd::Finished, "{:?}", self.read);
        assert_eq!(self.exit, Exit::Code(0));
        assert!(self.conclusion.turn_taken);
    }

    /// The facts, in order.
    pub(crate) fn facts(&self) -> Vec<&Fact> {
        self.read
            .iter()
            .filter_map(|read| if let Read::Fact(fact) = read { Some(fact) } else { None })
            .collect()
    }

    /// The session, which must be known.
    #[track_caller]
    pub(crate) fn session(&self) -> String {
        self.conclusion.session.clone().expect("the session is known")
    }

    /// What was used.
    pub(crate) fn usage(&self) -> &Usage {
        &self.conclusion.usage
    }

    /// What was denied: tool, input, how often.
    pub(crate) fn denied(&self) -> Vec<(&str, &str, u32)> {
        let kinds = self.conclusion.denials.iter();
        kinds.map(|kind| (kind.tool.as_str(), kind.input.as_str(), kind.count)).collect()
    }

    /// Keeps the output as a fixture, without what tells of this machine, where
    /// `CALLBOX_RECORD_FIXTURES` names the folder.
    pub(crate) fn record(&self, desk: &Desk, name: &str) {
        let Some(folder) = std::env::var_os("CALLBOX_RECORD_FIXTURES") else { return };
        let mut text = String::new();
        for line in &self.lines {
            text.push_str(&String::from_utf8_lossy(line));
            text.push('\n');
        }
        let slug = desk.work().display().to_string().replace(['/', '.'], "-");
        for (from, to) in [
            (desk.folder.path().display().to_string(), "/desk"),
            (slug, "-desk-work"),
            (desk.model.url(), "http://127.0.0.1:1"),
            (desk.model.url().replace("http://", ""), "127.0.0.1:1"),
            (SHIM.to_owned(), "/bin/callbox-mcp"),
        ] {
            text = text.replace(&from, to);
        }
        fs::write(Path::new(&folder).join(format!("{name}.jsonl")), text).unwrap();
    }
}

fn lines_of(child: &mut Child) -> Receiver<Vec<u8>> {
    let (sender, lines) = channel();
    let stdout = BufReader::new(child.stdout.take().unwrap());
    thread::spawn(move || {
        for line in stdout.split(b'\n') {
            if line.map(|line| sender.send(line)).is_err() {
                return;
            }
        }
    });
    lines
}

fn exit(status: ExitStatus) -> Exit {
    status.code().map_or_else(|| Exit::Signal(status.signal().unwrap_or(0)), Exit::Code)
}
