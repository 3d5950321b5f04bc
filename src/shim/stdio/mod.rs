//! MCP's stdio transport: one JSON-RPC message a line, in both directions.
//!
//! rmcp's own transport leaves clients without an answer to lines it cannot read, dies on a stray
//! first message, and keeps whatever its client does not read. This one answers every request whose
//! id can be found, holds at most [`MAX_LINE_BYTES`] of input and about [`MAX_OWED_BYTES`] of output,
//! and never writes half a line. It knows nothing of tools.
//!
//! Bytes come in through `input`, `lines` cuts them, `envelope` and `reading` say what each line is,
//! `open_ids` knows which requests wait for an answer, `outbox` writes.

mod envelope;
mod id_scan;
mod input;
mod lines;
mod open_ids;
mod outbox;
mod output;
mod reading;
mod socket;
mod transport;

pub(super) use transport::StdioTransport;

/// The longest line taken. The largest call that can be recorded has 1 MiB.
const MAX_LINE_BYTES: usize = 4 << 20;
/// How much may wait to be read by the client before nothing more is read from it.
const MAX_OWED_BYTES: usize = 8 << 20;
