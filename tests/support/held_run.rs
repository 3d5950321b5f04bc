//! Executions that go on for as long as a test wants to speak in their name.

use std::process::Command;

use serde_json::{Value, json};

use super::{
    cli::Desk,
    processes::{kill_all, processes, variable},
    resident::Resident,
    shim::{Shim, shim_command, tool_result},
    wait::{SOON, wait_until},
};

/// A resident store and the runs of scripted agents that have said "at work" and wait. Dropped,
/// everything is killed.
pub(crate) struct HeldRuns {
    /// Where it all stands.
    pub(crate) desk: Desk,
    store: Option<Resident>,
}

/// One of them: the task and the execution, with the token that its agent was given.
#[derive(Debug, Clone)]
pub(crate) struct HeldRun {
    /// The task's number.
    pub(crate) task: String,
    /// The execution's.
    pub(crate) execution: String,
    /// Its secret.
    pub(crate) token: String,
}

impl HeldRuns {
    /// A store under this configuration, without a run.
    pub(crate) fn under(configuration: &str) -> Self {
        Self::at(Desk::new(), configuration)
    }

    /// As [`HeldRuns::under`], at this desk.
    pub(crate) fn at(desk: Desk, configuration: &str) -> Self {
        desk.write("home/.config/callbox/config.toml", configuration);
        let store = Some(Resident::start(&desk));
        Self { desk, store }
    }

    /// A store, and one run.
    pub(crate) fn one() -> (Self, HeldRun) {
        let runs = Self::under("");
        let run = runs.begin();
        (runs, run)
    }

    /// One run more. It is not isolated: the tests speak for it from outside.
    #[track_caller]
    pub(crate) fn begin(&self) -> HeldRun {
        self.begin_under("none")
    }

    /// One run more under this isolation.
    #[track_caller]
    pub(crate) fn begin_under(&self, isolation: &str) -> HeldRun {
        let steps = "- progress: at work\n- sleep: 600s";
        let submit = ["submit", "-p", steps, "--agent", "scripted", "--no-project", "--isolation", isolation];
        let task = self.desk.callbox(submit).end().expect(0).stdout.trim().to_owned();
        wait_until("the agent works", SOON, || self.said(&task) == ["at work"]);
        let execution = self.show(&task)["execution"]["number"].as_str().unwrap().to_owned();
        let own = |pid: &u32| variable(*pid, "CALLBOX_EXECUTION").as_ref() == Some(&execution);
        let mut pids = processes(&self.desk).into_iter().map(|(pid, _)| pid).filter(own);
        let token = pids.find_map(|pid| variable(pid, "CALLBOX_TOKEN")).expect("its shim has the token");
        HeldRun { task, execution, token }
    }

    /// A command for a shim that speaks in the name of whoever holds `token`.
    pub(crate) fn shim_command(&self, token: &str) -> Command {
        let mut command = shim_command();
        let socket = self.desk.state().join("agent/agent.sock");
        command.env("CALLBOX_SOCKET", socket).env("CALLBOX_TOKEN", token);
        command
    }

    /// A shim that speaks in the name of whoever holds `token`, with its connection opened.
    pub(crate) fn shim(&self, token: &str) -> Shim {
        Shim::from(self.shim_command(token)).initialize()
    }

    /// What `show` prints of a task.
    #[track_caller]
    pub(crate) fn show(&self, task: &str) -> Value {
        self.desk.callbox(["show", task, "--json"]).end().expect(0).json()
    }

    /// The calls of a task's runs, as rows.
    #[track_caller]
    pub(crate) fn signals(&self, task: &str) -> Vec<Value> {
        self.show(task)["signals"].as_array().unwrap().clone()
    }

    /// What a task's runs recorded as progress.
    #[track_caller]
    pub(crate) fn said(&self, task: &str) -> Vec<String> {
        let signals = self.signals(task);
        let said = signals.iter().filter_map(|signal| signal["arguments"]["message"].as_str());
        said.map(str::to_owned).collect()
    }

    /// Ends a run as a person does, and waits until it has ended.
    #[track_caller]
    pub(crate) fn cancel(&self, run: &HeldRun) {
        self.desk.callbox(["cancel", &run.task]).end().expect(0);
        wait_until("the run has ended", SOON, || self.show(&run.task)["task"]["state"] == "cancelled");
    }

    /// The store's process id.
    pub(crate) fn store(&self) -> u32 {
        self.store.as_ref().unwrap().pid()
    }

    /// Kills the store; the runs go on.
    pub(crate) fn kill_store(&mut self) {
        self.store.take().unwrap().kill();
    }

    /// Starts a store where the last one was killed.
    #[track_caller]
    pub(crate) fn start_store(&mut self) {
        self.store = Some(Resident::start(&self.desk));
    }
}

impl Drop for HeldRuns {
    fn drop(&mut self) {
        self.store = None;
        kill_all(&self.desk);
    }
}

/// Calls a tool as a client does that names its calls.
#[track_caller]
pub(crate) fn call_named(shim: &mut Shim, name: &str, tool: &str, arguments: &Value) -> (bool, String) {
    tool_result(&shim.ask("tools/call", &named_call(name, tool, arguments)))
}

/// The parameters of such a call.
pub(crate) fn named_call(name: &str, tool: &str, arguments: &Value) -> Value {
    json!({"name": tool, "arguments": arguments, "_meta": {"claudecode/toolUseId": name}})
}
