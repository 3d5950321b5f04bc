//! What is opened, upgraded, refused and left alone.

use std::{fs, os::unix::fs::PermissionsExt as _, path::Path};

use rusqlite::Connection;

use super::place::{NOTES, Place, note, stored};
use crate::database::{Database, MIGRATIONS, Migration, OpenError, Write, WriteError};

/// A row of `tasks` as the first version has them.
const A_TASK: &str =
    "INSERT INTO tasks (id, name, spec, depth, author, variables, state, state_data, created_at,
                   updated_at) VALUES ('a', 'n', '{}', 0, 'person', '[]', 'running', '{}', 0, 0)";

fn mode(path: &Path) -> u32 {
    fs::metadata(path).unwrap().permissions().mode() & 0o777
}

#[test]
fn its_files_are_the_owners_alone_whatever_they_were() {
    let place = Place::new();
    fs::write(place.file(), "").unwrap();
    fs::set_permissions(place.file(), fs::Permissions::from_mode(0o644)).unwrap();
    let database = place.open(NOTES).unwrap();
    for name in place.names() {
        assert_eq!(mode(&place.folder.path().join(&name)), 0o600, "{name}");
    }
    assert_eq!(place.names().len(), 3);
    drop(database);
}

#[tokio::test]
async fn an_older_schema_is_copied_and_upgraded() {
    let place = Place::new();
    let database = place.open(NOTES).unwrap();
    database.write(|write| note(write, "kept")).await.unwrap();
    drop(database);
    let later = [
        NOTES[0],
        NOTES[1],
        Migration { name: "0003_marks", sql: "ALTER TABLE notes ADD COLUMN mark TEXT;" },
        Migration { name: "0004_fill", sql: "UPDATE notes SET mark = 'old';" },
    ];
    let database = place.open(&later).unwrap();
    let marks = database
        .read(|read| read.all("SELECT text || mark AS both FROM notes", [], |row| row.get::<String>("both")));
    assert_eq!(marks.await.unwrap(), ["keptold".to_owned()]);
    let copy = place.folder.path().join("callbox.db.before-4");
    assert_eq!(mode(&copy), 0o600);
    drop(database);
    fs::rename(copy, place.file()).unwrap();
    let before = place.open(NOTES).unwrap();
    assert_eq!(before.generation(), 2, "the copy is of the moment before the upgrade");
    assert_eq!(stored(&before).await, ["kept"]);
}

#[tokio::test]
async fn in_a_database_of_the_first_version_what_has_not_ended_has_a_supervisor() {
    let place = Place::new();
    let database = place.open(&MIGRATIONS[..1]).unwrap();
    let filled = |write: &mut Write<'_>| {
        write.run(A_TASK, [])?;
        write.run(
            "INSERT INTO executions (task, attempt, state, created_at, details)
                   VALUES (1, 1, 'ended', 0, '{}'), (1, 2, 'running', 0, '{}')",
            [],
        )
    };
    database.write(filled).await.unwrap();
    drop(database);
    let database = place.open(MIGRATIONS).unwrap();
    let supervised = "SELECT number FROM executions WHERE supervised = 1";
    let found = database.read(move |read| read.all(supervised, [], |row| row.get::<i64>("number"))).await;
    assert_eq!(found.unwrap(), [2]);
}

#[tokio::test]
async fn events_keep_their_places_through_every_version_and_the_next_is_behind_them() {
    let place = Place::new();
    let database = place.open(&MIGRATIONS[..4]).unwrap();
    let filled = |write: &mut Write<'_>| {
        write.run(A_TASK, [])?;
        write.run(
            "INSERT INTO events (seq, at, task, kind, text) VALUES (7, 0, 1, 'state', 'queued'),
                   (9, 0, 1, 'progress', 'half')",
            [],
        )
    };
    database.write(filled).await.unwrap();
    drop(database);
    let database = place.open(MIGRATIONS).unwrap();
    let told = |write: &mut Write<'_>| {
        write.run("INSERT INTO events (at, task, kind, text) VALUES (0, 1, 'summary', 'all')", [])
    };
    database.write(told).await.unwrap();
    let all = "SELECT seq || text AS both FROM events ORDER BY seq";
    let found = database.read(move |read| read.all(all, [], |row| row.get::<String>("both"))).await;
    assert_eq!(found.unwrap(), ["7queued", "9half", "10all"]);
}

#[tokio::test]
async fn a_step_may_rebuild_a_table_that_others_refer_to() {
    let place = Place::new();
    let linked = Migration {
        name: "0003_links",
        sql: "CREATE TABLE kept (x INTEGER PRIMARY KEY) STRICT;
              CREATE TABLE uses (kept INTEGER REFERENCES kept (x) ON DELETE CASCADE) STRICT;
              INSERT INTO kept VALUES (7);
              INSERT INTO uses VALUES (7);",
    };
    drop(place.open(&[NOTES[0], NOTES[1], linked]).unwrap());
    let rebuilt = Migration {
        name: "0004_rebuilt",
        sql: "CREATE TABLE other (x INTEGER PRIMARY KEY, y TEXT) STRICT;
              INSERT INTO other (x) SELECT x FROM kept;
              DROP TABLE kept;
              ALTER TABLE other RENAME TO kept;",
    };
    let database = place.open(&[NOTES[0], NOTES[1], linked, rebuilt]).unwrap();
    let uses = database.read(|read| read.all("SELECT kept FROM uses", [], |row| row.get::<i64>("kept")));
    assert_eq!(uses.await.unwrap(), [7], "references are off while a step runs");
    let dangling = database.write(|write| write.run("INSERT INTO uses VALUES (8)", [])).await;
    assert!(matches!(dangling, Err(WriteError::Refused(_))), "and on afterwards: {dangling:?}");
}

