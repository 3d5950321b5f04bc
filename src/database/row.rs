//! One row of an answer, whose values are read by the names of their columns.

use rusqlite::{Statement, types::FromSql};

/// One row. rusqlite's own, asked for a value by its name, asks SQLite for the name of one column after the other, at
/// each value anew: of a list of ten thousand tasks that was a third of the time. Here they are asked for once a
/// statement.
#[derive(Debug, Clone, Copy)]
pub struct Row<'r> {
    row: &'r rusqlite::Row<'r>,
    names: &'r Names,
}

/// What the columns of a statement are called, in their order.
#[derive(Debug)]
pub(super) struct Names(Vec<String>);

impl Names {
    pub(super) fn of(statement: &Statement<'_>) -> Self {
        Self(statement.column_names().map(str::to_owned).collect())
    }
}

impl<'r> Row<'r> {
    pub(super) fn new(row: &'r rusqlite::Row<'r>, names: &'r Names) -> Self {
        Self { row, names }
    }

    /// The value of the column `name`, the first of that name. Refused where there is none or it is of another kind.
    pub(super) fn get<T: FromSql>(&self, name: &str) -> rusqlite::Result<T> {
        let place = self.names.0.iter().position(|known| known == name);
        self.row.get(place.ok_or_else(|| rusqlite::Error::InvalidColumnName(name.to_owned()))?)
    }
}
