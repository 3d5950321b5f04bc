//! Errors as they leave the store: always [`ApiError`] as JSON, also where axum or hyper refused.

use axum::{
    Json,
    body::to_bytes,
    http::{HeaderName, HeaderValue, Method, StatusCode, Uri},
    response::{IntoResponse, Response},
};

use crate::protocol::{
    API_VERSION, MAX_BODY_BYTES, VERSION_HEADER,
    error::{ApiError, ErrorCode},
};

/// More than axum writes into a refusal of its own.
const LONGEST_REFUSAL: usize = 4096;
/// How axum begins when a body has the wrong shape; the rest says what and where.
const PREFIXES: [&str; 3] = [
    "Failed to deserialize the JSON body into the target type: ",
    "Failed to parse the request body as JSON: ",
    "Failed to deserialize query string: ",
];

/// Marks an answer whose error is one of callbox's own, among those that axum makes.
#[derive(Clone, Copy)]
struct Spoken;

impl IntoResponse for ApiError {
    fn into_response(self) -> Response {
        let status = StatusCode::from_u16(self.code.status()).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        let mut response = (status, Json(self)).into_response();
        response.extensions_mut().insert(Spoken);
        response
    }
}

/// The answer to a request for `uri`, as it leaves the store: it names the version, and a refusal that is not
/// callbox's own (no such route, a body of the wrong shape) has become an [`ApiError`].
pub(super) async fn translated(response: Response, method: &Method, uri: &Uri) -> Response {
    let refused = response.status().is_client_error() || response.status().is_server_error();
    let mut response = if refused && response.extensions().get::<Spoken>().is_none() {
        let status = response.status();
        let text = to_bytes(response.into_body(), LONGEST_REFUSAL).await.unwrap_or_default();
        own(status, &String::from_utf8_lossy(&text), method, uri).into_response()
    } else {
        response
    };
    let version = HeaderValue::from(API_VERSION);
    response.headers_mut().insert(HeaderName::from_static(VERSION_HEADER), version);
    response
}

/// The refusal behind a status of axum's.
fn own(status: StatusCode, text: &str, method: &Method, uri: &Uri) -> ApiError {
    let path = uri.path();
    match status {
        StatusCode::NOT_FOUND | StatusCode::METHOD_NOT_ALLOWED => {
            ApiError::new(ErrorCode::NotFound, format!("there is no route `{method} {path}`"))
        }
        StatusCode::PAYLOAD_TOO_LARGE => too_large(),
        status if status.is_client_error() => {
            let text = PREFIXES.iter().find_map(|prefix| text.strip_prefix(prefix)).unwrap_or(text);
            ApiError::new(ErrorCode::Invalid, format!("`{method} {path}` does not take this: {text}"))
        }
        _ => ApiError::new(ErrorCode::Internal, "a fault of callbox stopped the request"),
    }
}

/// The refusal of a body that is too large.
pub(super) fn too_large() -> ApiError {
    let message = format!("the body is larger than {MAX_BODY_BYTES} bytes");
    ApiError::new(ErrorCode::TooLarge, message)
}
