//! The state directory's SQLite file: the only room that names rusqlite.
//!
//! One writer thread commits, a few read-only connections read. Holds rows, not rules: what may
//! change and why is decided in `domain`.
