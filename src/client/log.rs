//! One reading of a log: bytes as they come, and whether more can follow.

use reqwest::Response;

use super::error::ClientError;
use crate::protocol::LOG_END_HEADER;

/// The bytes of a log from the offset asked for to its present end. A follower asks again from where
/// it stopped, until [`LogStream::is_final`] said so.
pub struct LogStream {
    response: Response,
    is_final: bool,
}

impl LogStream {
    pub(super) fn new(response: Response) -> Self {
        let is_final = response.headers().get(LOG_END_HEADER).is_some_and(|value| value == "yes");
        Self { response, is_final }
    }

    /// Whether the execution had ended before these bytes were read, so that nothing will follow them.
    pub fn is_final(&self) -> bool {
        self.is_final
    }

    /// The next bytes; `None` at the end.
    pub async fn chunk(&mut self) -> Result<Option<Vec<u8>>, ClientError> {
        let chunk = self.response.chunk().await.map_err(ClientError::from_http)?;
        Ok(chunk.map(|bytes| bytes.to_vec()))
    }
}
