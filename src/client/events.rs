//! Following what happens.

use std::collections::VecDeque;

use reqwest::Response;

use super::{error::ClientError, sse::EventParser};
use crate::protocol::events::Event;

/// Events as they are recorded. Whoever loses the stream asks again `after` the last
/// [`Event::seq`] it saw, and misses nothing.
pub struct EventStream {
    response: Response,
    parser: EventParser,
    ready: VecDeque<Event>,
}

impl EventStream {
    pub(super) fn new(response: Response) -> Self {
        Self { response, parser: EventParser::default(), ready: VecDeque::new() }
    }

    /// The next event; `None` when the store closed the stream. Dropping the future loses nothing, so
    /// it may stand in a `select!`.
    pub async fn next(&mut self) -> Result<Option<Event>, ClientError> {
        loop {
            if let Some(event) = self.ready.pop_front() {
                return Ok(Some(event));
            }
            let Some(chunk) = self.response.chunk().await.map_err(ClientError::from_http)? else {
                return Ok(None);
            };
            for data in self.parser.push(&chunk).map_err(|fault| ClientError::broken(fault.to_string()))? {
                let event = serde_json::from_slice(&data)
                    .map_err(|error| ClientError::broken_by("an event was not understood", error))?;
                self.ready.push_back(event);
            }
        }
    }
}
