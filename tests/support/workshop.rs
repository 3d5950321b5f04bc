//! A project, callbox's own git, and sandboxes made of the one with the other.

use std::path::{Path, PathBuf};

use callbox::sandbox::{
    BaseRequest, CreateError, CreateRequest, Created, DeliverRequest, Delivered, Git, LeftoverRequest,
    Leftovers, Project, Submodules, WorkState, commit_leftovers, create, deliver, inspect, state,
};
use callbox::vocabulary::SandboxRules;

use super::repository::{Repository, git, write};

/// The branch that all sandboxes of a workshop deliver on.
pub(crate) const BRANCH: &str = "callbox/12-mend";

/// A project and a state directory beside it.
pub(crate) struct Workshop {
    /// The project.
    pub(crate) repository: Repository,
    /// Callbox's own git.
    pub(crate) git: Git,
    /// What every sandbox gets of the project besides a clone.
    pub(crate) copy: Vec<PathBuf>,
    /// The folders that every sandbox has alone; all where empty.
    pub(crate) sparse: Vec<PathBuf>,
    /// What becomes of its submodules.
    pub(crate) submodules: Submodules,
    /// What holds for every sandbox.
    pub(crate) rules: SandboxRules,
}

/// A sandbox that was made.
pub(crate) struct Sandbox {
    /// Where it stands.
    pub(crate) directory: PathBuf,
    /// The commit it was made from.
    pub(crate) base: String,
}

impl Workshop {
    pub(crate) fn new() -> Self {
        Self::of(Repository::new())
    }

    pub(crate) fn of(repository: Repository) -> Self {
        let git = Git::new(&repository.beside("config")).unwrap().of_nobody();
        Self {
            repository,
            git,
            copy: Vec::new(),
            sparse: Vec::new(),
            submodules: Submodules::Empty,
            rules: SandboxRules::default(),
        }
    }

    pub(crate) fn project(&self) -> Project {
        inspect(&self.git, &self.repository.root()).unwrap()
    }

    /// Where the sandbox called `name` stands.
    pub(crate) fn place(&self, name: &str) -> PathBuf {
        self.repository.beside("sandboxes").join("12").join(name)
    }

    /// A sandbox of the project's HEAD.
    pub(crate) fn sandbox(&self) -> Sandbox {
        self.sandbox_from("1", BaseRequest::Head).unwrap().0
    }

    pub(crate) fn sandbox_from(
        &self,
        name: &str,
        base: BaseRequest<'_>,
    ) -> Result<(Sandbox, Created), CreateError> {
        self.make(&self.project(), name, base)
    }

    /// A sandbox of the HEAD of another project.
    pub(crate) fn sandbox_of(&self, project: &Path) -> Sandbox {
        let project = inspect(&self.git, project).unwrap();
        let name = project.root.file_name().unwrap().to_str().unwrap();
        self.make(&project, name, BaseRequest::Head).unwrap().0
    }

    pub(crate) fn make(
        &self,
        project: &Project,
        name: &str,
        base: BaseRequest<'_>,
    ) -> Result<(Sandbox, Created), CreateError> {
        let directory = self.place(name);
        let copy = &self.copy;
        let request = CreateRequest {
            project,
            directory: &directory,
            base,
            branch: BRANCH,
            copy,
            sparse: &self.sparse,
            submodules: self.submodules,
            rules: self.rules,
            all: &self.repository.beside("sandboxes"),
        };
        let created = create(&self.git, &request)?;
        Ok((Sandbox { directory, base: created.base_commit.clone() }, created))
    }

    #[track_caller]
    pub(crate) fn state(&self, sandbox: &Sandbox) -> WorkState {
        state(&self.git, &sandbox.directory, &sandbox.base).unwrap()
    }

    #[track_caller]
    pub(crate) fn commit_leftovers(&self, sandbox: &Sandbox) -> Leftovers {
        let task = "t12".parse().unwrap();
        let request = LeftoverRequest { directory: &sandbox.directory, base: &sandbox.base, task };
        commit_leftovers(&self.git, &request).unwrap()
    }

    /// Hands over what the sandbox stands on.
    #[track_caller]
    pub(crate) fn deliver(&self, sandbox: &Sandbox) -> Delivered {
        let head = self.state(sandbox).head;
        let request = DeliverRequest {
            project: &self.repository.root(),
            sandbox: &sandbox.directory,
            base: &sandbox.base,
            head: &head,
            branch: BRANCH,
        };
        deliver(&self.git, &request).unwrap()
    }
}

impl Sandbox {
    /// Writes a file as the agent would.
    pub(crate) fn write(&self, path: impl AsRef<Path>, text: impl AsRef<[u8]>) {
        write(&self.directory, path, text);
    }

    /// Commits everything as the agent would; the commit.
    pub(crate) fn commit(&self, message: &str) -> String {
        self.git(&["add", "-A"]);
        self.git(&["commit", "-q", "--allow-empty", "-m", message]);
        self.git(&["rev-parse", "HEAD"])
    }

    /// Runs the agent's git in the sandbox, which must succeed.
    #[track_caller]
    pub(crate) fn git(&self, arguments: &[&str]) -> String {
        git(&self.directory, arguments)
    }
}
