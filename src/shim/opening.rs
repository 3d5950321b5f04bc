//! In which of its two ways an MCP connection was opened.

use std::sync::OnceLock;

/// How the client opened the connection, once it has. A second opening is refused: rmcp would let a
/// second `initialize` change the rules under requests that are on their way.
#[derive(Default)]
pub(super) struct Opening {
    era: OnceLock<Era>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Era {
    /// Revisions up to 2025-11-25: `initialize` first.
    Handshake,
    /// From 2026-07-28: every request says which version it speaks.
    PerRequest,
}

/// The connection is open already.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct AlreadyOpen;

impl Opening {
    /// An `initialize` came.
    pub(super) fn initialize(&self) -> Result<(), AlreadyOpen> {
        self.era.set(Era::Handshake).map_err(|_| AlreadyOpen)
    }

    /// A request came that only an open connection can carry.
    pub(super) fn request(&self) {
        self.era.get_or_init(|| Era::PerRequest);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_connection_is_opened_once() {
        let opening = Opening::default();
        assert_eq!(opening.initialize(), Ok(()));
        opening.request();
        assert_eq!(opening.initialize(), Err(AlreadyOpen));
    }

    #[test]
    fn a_connection_in_use_without_a_handshake_takes_none() {
        let opening = Opening::default();
        opening.request();
        assert_eq!(opening.initialize(), Err(AlreadyOpen));
    }
}
