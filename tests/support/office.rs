//! A person with a real agent program, a project, and a model that plays a script.

use std::os::unix::fs::symlink;

use super::{
    cli::{Call, Desk},
    fake_model::{FakeModel, Script},
    programs,
    repository::Repository,
};

/// Everything around one run of an agent program.
pub(crate) struct Office {
    pub(crate) desk: Desk,
    pub(crate) project: Repository,
    pub(crate) model: FakeModel,
    agent: &'static str,
}

impl Office {
    /// With Claude Code and a model that plays `script`; `None` where the program is not installed.
    #[track_caller]
    pub(crate) fn new(script: Script) -> Option<Self> {
        Self::at(Desk::new(), script)
    }

    /// The same, at `desk`.
    #[track_caller]
    pub(crate) fn at(desk: Desk, script: Script) -> Option<Self> {
        Self::of("claude", desk, script)
    }

    /// The same with the program that callbox calls `agent`.
    #[track_caller]
    pub(crate) fn of(agent: &'static str, desk: Desk, script: Script) -> Option<Self> {
        furnish(&desk, agent)?;
        let project = Repository::on_branch("trunk");
        project.write("a.txt", "one");
        project.commit("one");
        Some(Self { desk, project, model: FakeModel::start(script).unwrap(), agent })
    }

    /// The same agent and model at `desk`, in a clone of the project; everything else of the office is gone.
    #[track_caller]
    pub(crate) fn moved_to(self, desk: Desk) -> Option<Self> {
        furnish(&desk, self.agent)?;
        Some(Self { project: self.project.cloned(), desk, ..self })
    }

    /// `callbox` in the project, with the variables that lead the program to the model.
    pub(crate) fn callbox(&self, arguments: &[&str]) -> Call {
        let variables = programs::wired(self.agent, &self.model);
        let call = self.desk.callbox(arguments).within(self.project.root());
        variables.into_iter().fold(call, |call, (name, value)| call.variable(name, value))
    }

    /// `callbox run` of a task called `colours`, with `more` arguments.
    pub(crate) fn run(&self, more: &[&str]) -> Call {
        let arguments = ["run", "--agent", self.agent, "--name", "colours", "-p", "Paint it."];
        self.callbox(&[&arguments[..], more].concat())
    }
}

/// Puts the program `agent` on the PATH of `desk`. Some programs are started by a Node, and some look for a Bash there.
#[track_caller]
fn furnish(desk: &Desk, agent: &str) -> Option<()> {
    desk.offer("bash");
    for program in [programs::program_of(agent), "node".to_owned()] {
        symlink(programs::installed(&program)?, desk.path("bin").join(program)).unwrap();
    }
    Some(())
}
