//! The room as its callers see it, over real files.

use std::{
    fs,
    os::unix::fs::PermissionsExt as _,
    path::{Path, PathBuf},
    sync::{Arc, mpsc},
};

use rusqlite::Connection;
use tempfile::TempDir;
use tokio::task::JoinSet;

use super::*;

/// A schema with one table for the commands of these tests.
const NOTES: &[Migration] = &[
    MIGRATIONS[0],
    Migration { name: "0002_notes", sql: "CREATE TABLE notes (text TEXT NOT NULL UNIQUE) STRICT;" },
];

struct Place {
    folder: TempDir,
}

impl Place {
    fn new() -> Self {
        Self { folder: tempfile::tempdir().unwrap() }
    }

    fn file(&self) -> PathBuf {
        self.folder.path().join("callbox.db")
    }

    fn open(&self, migrations: &[Migration]) -> Result<Database, OpenError> {
        Database::open_with(&self.file(), migrations)
    }

    fn names(&self) -> Vec<String> {
        let entries = fs::read_dir(self.folder.path()).unwrap();
        let mut names: Vec<_> =
            entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }
}

fn note(write: &mut Write<'_>, text: &str) -> Result<i64, StorageError> {
    write.insert("INSERT INTO notes (text) VALUES (?1)", [text])
}

fn notes(read: &Read<'_>) -> Result<Vec<String>, StorageError> {
    read.all("SELECT text FROM notes ORDER BY text", [], |row| row.get(0))
}

/// Keeps the writer busy until the returned sender is used or dropped, so that what is written
/// meanwhile waits and shares the next transaction.
async fn hold_writer(database: &Arc<Database>) -> mpsc::Sender<()> {
    let (release, hold) = mpsc::channel();
    let (begun, started) = tokio::sync::oneshot::channel();
    let database = Arc::clone(database);
    tokio::spawn(async move {
        let waits = move |_: &mut Write<'_>| {
            begun.send(()).unwrap();
            hold.recv().ok();
            Ok::<_, StorageError>(())
        };
        database.write(waits).await.unwrap();
    });
    started.await.unwrap();
    release
}

async fn stored(database: &Database) -> Vec<String> {
    database.read(notes).await.unwrap()
}

fn mode(path: &Path) -> u32 {
    fs::metadata(path).unwrap().permissions().mode() & 0o777
}

#[tokio::test]
async fn what_was_answered_is_there_for_readers_and_for_the_next_store() {
    let place = Place::new();
    let database = place.open(NOTES).unwrap();
    database.write(|write| note(write, "one")).await.unwrap();
    assert_eq!(stored(&database).await, ["one"]);
    assert_eq!(database.generation(), 1);
    drop(database);
    assert_eq!(place.names(), ["callbox.db"], "a closed database leaves no log behind");
    let database = place.open(NOTES).unwrap();
    assert_eq!(database.generation(), 2);
    assert_eq!(stored(&database).await, ["one"]);
}

#[tokio::test]
async fn a_failing_command_undoes_itself_and_no_other() {
    let place = Place::new();
    let database = Arc::new(place.open(NOTES).unwrap());
    let release = hold_writer(&database).await;
    let mut waiting = JoinSet::new();
    for (place, kind) in ["good", "refused", "constraint", "panic", "good"].into_iter().enumerate() {
        let database = database.clone();
        waiting.spawn(async move {
            let done = database.write::<_, String, _>(move |write| {
                let text = format!("{place} {kind}");
                note(write, &text).map_err(|error| error.to_string())?;
                match kind {
                    "refused" => Err("no".to_owned()),
                    "constraint" => note(write, &text).map(|_| ()).map_err(|error| error.to_string()),
                    "panic" => panic!("expected by the test"),
                    _ => Ok(()),
                }
            });
            (kind, done.await)
        });
    }
    tokio::task::yield_now().await;
    drop(release);
    for (kind, outcome) in waiting.join_all().await {
        match kind {
            "good" => outcome.unwrap(),
            "panic" => assert!(matches!(outcome, Err(WriteError::Panicked)), "{outcome:?}"),
            _ => assert!(matches!(outcome, Err(WriteError::Refused(_))), "{kind}: {outcome:?}"),
        }
    }
    assert_eq!(stored(&database).await, ["0 good", "4 good"]);
}

