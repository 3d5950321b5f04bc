//! What a row function is given: a view to read through, or a transaction to write in.

use std::ops::Deref;

use rusqlite::{CachedStatement, Connection, Params, StatementStatus};

use super::{
    StorageError,
    row::{Names, Row},
};

/// One consistent view of the database: everything read through it is of the same moment.
#[derive(Debug)]
pub struct Read<'c> {
    connection: &'c Connection,
}

/// One command's share of a write transaction. Reads through it see the command's own changes.
///
/// Constraints must hold after every statement: a deferred one would fail at the commit and take the
/// other commands of the transaction with it.
#[derive(Debug)]
pub struct Write<'c> {
    read: Read<'c>,
}

impl<'c> Read<'c> {
    pub(super) fn new(connection: &'c Connection) -> Self {
        Self { connection }
    }

    /// The first row, mapped; `None` when there is none.
    pub(super) fn one<T>(
        &self,
        sql: &str,
        params: impl Params,
        map: impl FnOnce(&Row<'_>) -> rusqlite::Result<T>,
    ) -> Result<Option<T>, StorageError> {
        let mut statement = self.prepared(sql)?;
        let names = Names::of(&statement);
        let mut rows = statement.query(params)?;
        Ok(rows.next()?.map(|row| map(&Row::new(row, &names))).transpose()?)
    }

    /// Every row, mapped, in the statement's order.
    pub(super) fn all<T>(
        &self,
        sql: &str,
        params: impl Params,
        mut map: impl FnMut(&Row<'_>) -> rusqlite::Result<T>,
    ) -> Result<Vec<T>, StorageError> {
        let mut statement = self.prepared(sql)?;
        let names = Names::of(&statement);
        let rows = statement.query_map(params, |row| map(&Row::new(row, &names)))?;
        Ok(rows.collect::<rusqlite::Result<_>>()?)
    }

    /// The statement `sql`, planned once for all values. One that is planned for each shows nowhere but
    /// in the time it takes, so that is looked for wherever tests run.
    fn prepared(&self, sql: &str) -> rusqlite::Result<CachedStatement<'c>> {
        let statement = self.connection.prepare_cached(sql)?;
        let again = statement.get_status(StatementStatus::RePrepare);
        debug_assert!(again <= SCHEMA_CHANGES, "this is planned again and again, {again} times: {sql}");
        Ok(statement)
    }
}

/// How often the schema may change under an open connection, upon which everything is planned anew.
const SCHEMA_CHANGES: i32 = 3;

impl<'c> Write<'c> {
    pub(super) fn new(connection: &'c Connection) -> Self {
        Self { read: Read::new(connection) }
    }

    /// Runs one statement and returns how many rows it changed.
    pub(super) fn run(&mut self, sql: &str, params: impl Params) -> Result<usize, StorageError> {
        Ok(self.read.prepared(sql)?.execute(params)?)
    }

    /// Inserts one row and returns its rowid.
    pub(super) fn insert(&mut self, sql: &str, params: impl Params) -> Result<i64, StorageError> {
        Ok(self.read.prepared(sql)?.insert(params)?)
    }
}

impl<'c> Deref for Write<'c> {
    type Target = Read<'c>;

    fn deref(&self) -> &Read<'c> {
        &self.read
    }
}
