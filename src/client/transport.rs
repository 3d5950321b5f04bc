//! HTTP over the socket: one request out, one answer or its [`ClientError`] back.

use std::{
    path::Path,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use reqwest::{Client, Method, RequestBuilder, Response, Url, header::CONTENT_TYPE};
use serde::Serialize;

use super::{answer, error::ClientError, socket::Socket};
use crate::protocol::{
    HOST, MAX_BODY_BYTES, VERSION_HEADER,
    error::{ApiError, ErrorCode},
};

/// How long a request may take that the store answers as soon as it can. Generous, since a store on
/// a slow disk answers only once it has written.
pub(super) const PROMPT: Duration = Duration::from_secs(30);

/// A way to one store. Cloning shares its connections.
#[derive(Clone)]
pub struct Transport {
    shared: Arc<Shared>,
}

struct Shared {
    socket: Socket,
    http: Client,
    /// What every request goes to, read once and not for each.
    base: Url,
    /// Whether the server's user was checked since the socket last led nowhere: whoever binds it
    /// next is checked again.
    checked: AtomicBool,
}

impl Transport {
    /// A way to the store behind `socket`. Connects to nothing yet; a store that starts later is
    /// found. Fails where the folder of an over-long path does not exist.
    pub fn new(socket: &Path) -> Result<Self, ClientError> {
        let socket = Socket::at(socket)?;
        let http = Client::builder()
            .unix_socket(socket.path())
            .no_proxy()
            .redirect(reqwest::redirect::Policy::none())
            .retry(reqwest::retry::never())
            .build()
            .map_err(|error| ClientError::broken_by("the HTTP client could not be set up", error))?;
        let base = Url::parse(&format!("http://{HOST}"))
            .map_err(|error| ClientError::broken_by("the store's name could not be read", error))?;
        Ok(Self { shared: Arc::new(Shared { socket, http, base, checked: AtomicBool::new(false) }) })
    }

    /// A request without a body, to be finished and given to [`Transport::send`]. `version` is that
    /// of the plane.
    pub(super) fn request(&self, method: Method, path: &str, version: u32) -> RequestBuilder {
        let mut url = self.shared.base.clone();
        url.set_path(path);
        self.shared.http.request(method, url).header(VERSION_HEADER, version)
    }

    /// A request that carries `body`. Refuses what the store would refuse to read, so that a large
    /// body is named as such and not as a lost connection.
    pub(super) fn post<T: Serialize>(
        &self,
        path: &str,
        version: u32,
        body: &T,
    ) -> Result<RequestBuilder, ClientError> {
        let body = serde_json::to_vec(body)
            .map_err(|error| ClientError::broken_by("the request could not be written as JSON", error))?;
        if body.len() > MAX_BODY_BYTES {
            let message =
                format!("the request has {} bytes, and at most {MAX_BODY_BYTES} are read", body.len());
            return Err(ClientError::Refused(ApiError::new(ErrorCode::TooLarge, message)));
        }
        Ok(self.request(Method::POST, path, version).header(CONTENT_TYPE, "application/json").body(body))
    }

    /// Sends it, and turns every answer but success into an error.
    pub(super) async fn send(&self, request: RequestBuilder) -> Result<Response, ClientError> {
        let request = request.build().map_err(|error| {
            let message = format!("the request cannot be sent: {}", error.without_url());
            ClientError::Refused(ApiError::new(ErrorCode::Invalid, message))
        })?;
        if !self.shared.checked.load(Ordering::Relaxed) {
            self.shared.socket.check_server().await?;
            self.shared.checked.store(true, Ordering::Relaxed);
        }
        match self.shared.http.execute(request).await {
            Ok(response) if response.status().is_success() => Ok(response),
            Ok(response) => Err(answer::refusal(response).await),
            Err(error) => {
                let error = ClientError::from_http(error);
                if matches!(error, ClientError::Unreachable { .. }) {
                    self.shared.checked.store(false, Ordering::Relaxed);
                }
                Err(error)
            }
        }
    }
}
