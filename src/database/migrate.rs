//! The schema's history: numbered steps that are only ever appended to.

use rusqlite::{Connection, TransactionBehavior};

use super::StorageError;

/// One step from a schema version to the next. Never edited once released.
#[derive(Debug, Clone, Copy)]
pub struct Migration {
    /// The file's name without its ending.
    pub name: &'static str,
    /// The statements.
    pub sql: &'static str,
}

/// Every step, in order. The schema version of a database is how many of them it has had.
pub const MIGRATIONS: &[Migration] = &[
    Migration { name: "0001_first", sql: include_str!("migrations/0001_first.sql") },
    Migration { name: "0002_supervised", sql: include_str!("migrations/0002_supervised.sql") },
    Migration { name: "0003_mendings", sql: include_str!("migrations/0003_mendings.sql") },
    Migration { name: "0004_handed", sql: include_str!("migrations/0004_handed.sql") },
    Migration { name: "0005_swept", sql: include_str!("migrations/0005_swept.sql") },
    Migration { name: "0006_lean_events", sql: include_str!("migrations/0006_lean_events.sql") },
    Migration { name: "0007_unbound", sql: include_str!("migrations/0007_unbound.sql") },
    Migration { name: "0008_agents", sql: include_str!("migrations/0008_agents.sql") },
];

/// A step that failed; the database stands as it stood before the step.
#[derive(Debug)]
pub(super) struct MigrateError {
    pub(super) version: usize,
    pub(super) name: &'static str,
    pub(super) source: StorageError,
}

/// Takes every step beyond `version`, each in a transaction of its own.
pub(super) fn migrate(
    connection: &mut Connection,
    version: usize,
    migrations: &[Migration],
) -> Result<(), MigrateError> {
    // A step that rebuilds a table must be able to drop the one others refer to; the references are
    // checked before its commit instead. The switch has no effect inside a transaction.
    let switch = |connection: &Connection, on: bool| connection.pragma_update(None, "foreign_keys", on);
    for (place, migration) in migrations.iter().enumerate().skip(version) {
        let failed = |source: rusqlite::Error| MigrateError {
            version: place + 1,
            name: migration.name,
            source: source.into(),
        };
        switch(connection, false).map_err(failed)?;
        let taken = step(connection, place + 1, migration.sql);
        switch(connection, true).map_err(failed)?;
        taken.map_err(|source| MigrateError { version: place + 1, name: migration.name, source })?;
    }
    Ok(())
}

fn step(connection: &mut Connection, version: usize, sql: &str) -> Result<(), StorageError> {
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    transaction.execute_batch(sql)?;
    // A step with a COMMIT of its own would be raised to its version outside of any transaction.
    if transaction.is_autocommit() {
        return Err(StorageError::fault());
    }
    if transaction.prepare("PRAGMA foreign_key_check")?.exists([])? {
        return Err(StorageError::damaged());
    }
    transaction.pragma_update(None, "user_version", i64::try_from(version).unwrap_or(i64::MAX))?;
    Ok(transaction.commit()?)
}
