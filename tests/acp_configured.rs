//! A program that speaks the Agent Client Protocol, known by configuration alone.

use crate::support::{
    bridges::{Bridge, CLAUDE},
    cli::Desk,
    fake_model::{Script, Step},
    office::Office,
    processes::nothing_left,
};

/// As somebody would describe a program that callbox knows nothing of.
const MINE: &str = "[agents.mine]\nprotocol = 'acp'\ncommand = ['claude-agent-acp']\n\
    variables = ['ANTHROPIC_API_KEY', 'ANTHROPIC_BASE_URL']\nfolders = ['~/.claude']\npermissions = { edit = [] }\n";

fn office(script: Script) -> Option<Office> {
    let desk = Desk::new();
    desk.write("home/.config/callbox/config.toml", MINE);
    CLAUDE.office_at(desk, script)
}

#[test]
fn a_program_described_in_configuration_asks_is_answered_and_delivers_in_one_conversation() {
    let script = Script::of([
        CLAUDE.ask("Which colour?"),
        Step::say("I have asked."),
        CLAUDE.shell("echo blue > colour.txt"),
        Bridge::summary("It is blue."),
        Step::say("Done."),
    ]);
    let Some(office) = office(script) else { return };
    let task = ["run", "--agent", "mine", "--name", "colours", "--json", "-p", "Paint it."];
    let asked = office.callbox(&task).end().expect(3).json();
    nothing_left(&office.desk);
    let answered = office.callbox(&["answer", "q1", "blue", "--run", "--json"]).end().expect(0).json();
    assert_eq!(answered["summary"], "It is blue.", "{answered}");
    assert_eq!(answered["execution"]["session_id"], asked["execution"]["session_id"]);
    assert!(asked["execution"]["session_id"].is_string(), "{asked}");
    assert_eq!(office.project.git(["show", "callbox/t1-colours:colour.txt"]).trim(), "blue");
    nothing_left(&office.desk);
}

#[test]
fn what_it_cannot_be_held_to_is_refused_when_the_task_is_submitted() {
    let Some(office) = office(Script::default()) else { return };
    for (more, words) in [
        (&["--permissions", "full"][..], "permissions: full"),
        (&["--permissions", "read"], "permissions: read"),
        (&["--options", "x=y"], "`x`"),
    ] {
        let task = ["run", "--agent", "mine", "-p", "Paint it."];
        let refused = office.callbox(&[&task[..], more].concat()).end().expect(2);
        assert!(refused.stderr.contains(words), "{more:?}: {refused}");
    }
    let wrong = MINE.replace("permissions =", "lines = []\npermissions =");
    office.desk.write("home/.config/callbox/config.toml", &wrong);
    office
        .callbox(&["ls"])
        .end()
        .expect(2)
        .says("says nothing to a program that speaks the Agent Client Protocol");
}
