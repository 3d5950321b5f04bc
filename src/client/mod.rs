//! The typed client of the store's planes over a Unix socket.
//!
//! Says what a request's end means (`error`), retries only what is safe to repeat, and knows nothing
//! of what stands behind the socket.