#[tokio::test]
async fn commands_that_wait_together_share_one_commit_and_none_is_answered_before_it() {
    let place = Place::new();
    let database = Arc::new(place.open(NOTES).unwrap());
    let release = hold_writer(&database).await;
    let mut waiting = JoinSet::new();
    for number in 0..20 {
        let database = database.clone();
        waiting
            .spawn(async move { database.write(move |write| note(write, &format!("n{number:02}"))).await });
    }
    tokio::task::yield_now().await;
    assert!(stored(&database).await.is_empty());
    drop(release);
    for outcome in waiting.join_all().await {
        outcome.unwrap();
    }
    assert_eq!(stored(&database).await.len(), 20);
}

#[tokio::test]
async fn a_commit_that_fails_is_answered_to_all_with_the_storage_error() {
    let place = Place::new();
    let deferred = Migration {
        name: "0003_deferred",
        sql: "CREATE TABLE kept (x INTEGER PRIMARY KEY);
              CREATE TABLE uses (kept INTEGER REFERENCES kept (x) DEFERRABLE INITIALLY DEFERRED);",
    };
    let database = Arc::new(place.open(&[NOTES[0], NOTES[1], deferred]).unwrap());
    let release = hold_writer(&database).await;
    let dangling = database.write(|write| write.run("INSERT INTO uses (kept) VALUES (7)", []));
    let innocent = database.write(|write| note(write, "innocent"));
    let (dangling, innocent, ()) = tokio::join!(biased; dangling, innocent, async { drop(release) });
    assert!(matches!(dangling, Err(WriteError::Storage(_))), "{dangling:?}");
    assert!(matches!(innocent, Err(WriteError::Storage(_))), "{innocent:?}");
    assert!(stored(&database).await.is_empty());
    database.write(|write| note(write, "later")).await.unwrap();
    assert_eq!(stored(&database).await, ["later"]);
}

#[tokio::test]
async fn a_store_whose_database_was_taken_writes_nothing_more_for_ever() {
    let place = Place::new();
    let old = place.open(NOTES).unwrap();
    old.write(|write| note(write, "before")).await.unwrap();
    let new = place.open(NOTES).unwrap();
    assert!(!old.fenced().is_cancelled());
    for _ in 0..2 {
        let refused = old.write(|write| note(write, "after")).await;
        assert!(matches!(refused, Err(WriteError::Fenced)), "{refused:?}");
    }
    assert!(old.fenced().is_cancelled());
    new.write(|write| write.run("UPDATE meta SET value = 1 WHERE key = 'generation'", [])).await.unwrap();
    let refused = old.write(|write| note(write, "after")).await;
    assert!(matches!(refused, Err(WriteError::Fenced)), "a fence stays up: {refused:?}");
    drop(old);
    assert_eq!(stored(&new).await, ["before"]);
}

#[tokio::test]
async fn what_was_answered_survives_the_store_being_killed() {
    let place = Place::new();
    let database = place.open(NOTES).unwrap();
    database.write(|write| note(write, "answered")).await.unwrap();
    // The files as a kill would leave them at this moment.
    let left = Place::new();
    for name in ["callbox.db", "callbox.db-wal"] {
        fs::copy(place.folder.path().join(name), left.folder.path().join(name)).unwrap();
    }
    assert!(fs::metadata(left.folder.path().join("callbox.db-wal")).unwrap().len() > 0);
    assert_eq!(stored(&left.open(NOTES).unwrap()).await, ["answered"]);
}