#[tokio::test]
async fn a_step_that_fails_leaves_the_database_as_it_was() {
    let place = Place::new();
    let database = place.open(NOTES).unwrap();
    database.write(|write| note(write, "kept")).await.unwrap();
    drop(database);
    for wrong in [
        "CREATE TABLE half (x); INSERT INTO nowhere VALUES (1);",
        "CREATE TABLE half (x INTEGER REFERENCES notes (rowid)); INSERT INTO half VALUES (99);",
        "CREATE TABLE half (x); COMMIT; SELECT 1;",
    ] {
        let failing = [NOTES[0], NOTES[1], Migration { name: "0003_wrong", sql: wrong }];
        let error = place.open(&failing).unwrap_err();
        assert!(matches!(error, OpenError::Migration { version: 3, .. }), "{wrong}: {error:?}");
        assert!(error.to_string().contains("`0003_wrong`"), "{error}");
    }
    let database = place.open(NOTES).unwrap();
    assert_eq!(stored(&database).await, ["kept"]);
}

#[test]
fn a_newer_database_is_refused_and_not_a_byte_of_it_is_changed() {
    let place = Place::new();
    drop(place.open(NOTES).unwrap());
    let bytes = fs::read(place.file()).unwrap();
    let error = place.open(&NOTES[..1]).unwrap_err();
    assert!(error.to_string().contains("has schema version 2"), "{error}");
    assert!(error.to_string().contains("knows versions up to 1"), "{error}");
    assert!(error.hint().is_some());
    assert_eq!(fs::read(place.file()).unwrap(), bytes);
    assert_eq!(place.names(), ["callbox.db"], "nor is anything left beside it");
}

#[test]
fn a_newer_database_that_was_killed_keeps_its_log() {
    let place = Place::new();
    let newer = place.open(NOTES).unwrap();
    let left = Place::new();
    for name in ["callbox.db", "callbox.db-wal"] {
        fs::copy(place.folder.path().join(name), left.folder.path().join(name)).unwrap();
    }
    drop(newer);
    let read = |name: &str| fs::read(left.folder.path().join(name)).unwrap();
    let (bytes, log) = (read("callbox.db"), read("callbox.db-wal"));
    let error = left.open(&NOTES[..1]).unwrap_err();
    assert!(matches!(error, OpenError::Newer { found: 2, known: 1, .. }), "{error:?}");
    assert_eq!((read("callbox.db"), read("callbox.db-wal")), (bytes, log));
}

#[test]
fn what_is_no_database_of_callboxs_is_refused_and_left_alone() {
    let place = Place::new();
    let foreign = Place::new();
    let other = Connection::open(foreign.file()).unwrap();
    other.execute_batch("CREATE TABLE theirs (x)").unwrap();
    other.close().unwrap();
    let bytes = fs::read(foreign.file()).unwrap();
    let error = foreign.open(NOTES).unwrap_err();
    assert!(matches!(error, OpenError::Foreign { .. }), "{error:?}");
    assert_eq!(fs::read(foreign.file()).unwrap(), bytes);

    fs::write(place.file(), "this is a letter, not a database; ".repeat(40)).unwrap();
    let error = place.open(NOTES).unwrap_err();
    assert!(matches!(error, OpenError::NotDatabase { .. }), "{error:?}");
    assert!(fs::read_to_string(place.file()).unwrap().starts_with("this is a letter"));

    fs::remove_file(place.file()).unwrap();
    std::os::unix::fs::symlink(foreign.file(), place.file()).unwrap();
    let error = place.open(NOTES).unwrap_err();
    assert!(matches!(error, OpenError::NotFile { .. }), "{error:?}");
}

#[tokio::test]
async fn a_damaged_database_is_refused_with_what_is_wrong() {
    let place = Place::new();
    let database = place.open(NOTES).unwrap();
    for number in 0..200 {
        database.write(move |write| note(write, &format!("{number} {}", "x".repeat(200)))).await.unwrap();
    }
    drop(database);
    let mut bytes = fs::read(place.file()).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle..middle + 4096].fill(0xa5);
    fs::write(place.file(), bytes).unwrap();
    let error = place.open(NOTES).unwrap_err();
    let OpenError::Damaged { detail, .. } = &error else { panic!("{error:?}") };
    assert!(!detail.is_empty());
    assert!(error.to_string().contains("is damaged"), "{error}");
}

#[test]
fn a_path_beyond_sqlites_limit_is_refused_with_the_limit() {
    let place = Place::new();
    let mut folder = place.folder.path().to_owned();
    while folder.as_os_str().len() < 440 {
        folder.push("x".repeat(30));
    }
    fs::create_dir_all(&folder).unwrap();
    drop(Database::open(&folder.join("callbox.db")).unwrap());
    let folder = folder.join("y".repeat(100));
    fs::create_dir_all(&folder).unwrap();
    let error = Database::open(&folder.join("callbox.db")).unwrap_err();
    assert!(error.to_string().contains("SQLite takes at most"), "{error}");
}
