//! Copies that are made for a person while the database is in use.

use std::{
    ffi::OsStr,
    fs::{self, File},
    io,
    os::unix::{ffi::OsStrExt as _, fs::PermissionsExt as _},
};

use rusqlite::Connection;

use super::place::{NOTES, Place, note, stored};
use crate::{
    database::{BackupError, backup_file::save_copy},
    ids::UniqueId,
};

#[tokio::test]
async fn a_copy_holds_what_was_answered_before_it_is_the_owners_alone_and_opens_again() {
    let place = Place::new();
    let database = place.open(NOTES).unwrap();
    database.write(|write| note(write, "before")).await.unwrap();
    let copy = place.folder.path().join("copy.db");
    let size = database.back_up(copy.clone()).await.unwrap();
    database.write(|write| note(write, "behind")).await.unwrap();
    let found = fs::metadata(&copy).unwrap();
    assert_eq!((found.permissions().mode() & 0o777, found.len()), (0o600, size));
    drop(database);
    fs::rename(&copy, place.file()).unwrap();
    for beside in ["-wal", "-shm"] {
        let _ = fs::remove_file(format!("{}{beside}", place.file().display()));
    }
    assert_eq!(stored(&place.open(NOTES).unwrap()).await, ["before"]);
}

#[tokio::test]
async fn nothing_is_written_over_and_no_half_of_a_copy_is_left() {
    let place = Place::new();
    let database = place.open(NOTES).unwrap();
    let copy = place.folder.path().join("copy.db");
    fs::write(&copy, "mine").unwrap();
    let names = place.names();
    assert!(database.back_up(copy.clone()).await.is_err());
    assert!(database.back_up(place.folder.path().join("no/such/folder")).await.is_err());
    // Not even through a link that leads nowhere yet.
    let link = place.folder.path().join("link");
    std::os::unix::fs::symlink(place.folder.path().join("nowhere"), &link).unwrap();
    assert!(database.back_up(link.clone()).await.is_err());
    fs::remove_file(link).unwrap();
    // SQLite cannot name this folder, which only comes out once the copy was begun.
    let foreign = place.folder.path().join(OsStr::from_bytes(b"\xff"));
    fs::create_dir(&foreign).unwrap();
    assert!(database.back_up(foreign.join("copy.db")).await.is_err());
    fs::remove_dir(&foreign).expect("nothing is in it");
    assert_eq!((fs::read_to_string(&copy).unwrap().as_str(), place.names()), ("mine", names));
}

#[tokio::test]
async fn what_a_killed_store_left_of_a_copy_is_cleared_away_and_what_another_writes_is_not() {
    let place = Place::new();
    let database = place.open(NOTES).unwrap();
    let [broken_off, written, others] = [
        format!("copy.db.{}.partial", UniqueId::mint()),
        format!("copy.db.{}.partial", UniqueId::mint()),
        "copy.db.mine.partial".to_owned(),
    ]
    .map(|name| place.folder.path().join(name));
    for path in [&broken_off, &written, &others] {
        fs::write(path, "half").unwrap();
    }
    let held = File::open(&written).unwrap();
    held.try_lock().unwrap();
    database.back_up(place.folder.path().join("copy.db")).await.unwrap();
    assert_eq!([broken_off, written, others].map(|path| path.exists()), [false, true, true]);
}

#[tokio::test]
async fn of_those_who_save_to_one_file_at_once_one_does_and_the_others_are_told() {
    let place = Place::new();
    let database = place.open(NOTES).unwrap();
    let folder = tempfile::tempdir().unwrap();
    for round in 0..10 {
        let copy = folder.path().join(format!("{round}.db"));
        let saved = (0..6).map(|_| {
            let (database, copy) = (place.file(), copy.clone());
            tokio::task::spawn_blocking(move || save_copy(&Connection::open(database).unwrap(), &copy))
        });
        let mut done = 0;
        for one in futures::future::join_all(saved).await {
            match one.unwrap() {
                Ok(_) => done += 1,
                Err(BackupError::File(error)) if error.kind() == io::ErrorKind::AlreadyExists => {}
                Err(other) => panic!("{other}"),
            }
        }
        assert_eq!(done, 1);
        assert_eq!(fs::metadata(&copy).unwrap().permissions().mode() & 0o777, 0o600);
    }
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 10);
    drop(database);
}
