//! What isolation stops: everything is tried from inside a run, once isolated and once not, and the outcome
//! stands as a table in ARCHITECTURE.md.

use std::fs;

use crate::support::{
    cli::Desk,
    held_run::{HeldRun, HeldRuns},
    landlock,
    processes::{processes, variable},
    repository::Repository,
    shim::SHIM,
    supervised::write_agent,
};

/// What is tried: a sentence, the lines of a shell that end well where it works, and whether it works with
/// isolation and without. `$S` is the state directory, `$N` the own execution's number, `$token` the own
/// token, `$pid` a process of another run, `$theirs` that run's token, `$project` the person's project.
const TRIED: [(&str, &str, [bool; 2]); 21] = [
    ("answer its own question", "$callbox answer q1 red --state $S", [false, false]),
    ("open the database", "cat $S/callbox.db", [false, true]),
    ("list the state directory", "set -- $S/executions/*; [ -e \"$1\" ]", [false, true]),
    ("report in its supervisor's name", "echo >> $S/executions/$N/spool.jsonl", [false, true]),
    ("read another run's token from its folder", "cat $S/executions/1/mcp.json", [false, true]),
    ("read another run's token from its process", "[ -n \"$(cat /proc/$pid/environ)\" ]", [false, true]),
    (
        "speak for another run with its token",
        "CALLBOX_TOKEN=$theirs $shim call record_progress '{\"message\": \"forged\"}'",
        [false, true],
    ),
    ("signal its supervisor", "kill -CONT $PPID", [false, true]),
    ("signal another run", "kill -CONT $pid", [false, true]),
    ("read another sandbox", "cat $S/sandboxes/1/1/theirs", [false, true]),
    ("write into another sandbox", "echo x >> $S/sandboxes/1/1/theirs", [false, true]),
    ("write `~/.bashrc`", "echo x >> $HOME/.bashrc", [false, true]),
    ("write into the project itself", "echo x >> $project/README.md", [false, true]),
    ("read the person's files", "cat $HOME/.bashrc $project/README.md", [true, true]),
    ("change its program's own configuration", "echo {} > $HOME/.claude/settings.json", [true, true]),
    ("write in its sandbox and its TMPDIR", "echo x > mine && echo x > $TMPDIR/mine", [true, true]),
    (
        "speak for itself",
        "CALLBOX_TOKEN=$token $shim call record_progress '{\"message\": \"mine\"}'",
        [true, true],
    ),
    // Whether it lives behind the run is looked at from outside.
    (
        "leave a process behind",
        "env -i /bin/sh -c 'setsid /bin/sh -c \"exec 0<&- 1>&- 2>&-; sleep 600 & echo \\$! >left; wait\" &'; \
         until [ -s left ]; do sleep 0.02; done",
        [false, false],
    ),
    (
        "fill the disk through calls",
        "i=0; while [ $i -lt 60 ]; do i=$((i+1)); \
         CALLBOX_TOKEN=$token $shim call record_progress '{\"message\": \"more\"}' || exit 1; done",
        [false, false],
    ),
    // How much of it is kept is looked at from outside.
    ("fill the disk through its output", "head -c 20000000 /dev/zero >&3", [false, false]),
    ("fill the disk through files", "head -c 200000000 /dev/zero >large; sleep 60", [false, false]),
];

/// Where in [`TRIED`] that stands of which the agent itself sees no end.
const LEFT: usize = 17;
const OUTPUT: usize = 19;

/// What these runs may call and take.
const CAPS: &str = "[limits]\nsignals = 40\n[sandbox]\nmax_each = \"64MiB\"\n";
/// More than is kept of a run's output.
const MUCH: u64 = 10 << 20;

/// The agent: tries everything and notes in its sandbox what worked.
fn trying(runs: &HeldRuns, other: &HeldRun, project: &Repository) {
    let own = |pid: &u32| variable(*pid, "CALLBOX_TOKEN").as_ref() == Some(&other.token);
    let pid = processes(&runs.desk).into_iter().map(|(pid, _)| pid).find(own).unwrap();
    let mut script = format!(
        "S={} N=${{CALLBOX_EXECUTION#x}} pid={pid} theirs={} project={} shim={SHIM} callbox={}\n\
         export CALLBOX_SOCKET=$S/agent/agent.sock\n\
         token=$(cat $S/executions/$N/mcp.json); token=${{token#*CALLBOX_TOKEN\\\":\\\"}}; token=${{token%%\\\"*}}\n\
         exec 3>&2\n\
         CALLBOX_TOKEN=$token $shim call ask_user '{{\"question\": \"Which?\"}}' >&2\n",
        runs.desk.state().display(),
        other.token,
        project.root().display(),
        crate::support::cli::CALLBOX,
    );
    let lines = TRIED.iter().enumerate().map(|(place, (_, lines, _))| {
        format!(
            "if ( {lines} ) >/dev/null 2>$TMPDIR/why; then echo {place} >> worked; \
             else echo {place}: >&2; cat $TMPDIR/why >&2; fi\n"
        )
    });
    script.extend(lines);
    write_agent(&runs.desk.path("bin/claude"), &(script + "begin; done_well"));
}