#[tokio::test]
async fn a_closed_database_carries_out_what_waits_and_refuses_the_rest() {
    let place = Place::new();
    let database = Arc::new(place.open(NOTES).unwrap());
    let waiting: Vec<_> = (0..50)
        .map(|number| {
            let database = database.clone();
            tokio::spawn(async move { database.write(move |write| note(write, &number.to_string())).await })
        })
        .collect();
    tokio::task::yield_now().await;
    database.close();
    let mut kept = 0;
    for task in waiting {
        match task.await.unwrap() {
            Ok(_) => kept += 1,
            Err(error) => assert!(matches!(error, WriteError::Stopped), "{error:?}"),
        }
    }
    assert!(kept > 0);
    assert_eq!(stored(&database).await.len(), kept);
    let late = database.write(|write| note(write, "late")).await;
    assert!(matches!(late, Err(WriteError::Stopped)), "{late:?}");
}

#[tokio::test]
async fn a_reader_cannot_write_and_a_panicking_one_gives_its_connection_back() {
    let place = Place::new();
    let database = place.open(NOTES).unwrap();
    for _ in 0..5 {
        let refused = database.read(|read| read.all("DELETE FROM notes", [], |_| Ok(()))).await;
        let Err(ReadError::Refused(error)) = refused else { panic!("{refused:?}") };
        assert_eq!(error.kind(), StorageKind::ReadOnly);
        let panicked = database.read::<(), (), _>(|_| panic!("expected by the test")).await;
        assert!(matches!(panicked, Err(ReadError::Panicked)), "{panicked:?}");
    }
    assert!(stored(&database).await.is_empty());
}

#[tokio::test]
async fn one_view_is_of_one_moment() {
    let place = Place::new();
    let database = Arc::new(place.open(NOTES).unwrap());
    let (begun, ready) = tokio::sync::oneshot::channel();
    let (release, hold) = mpsc::channel::<()>();
    let reading = tokio::spawn({
        let database = database.clone();
        async move {
            let view = move |read: &Read<'_>| {
                let before = notes(read)?;
                begun.send(()).unwrap();
                hold.recv().unwrap();
                Ok::<_, StorageError>((before, notes(read)?))
            };
            database.read(view).await
        }
    });
    ready.await.unwrap();
    database.write(|write| note(write, "between")).await.unwrap();
    release.send(()).unwrap();
    assert_eq!(reading.await.unwrap().unwrap(), (vec![], vec![]));
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
    let marks =
        database.read(|read| read.all("SELECT text || mark FROM notes", [], |row| row.get::<_, String>(0)));
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
    let uses = database.read(|read| read.all("SELECT kept FROM uses", [], |row| row.get::<_, i64>(0)));
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
    let error = place.open(MIGRATIONS).unwrap_err();
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
    let error = left.open(MIGRATIONS).unwrap_err();
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

#[test]
fn a_full_disk_is_told_from_other_failures() {
    let failure =
        |code| StorageError::from(rusqlite::Error::SqliteFailure(rusqlite::ffi::Error::new(code), None));
    let full = failure(rusqlite::ffi::SQLITE_FULL);
    assert_eq!((full.kind(), full.is_lasting()), (StorageKind::Full, true));
    let busy = failure(rusqlite::ffi::SQLITE_BUSY);
    assert_eq!((busy.kind(), busy.is_lasting()), (StorageKind::Busy, false));
    assert_eq!(failure(rusqlite::ffi::SQLITE_IOERR_WRITE).kind(), StorageKind::Disk);
}

#[tokio::test]
async fn a_disk_that_fills_up_is_answered_as_such_and_recovers() {
    let place = Place::new();
    let database = place.open(NOTES).unwrap();
    let limit = |pages: i64| {
        move |write: &mut Write<'_>| {
            write.one(&format!("PRAGMA max_page_count = {pages}"), [], |row| row.get::<_, i64>(0))
        }
    };
    database.write(limit(1)).await.unwrap();
    let refused = database.write(|write| note(write, &"x".repeat(100_000))).await;
    let full = match refused {
        Err(WriteError::Refused(error) | WriteError::Storage(error)) => error,
        other => panic!("{other:?}"),
    };
    assert_eq!(full.kind(), StorageKind::Full);
    database.write(limit(100_000)).await.unwrap();
    database.write(|write| note(write, "room again")).await.unwrap();
    assert_eq!(stored(&database).await, ["room again"]);
}
