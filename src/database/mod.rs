//! The state directory's SQLite file: the only room that names rusqlite.
//!
//! One writer thread takes all waiting commands into one transaction and answers after its commit; a
//! few read-only connections read. Read in this order: `open`, `migrate`, `writer`, `log`,
//! `reader`, `access`. Holds rows, not rules: what may change and why is decided in `domain`.
//!
//! Row functions live in this room and take `&Read` or `&mut Write`, so that no other room can name a
//! column, and a `Write` goes wherever a `&Read` is expected.

mod access;
mod backup;
mod backup_file;
mod connection;
mod copy_check;
mod handle;
mod log;
pub mod meta;
mod migrate;
mod open;
mod open_error;
mod reader;
mod row;
pub mod rows;
mod storage_error;
mod writer;

pub use access::{Read, Write};
pub use backup::BackupError;
pub use backup_file::clear_all_broken_off;
pub use copy_check::check_copy;
pub use handle::Database;
pub use migrate::{MIGRATIONS, Migration};
pub use open_error::OpenError;
pub use reader::ReadError;
pub use row::Row;
pub use storage_error::{StorageError, StorageKind};
pub use writer::WriteError;

#[cfg(test)]
mod tests;
