//! A model server on loopback that plays a script, for real agent programs to talk to.
//!
//! One server for each test, on a port of its own. Which step is due follows from the request alone,
//! namely from how often the model has spoken in the history it carries: so retries, side requests,
//! resumes and any number of conversations need no state here. `script` and `choose` know nothing of
//! any provider; `anthropic` speaks the Messages API.

mod anthropic;
mod choose;
mod request;
mod script;

use std::{
    net::TcpListener,
    sync::{Arc, Mutex},
};

use tokio::runtime::Runtime;

pub(crate) use request::Request;
pub(crate) use script::{Refusal, Script, Step};

/// A running server. It ends when it is dropped, whatever is still being asked.
pub(crate) struct FakeModel {
    port: u16,
    shared: Arc<Shared>,
    runtime: Option<Runtime>,
}

/// What the routes share.
struct Shared {
    script: Script,
    requests: Mutex<Vec<Request>>,
}

impl FakeModel {
    /// Starts a server that plays `script`.
    pub(crate) fn start(script: Script) -> Self {
        let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
        listener.set_nonblocking(true).unwrap();
        let port = listener.local_addr().unwrap().port();
        let shared = Arc::new(Shared { script, requests: Mutex::default() });
        let runtime =
            tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
        let app = anthropic::routes(shared.clone());
        runtime.spawn(async move {
            let listener = tokio::net::TcpListener::from_std(listener).unwrap();
            axum::serve(listener, app).await.unwrap();
        });
        Self { port, shared, runtime: Some(runtime) }
    }

    /// What an agent program takes for its provider.
    pub(crate) fn url(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }

    /// Everything that was asked so far, in order.
    pub(crate) fn requests(&self) -> Vec<Request> {
        self.shared.requests.lock().unwrap().clone()
    }

    /// Of these, what belongs to a conversation: side requests, such as for a title, offer no tools.
    pub(crate) fn turns(&self) -> Vec<Request> {
        self.requests().into_iter().filter(|request| !request.offered().is_empty()).collect()
    }
}

impl Drop for FakeModel {
    fn drop(&mut self) {
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}
