//! Writers and readers of one database.

use std::{
    fs,
    sync::{Arc, mpsc},
};

use tokio::task::JoinSet;

use super::place::{NOTES, Place, note, notes, stored};
use crate::{
    database::{
        Database, MIGRATIONS, Migration, Read, ReadError, StorageError, StorageKind, Write, WriteError,
        connection, log::Log, rows::signal,
    },
    ids::ExecutionNumber,
};

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
async fn a_statement_is_planned_once_for_all_values() {
    let database = Place::new();
    let database = database.open(MIGRATIONS).unwrap();
    let counted = database.read(|read| {
        let counts = (1..=20).map(|number| signal::count(read, ExecutionNumber::new(number)));
        counts.sum::<Result<u32, StorageError>>()
    });
    assert_eq!(counted.await.unwrap(), 0);
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
async fn what_would_be_written_to_a_removed_file_is_refused() {
    let place = Place::new();
    let database = place.open(NOTES).unwrap();
    database.write(|write| note(write, "before")).await.unwrap();
    fs::remove_file(place.file()).unwrap();
    let refused = database.write(|write| note(write, "after")).await;
    assert!(matches!(refused, Err(WriteError::Fenced)), "{refused:?}");
    assert!(database.fenced().is_cancelled());
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
            write.one(&format!("PRAGMA max_page_count = {pages}"), [], |row| row.get::<i64>("max_page_count"))
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

#[test]
fn the_log_of_a_database_that_another_store_has_is_left_alone() {
    let place = Place::new();
    drop(place.open(NOTES).unwrap());
    for (generation, laid_out) in [(0, 0), (1, 1)] {
        let mut connection = connection::open_writing(&place.file()).unwrap();
        Log::of(&mut connection, place.file(), generation).unwrap().tend(&connection);
        let sql = "SELECT count(*) FROM meta WHERE key = 'log'";
        let found: i64 = connection.query_row(sql, [], |row| row.get(0)).unwrap();
        assert_eq!(found, laid_out, "{generation}");
    }
}

#[tokio::test]
async fn the_log_is_laid_out_once_and_written_over_however_much_is_written() {
    let place = Place::new();
    let database = place.open(NOTES).unwrap();
    let log = || fs::metadata(place.folder.path().join("callbox.db-wal")).unwrap().len();
    let opened = log();
    database.write(|write| note(write, "first")).await.unwrap();
    // The log is tended behind the answer and before the next command.
    database.write(|write| note(write, "second")).await.unwrap();
    let laid_out = log();
    assert!(laid_out > opened + (2 << 20), "{opened}, then {laid_out}");
    for number in 0..1_000 {
        database.write(move |write| note(write, &number.to_string())).await.unwrap();
    }
    assert_eq!(log(), laid_out);
    assert_eq!(stored(&database).await.len(), 1_002);
    drop(database);
    assert_eq!(place.names(), ["callbox.db"]);
    assert_eq!(stored(&place.open(NOTES).unwrap()).await.len(), 1_002);
}
