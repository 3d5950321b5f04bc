//! Commands that are given from inside a run, and what becomes of them.

use std::{
    fs,
    path::{Path, PathBuf},
    time::Duration,
};

use super::{
    cli::{CALLBOX, Desk},
    wait::wait_until,
};

/// Long enough for an agent to come as far as its command.
const PATIENCE: Duration = Duration::from_secs(60);

/// Gives the command behind its first word (the name of files for what comes of it) at once.
const AT_ONCE: &str = r#"name=$1; shift
"$@" >"$name.out" 2>"$name.err" </dev/null; echo $? >"$name.status"
"#;
/// The same in a session of its own, once whoever started it is gone; waits for that.
const ORPHANED: &str = r#"name=$1
until_so() { left=3000; until "$@" || [ "$left" = 0 ]; do left=$((left - 1)); sleep 0.02; done; }
if [ "$2" = again ]; then
  parent=$3; shift 3
  until_so [ ! -d "/proc/$parent" ]
  until_so [ -e "$name.go" ]
  "$@" >"$name.out" 2>"$name.err" </dev/null; echo $? >"$name.status"
  exit
fi
shift
sh -c 'name=$1; script=$2; shift 2; setsid sh "$script" "$name" again $$ "$@" >/dev/null 2>&1 </dev/null &' \
  sh "$name" "$0" "$@"
"#;

/// The line of a shell that waits until there is something in a file. A minute at the most: a test that
/// fails leaves nothing behind that waits for ever.
pub(crate) fn wait_for_file(path: &Path) -> String {
    let path = path.display();
    format!("left=3000; until [ -s {path} ] || [ $left = 0 ]; do left=$((left - 1)); sleep 0.02; done")
}

/// A command of callbox's that a script gives inside a run of `desk`'s.
pub(crate) struct Inside {
    folder: PathBuf,
    state: PathBuf,
    name: String,
    script: &'static str,
}

/// What became of it.
#[derive(Debug)]
pub(crate) struct Outcome {
    pub(crate) status: i32,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Inside {
    /// Given by a child of the agent's.
    pub(crate) fn child(desk: &Desk, name: &str) -> Self {
        Self::new(desk, name, AT_ONCE)
    }

    /// Given by what has left the agent's session and lost its parent, as soon as [`Inside::go`] says.
    pub(crate) fn orphan(desk: &Desk, name: &str) -> Self {
        Self::new(desk, name, ORPHANED)
    }

    fn new(desk: &Desk, name: &str, script: &'static str) -> Self {
        let folder = desk.path("inside");
        fs::create_dir_all(&folder).unwrap();
        Self { folder, state: desk.state(), name: name.to_owned(), script }
    }

    /// The line of a shell that gives `callbox` these words about the desk's own state directory.
    pub(crate) fn line(&self, words: &[&str]) -> String {
        let script = self.path(".sh");
        fs::write(&script, self.script).unwrap();
        let state = self.state.display().to_string();
        let words: Vec<&str> = [words, &["--state", &state]].concat();
        format!("sh {} {} {CALLBOX} {}", script.display(), self.path("").display(), words.join(" "))
    }

    /// The line of a shell that waits until something has become of it.
    pub(crate) fn wait_line(&self) -> String {
        wait_for_file(&self.path(".status"))
    }

    /// Lets an orphan give its command.
    pub(crate) fn go(&self) {
        fs::write(self.path(".go"), "").unwrap();
    }

    /// Waits until something has become of it.
    #[track_caller]
    pub(crate) fn outcome(&self) -> Outcome {
        let read = |what: &str| fs::read_to_string(self.path(what)).unwrap_or_default();
        wait_until("the command inside the run has ended", PATIENCE, || read(".status").ends_with('\n'));
        let status = read(".status").trim().parse().unwrap();
        Outcome { status, stdout: read(".out"), stderr: read(".err") }
    }

    /// Fails unless it was refused as an agent's, with what an agent does instead.
    #[track_caller]
    pub(crate) fn refused(&self) {
        let outcome = self.outcome();
        assert_eq!(outcome.status, 1, "{outcome:?}");
        assert!(outcome.stderr.contains("only a person may give it"), "{outcome:?}");
        assert!(outcome.stderr.contains("\nhint: an agent asks with `ask_user`"), "{outcome:?}");
        assert_eq!(outcome.stdout, "", "{outcome:?}");
    }

    fn path(&self, what: &str) -> PathBuf {
        self.folder.join(format!("{}{what}", self.name))
    }
}
