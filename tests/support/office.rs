//! A person with the real Claude Code, a project, and a model that plays a script.

use std::os::unix::fs::symlink;

use super::{
    cli::{Call, Desk},
    fake_model::{FakeModel, Script},
    programs,
    repository::Repository,
};

/// Everything around one run of Claude Code.
pub(crate) struct Office {
    pub(crate) desk: Desk,
    pub(crate) project: Repository,
    pub(crate) model: FakeModel,
}

impl Office {
    /// With a model that plays `script`; `None` where the program is not installed.
    #[track_caller]
    pub(crate) fn new(script: Script) -> Option<Self> {
        Self::at(Desk::new(), script)
    }

    /// The same, at `desk`.
    #[track_caller]
    pub(crate) fn at(desk: Desk, script: Script) -> Option<Self> {
        symlink(programs::claude()?, desk.path("bin/claude")).unwrap();
        let project = Repository::on_branch("trunk");
        project.write("a.txt", "one");
        project.commit("one");
        Some(Self { desk, project, model: FakeModel::start(script).unwrap() })
    }

    /// `callbox` in the project, with the variables that lead Claude Code to the model.
    pub(crate) fn callbox(&self, arguments: &[&str]) -> Call {
        self.desk
            .callbox(arguments)
            .within(self.project.root())
            .variable("ANTHROPIC_BASE_URL", self.model.url())
            .variable("ANTHROPIC_API_KEY", "sk-ant-dummy")
            .variable("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1")
            .variable("CLAUDE_CODE_MAX_RETRIES", "1")
    }

    /// `callbox run` of a task called `colours`, with `more` arguments.
    pub(crate) fn run(&self, more: &[&str]) -> Call {
        let arguments = ["run", "--agent", "claude", "--name", "colours", "-p", "Paint it."];
        self.callbox(&[&arguments[..], more].concat())
    }
}
