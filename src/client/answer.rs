//! Reading what the store answered, with a limit: what stands behind a socket is not trusted to stop.

use reqwest::Response;
use serde::de::DeserializeOwned;

use super::error::ClientError;
use crate::protocol::error::ApiError;

/// The largest JSON answer, in bytes: a list of some ten thousand tasks.
pub(super) const MAX_ANSWER_BYTES: usize = 32 << 20;
const MAX_REFUSAL_BYTES: usize = 64 << 10;

/// The answer's JSON.
pub(super) async fn json<T: DeserializeOwned>(response: Response) -> Result<T, ClientError> {
    let body = body(response, MAX_ANSWER_BYTES).await?;
    serde_json::from_slice(&body)
        .map_err(|error| ClientError::broken_by("the store's answer was not understood", error))
}

/// The reason in an answer that is not a success.
pub(super) async fn refusal(response: Response) -> ClientError {
    let status = response.status().as_u16();
    match body(response, MAX_REFUSAL_BYTES).await {
        Ok(body) => match serde_json::from_slice::<ApiError>(&body) {
            Ok(reason) => ClientError::Refused(reason),
            Err(error) => ClientError::broken_by(
                format!("the store answered with status {status} and no reason that was understood"),
                error,
            ),
        },
        Err(error) => error,
    }
}

async fn body(mut response: Response, limit: usize) -> Result<Vec<u8>, ClientError> {
    let mut body = Vec::new();
    while let Some(chunk) = response.chunk().await.map_err(ClientError::from_http)? {
        if body.len() + chunk.len() > limit {
            return Err(ClientError::broken(format!("the store's answer has more than {limit} bytes")));
        }
        body.extend_from_slice(&chunk);
    }
    Ok(body)
}
