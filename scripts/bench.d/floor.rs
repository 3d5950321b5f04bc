//! The least that a durable call can cost: one commit that is on the disk, and one round trip over a
//! Unix socket.

use std::{
    io::{Read as _, Write as _},
    os::unix::net::UnixStream,
    path::Path,
    thread,
};

use anyhow::Result;
use rusqlite::Connection;

use crate::times::Times;

/// As long as the body of a small request.
const MESSAGE: [u8; 200] = [b'x'; 200];

/// Both, to be done once a round.
pub(crate) struct Floor {
    database: Connection,
    socket: UnixStream,
    /// The commits.
    pub(crate) commit: Times,
    /// The round trips.
    pub(crate) round_trip: Times,
}

impl Floor {
    /// A database of its own in `folder`, set as the store's is, and somebody who answers.
    pub(crate) fn open(folder: &Path) -> Result<Self> {
        let database = Connection::open(folder.join("floor.db"))?;
        database.pragma_update(None, "journal_mode", "wal")?;
        database.pragma_update(None, "synchronous", "full")?;
        database.execute("CREATE TABLE said (body BLOB NOT NULL)", [])?;
        let (socket, mut other) = UnixStream::pair()?;
        thread::spawn(move || {
            let mut read = MESSAGE;
            while other.read_exact(&mut read).and_then(|()| other.write_all(&read)).is_ok() {}
        });
        Ok(Self { database, socket, commit: Times::default(), round_trip: Times::default() })
    }

    /// One commit and one round trip.
    pub(crate) fn round(&mut self) -> Result<()> {
        let Self { database, socket, commit, round_trip } = self;
        commit.time(|| {
            database.prepare_cached("INSERT INTO said (body) VALUES (?1)")?.execute([MESSAGE.as_slice()])
        })?;
        round_trip.time(|| -> std::io::Result<()> {
            socket.write_all(&MESSAGE)?;
            socket.read_exact(&mut [0; MESSAGE.len()])
        })?;
        Ok(())
    }
}
