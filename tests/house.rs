//! The rules of ARCHITECTURE.md that can be held: who imports whom, which room names which crate, how
//! long a file is, and that every test file is run.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
};

use crate::support::sources::{code, is_test, root, sources};

/// Room → the rooms it may import. Every room may import `ids`, `vocabulary` and `layout`.
const LAYERS: &[(&str, &[&str])] = &[
    ("ids", &[]),
    ("vocabulary", &[]),
    ("layout", &[]),
    ("log", &[]),
    ("document", &[]),
    ("domain", &[]),
    ("fake_model", &[]),
    ("protocol", &[]),
    ("process", &[]),
    ("sandbox", &[]),
    ("isolation", &[]),
    ("acp", &["process"]),
    ("agents", &["scripted", "acp"]),
    ("archive", &[]),
    ("client", &["protocol"]),
    ("shim", &["client", "protocol", "process"]),
    ("database", &["domain"]),
    ("store", &["database", "domain", "protocol", "process", "isolation"]),
    ("supervisor", &["agents", "sandbox", "client", "protocol", "process", "isolation", "log"]),
    ("scripted", &["document", "process"]),
    ("taskfile", &["document"]),
    ("settings", &["document", "domain", "taskfile"]),
    ("foreseen", &["document"]),
    ("host", &["client", "store"]),
    (
        "cli",
        &[
            "host",
            "client",
            "protocol",
            "taskfile",
            "settings",
            "foreseen",
            "agents",
            "sandbox",
            "process",
            "isolation",
            "fake_model",
            "log",
            "archive",
        ],
    ),
];
const EVERYONES: &[&str] = &["ids", "vocabulary", "layout"];

/// Crate → the rooms that may name it.
const CRATES: &[(&str, &[&str])] = &[
    ("rusqlite", &["database"]),
    ("axum", &["store", "fake_model"]),
    ("rmcp", &["shim", "scripted"]),
    ("agent_client_protocol", &["acp"]),
    ("clap", &["cli"]),
    ("clap_complete", &["cli"]),
    ("reqwest", &["client"]),
    ("saphyr_parser", &["document"]),
    ("toml", &["document"]),
    ("regex", &["foreseen"]),
    ("quick_junit", &["cli"]),
    ("landlock", &["isolation"]),
    ("tracing_subscriber", &["log"]),
    ("tar", &["archive"]),
    ("age", &["archive"]),
    ("hmac", &["archive"]),
];

/// The folders with Rust code.
const CODE: [&str; 4] = ["src", "bin", "tests", "scripts"];

/// Lines after which a file is two things.
const LONGEST: usize = 500;

/// The rooms that `code` imports: `crate::room` and the heads of `crate::{room, other::…}`.
fn imports(code: &str) -> BTreeSet<String> {
    let mut rooms = BTreeSet::new();
    for (place, _) in code.match_indices("crate::") {
        let rest = &code[place + "crate::".len()..];
        match rest.strip_prefix('{') {
            None => drop(rooms.insert(word(rest))),
            Some(group) => {
                let mut depth = 0;
                let mut at_head = true;
                for (index, letter) in group.char_indices() {
                    match letter {
                        '{' => depth += 1,
                        '}' if depth == 0 => break,
                        '}' => depth -= 1,
                        ',' if depth == 0 => at_head = true,
                        letter if letter.is_whitespace() => {}
                        _ if depth == 0 && at_head => {
                            rooms.insert(word(&group[index..]));
                            at_head = false;
                        }
                        _ => {}
                    }
                }
            }
        }
    }
    rooms.remove("");
    rooms
}

fn word(text: &str) -> String {
    text.chars().take_while(|letter| letter.is_ascii_lowercase() || *letter == '_').collect()
}

fn rooms() -> Vec<String> {
    let entries = fs::read_dir(root().join("src")).unwrap().map(|entry| entry.unwrap());
    entries
        .filter(|entry| entry.path().is_dir())
        .map(|entry| entry.file_name().into_string().unwrap())
        .collect()
}

#[test]
fn every_room_imports_only_what_the_layer_table_allows() {
    let table: BTreeMap<&str, &[&str]> = LAYERS.iter().copied().collect();
    for room in rooms() {
        let allowed = table.get(room.as_str()).unwrap_or_else(|| panic!("`{room}` is not in the table"));
        for path in sources(&root().join("src").join(&room)) {
            if is_test(&path) {
                continue;
            }
            for import in imports(&code(&path)) {
                let fine = import == room
                    || EVERYONES.contains(&import.as_str())
                    || allowed.contains(&import.as_str());
                assert!(fine, "`{room}` imports `{import}` in {}", path.display());
            }
        }
    }
}

/// Whether `code` names the crate `foreign`, and not a module whose name only ends like it.
fn is_named(code: &str, foreign: &str) -> bool {
    let path = format!("{foreign}::");
    let mut paths = code.match_indices(&path).map(|(place, _)| &code[..place]);
    paths.any(|before| !before.ends_with(|letter: char| letter.is_alphanumeric() || letter == '_'))
        || code.contains(&format!("use {foreign};"))
}

#[test]
fn every_foreign_crate_stays_in_its_rooms() {
    for room in rooms() {
        for path in sources(&root().join("src").join(&room)) {
            let code = if is_test(&path) { String::new() } else { code(&path) };
            for (foreign, allowed) in CRATES {
                let named = is_named(&code, foreign);
                assert!(!named || allowed.contains(&room.as_str()), "{} names `{foreign}`", path.display());
            }
        }
    }
}

#[test]
fn no_file_is_longer_than_one_thing() {
    for folder in CODE {
        for path in sources(&root().join(folder)) {
            let lines = fs::read_to_string(&path).unwrap().lines().count();
            assert!(lines <= LONGEST, "{} has {lines} lines; split it", path.display());
        }
    }
}

#[test]
fn every_test_file_is_run() {
    let declared = fs::read_to_string(root().join("tests/lib.rs")).unwrap();
    for entry in fs::read_dir(root().join("tests")).unwrap() {
        let path = entry.unwrap().path();
        let Some(name) = path.file_name().and_then(|name| name.to_str()?.strip_suffix(".rs")) else {
            continue;
        };
        assert!(name == "lib" || declared.contains(&format!("mod {name};")), "{name} is not declared");
    }
}

#[test]
fn unfinished_code_is_not_committed() {
    // Put together here, so that this file does not find itself.
    let marks = [["to", "do!"], ["unimple", "mented!"], ["FIX", "ME"], ["TO", "DO"], ["dbg", "!("]];
    for folder in CODE {
        for path in sources(&root().join(folder)) {
            let text = fs::read_to_string(&path).unwrap();
            for mark in marks.map(|parts| parts.concat()) {
                assert!(!text.contains(&mark), "{} has `{mark}`", path.display());
            }
        }
    }
}
