//! How much an archive may hold. It is small by what it is for; these bound what a hostile one can cost.

/// Bytes of a whole archive.
pub const LONGEST: u64 = 512 << 20;
/// Bytes of its table of contents.
pub(super) const MANIFEST: u64 = 4 << 20;
/// Bytes of its rows.
pub(super) const ROWS: u64 = 64 << 20;
/// Bytes of one transcript or of the work of one sandbox.
pub(super) const EACH: u64 = 256 << 20;
/// Tasks in it.
pub(super) const TASKS: usize = 1_000;
/// Files of one transcript.
pub(super) const FILES: usize = 64;
/// Levels of folders that a file of a transcript may stand in.
pub(super) const LEVELS: usize = 8;
/// Bytes of one name on the way to such a file.
pub(super) const NAME: usize = 200;
