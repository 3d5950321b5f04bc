//! The doctor looks at every part and says what to do about it.

use crate::support::cli::Desk;

#[test]
fn every_part_has_its_finding() {
    let desk = Desk::new();
    let findings = desk.callbox(["doctor", "--json"]).end().json();
    let level = |check: &str| {
        let found = findings.as_array().unwrap().iter().find(|finding| finding["check"] == check);
        found.unwrap_or_else(|| panic!("no `{check}` in {findings}"))["level"].as_str().unwrap().to_owned()
    };
    assert_eq!(level("git"), "ok", "{findings}");
    assert_eq!(level("shim"), "ok", "{findings}");
    assert_eq!(level("scripted"), "ok", "{findings}");
    assert_eq!(level("claude"), "warn", "{findings}");
}

#[test]
fn without_a_configuration_file_the_place_for_one_is_named() {
    let desk = Desk::new();
    let said = desk.callbox(["doctor"]).end();
    let path = desk.path("home/.config/callbox/config.toml");
    let found = format!("configuration there is none at `{}`; the defaults hold", path.display());
    assert!(said.stdout.contains(&found), "no {found:?} in\n{said}");
    let lost = desk.callbox(["doctor", "--state", "here"]).variable("HOME", "").end();
    assert!(lost.stdout.contains("HOME is not set"), "{lost}");
}

#[test]
fn a_missing_git_is_found_and_fails() {
    let desk = Desk::new();
    let ended = desk.callbox(["doctor"]).variable("PATH", desk.path("tmp")).end().expect(69);
    assert!(ended.stdout.contains("fail  git"), "{ended}");
    assert!(ended.stdout.contains("not checked: "), "{ended}");
}
