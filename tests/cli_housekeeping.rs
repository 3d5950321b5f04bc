//! What makes a machine and a project ready for callbox, end to end: completions in a real shell, a repository's file.

use std::{fs, os::unix::fs::symlink, process::Command};

use serde_json::json;

use crate::support::{
    cli::{Desk, on_the_path},
    programs::skipped,
    repository::Repository,
};

/// What bash offers for the last word of `line`, with the script of callbox's own sourced.
fn offered(script: &str, line: &str) -> Option<Vec<String>> {
    let Some(bash) = on_the_path("bash") else {
        skipped("the program `bash` is needed to complete words");
        return None;
    };
    let words: Vec<&str> = line.split(' ').collect();
    let asked = format!(
        "{script}\nCOMP_WORDS=({})\nCOMP_CWORD={}\n_callbox callbox {} {}\nprintf '%s\\n' \"${{COMPREPLY[@]}}\"\n",
        words.iter().map(|word| format!("'{word}'")).collect::<Vec<_>>().join(" "),
        words.len() - 1,
        format_args!("'{}'", words[words.len() - 1]),
        format_args!("'{}'", words[words.len() - 2]),
    );
    let output = Command::new(bash).args(["--norc", "--noprofile", "-c", &asked]).output().unwrap();
    assert!(output.stderr.is_empty(), "{}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8(output.stdout).unwrap();
    Some(text.split_whitespace().map(str::to_owned).collect())
}

#[test]
fn bash_completes_commands_flags_and_fixed_values() {
    let desk = Desk::new();
    let script = desk.callbox(["completions", "bash"]).end().expect(0).stdout;
    let Some(commands) = offered(&script, "callbox ans") else { return };
    assert_eq!(commands, ["answer"]);
    assert_eq!(offered(&script, "callbox answer q1 --opt").unwrap(), ["--option"]);
    assert_eq!(offered(&script, "callbox completions z").unwrap(), ["zsh"]);
    for (line, words) in [
        ("run --deliver ", "branch merge patch none"),
        ("submit --permissions e", "edit"),
        ("run --isolation ", "auto none landlock"),
        (
            "run --agent ",
            "claude codex gemini claude-acp codex-acp gemini-acp scripted copilot opencode qwen any",
        ),
        ("run --review ", "yes no"),
        ("ls --in r", "running ready"),
        ("mcp-config --for c", "claude codex"),
        ("doctor --agent s", "scripted"),
        ("doctor --agent q", "qwen"),
    ] {
        let offered = offered(&script, &format!("callbox {line}")).unwrap();
        assert_eq!(offered.join(" "), words, "{line}");
    }
    assert!(offered(&script, "callbox superv").unwrap().is_empty(), "hidden commands are nobody's to type");
}

#[test]
fn every_shell_that_is_offered_gets_a_script_of_its_own_and_no_other_does() {
    let desk = Desk::new();
    for (shell, mark) in
        [("bash", "complete -F _callbox"), ("zsh", "#compdef callbox"), ("fish", "complete -c callbox")]
    {
        let script = desk.callbox(["completions", shell]).end().expect(0).stdout;
        assert!(script.contains(mark), "{shell}");
    }
    let _ = desk.callbox(["completions", "tcsh"]).end().expect(2);
    assert!(!desk.state().exists(), "no store is asked");
}

#[test]
fn a_new_file_of_a_repository_says_nothing_until_its_marks_are_taken_off() {
    let (desk, project) = (Desk::new(), Repository::new());
    let file = project.root().join(".callbox.toml");
    fs::create_dir_all(project.root().join("deep")).unwrap();
    let begun = desk.callbox(["init", "--json"]).within(project.root().join("deep")).end().expect(0);
    assert_eq!(begun.json(), json!({"project": project.root(), "file": file}));
    let _ = begun.says("callbox trust");
    project.commit("of its own");
    let root = project.root().display().to_string();
    let _ = desk.callbox(["trust", "-C", &root]).end().expect(0);
    let run = ["run", "-C", &root, "--agent", "scripted", "--json", "-p", "- print: x"];
    let ended = desk.callbox(run).end().expect(0);
    assert!(!ended.stderr.contains("trust") && ended.json()["verify"].is_null(), "{ended}");
    let marked = fs::read_to_string(&file).unwrap();
    fs::write(&file, marked.replace("#verify = \"npm test\"", "verify = \"echo mine\"")).unwrap();
    project.commit("with a check");
    let _ = desk.callbox(["trust", "-C", &root]).end().expect(0);
    assert_eq!(desk.callbox(run).end().expect(0).json()["verify"]["tail"], "mine\n");
}

#[test]
fn no_file_of_a_repository_is_written_over_nor_made_where_no_repository_is() {
    let (desk, project) = (Desk::new(), Repository::new());
    let root = project.root().display().to_string();
    project.write(".callbox.toml", "mine");
    let _ = desk.callbox(["init", "-C", &root]).end().expect(1).says("is there already and stays as it is");
    assert_eq!(fs::read_to_string(project.root().join(".callbox.toml")).unwrap(), "mine");
    // Not even through a link that leads nowhere yet.
    fs::remove_file(project.root().join(".callbox.toml")).unwrap();
    symlink(desk.path("elsewhere"), project.root().join(".callbox.toml")).unwrap();
    let _ = desk.callbox(["init", "-C", &root]).end().expect(1).says("is there already");
    assert!(!desk.path("elsewhere").exists());
    let none = desk.callbox(["init"]).end().expect(69).says("hint: run `git init` there");
    assert!(!none.stderr.contains("--no-project"), "it is no flag of this command: {none}");
    assert!(!desk.path("home/.callbox.toml").exists());
}

#[test]
fn a_repository_is_begun_before_anything_is_committed_there() {
    let (desk, project) = (Desk::new(), Repository::unborn("main"));
    let _ = desk.callbox(["init"]).within(project.root()).end().expect(0).says("callbox trust");
    assert!(project.root().join(".callbox.toml").is_file());
    let run = ["run", "--agent", "scripted", "-p", "- print: x"];
    let none = desk.callbox(run).within(project.root()).end().expect(69);
    let _ = none.says("has no commit yet").says("`--no-project` leaves it out");
}