/// Tries everything under `isolation` at `desk`; what worked.
fn tried(isolation: &str, desk: Desk) -> Vec<bool> {
    for program in ["head", "setsid"] {
        desk.offer(program);
    }
    let runs = HeldRuns::at(desk, CAPS);
    let other = runs.begin_under(isolation);
    let project = Repository::new();
    fs::write(runs.desk.state().join("sandboxes/1/1/theirs"), "theirs").unwrap();
    runs.desk.write("home/.bashrc", "alias x=y\n");
    runs.desk.write("home/.claude/settings.json", "{}");
    trying(&runs, &other, &project);
    let root = project.root();
    let run = ["run", "--agent", "claude", "-p", "Try it.", "--isolation", isolation, "--json"];
    let run = runs.desk.callbox(run).within(&root).variable("ANTHROPIC_API_KEY", "sk-ant-dummy");
    let ended = run.end().expect(3);
    let worked = fs::read_to_string(runs.desk.state().join("sandboxes/2/1/worked")).unwrap_or_default();
    let words = fs::read(runs.desk.state().join("executions/2/agent.stderr.log")).unwrap();
    let kept = words.len() as u64;
    println!("{isolation}: {worked:?}\n{}", String::from_utf8_lossy(&words[..words.len().min(4096)]));
    let left = fs::read_to_string(runs.desk.state().join("sandboxes/2/1/left")).unwrap_or_default();
    let left: u32 = left.trim().parse().expect("it left a process");
    assert_eq!(ended.json()["questions"][0]["state"], "open", "{ended}");
    let said = runs.said(&other.task);
    assert_eq!(said.contains(&"forged".to_owned()), worked.lines().any(|place| place == "6"), "{said:?}");
    let seen = |place: usize| worked.lines().any(|line| line == place.to_string());
    assert!(seen(LEFT) && seen(OUTPUT), "neither was tried");
    let words = fs::read_to_string(runs.desk.state().join("executions/2/transcript.log")).unwrap();
    assert!(words.contains("`sandbox.max_each` of the configuration is 64 MiB"), "{words}");
    let outcome = |place| match place {
        LEFT => std::path::Path::new(&format!("/proc/{left}")).exists(),
        OUTPUT => kept > MUCH,
        place => seen(place),
    };
    (0..TRIED.len()).map(outcome).collect()
}

/// The table as it stands in ARCHITECTURE.md.
fn table(outcome: &[(bool, bool)]) -> String {
    let word = |works| if works { "possible" } else { "refused" };
    let mut table =
        "| from inside a run | `isolation: landlock` | `isolation: none` |\n|---|---|---|\n".to_owned();
    let rows = TRIED
        .iter()
        .zip(outcome)
        .map(|((what, ..), (with, without))| format!("| {what} | {} | {} |\n", word(*with), word(*without)));
    table.extend(rows);
    table
}

/// Both columns, found at desks of this kind.
fn found(desk: impl Fn() -> Option<Desk>) -> Option<String> {
    let without = tried("none", desk()?);
    let with = match landlock::needed() {
        Some(_) => tried("landlock", desk()?),
        None => TRIED.iter().map(|(.., [with, _])| *with).collect(),
    };
    let found: Vec<_> = with.into_iter().zip(without).collect();
    Some(table(&found))
}

fn expected() -> String {
    table(&TRIED.iter().map(|(.., [with, without])| (*with, *without)).collect::<Vec<_>>())
}

#[test]
fn what_isolation_stops_is_what_the_table_says() {
    let documented = fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/ARCHITECTURE.md")).unwrap();
    assert!(documented.contains(&expected()), "ARCHITECTURE.md needs this table:\n{}", expected());
    let found = found(|| Some(Desk::new())).unwrap();
    println!("{found}");
    assert_eq!(found, expected());
}

#[test]
fn an_ordinary_user_is_stopped_from_the_same() {
    let Some(found) = found(Desk::of_an_ordinary_user) else { return };
    println!("{found}");
    assert_eq!(found, expected());
}
