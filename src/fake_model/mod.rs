//! A model server on loopback that plays a script, for real agent programs to talk to: what `callbox doctor`
//! proves an installation with, and callbox's own tests.
//!
//! One server for each play, on a port of its own. Which step is due follows from the request alone,
//! namely from how often the model has spoken in the history it carries: so retries, side requests,
//! resumes and any number of conversations need no state here. `script`, `choose` and `server` know nothing of
//! any provider; what differs between their APIs is a `dialect`, one file each: `anthropic` is the
//! Messages API, `gemini` the Gemini API, `openai` the Responses API, `completions` chat completions.

mod anthropic;
mod choose;
mod completions;
mod dialect;
mod gemini;
mod openai;
mod request;
mod script;
mod server;

use std::{
    io,
    net::TcpListener,
    sync::{Arc, Mutex, PoisonError},
};

use tokio::runtime::{Builder, Runtime};

pub use request::Request;
pub use script::{Refusal, Script, Step};

/// A running server. It ends when it is dropped, whatever is still being asked.
pub struct FakeModel {
    port: u16,
    shared: Arc<Shared>,
    runtime: Option<Runtime>,
}

/// What the routes share.
struct Shared {
    script: Script,
    requests: Mutex<Vec<Request>>,
}

impl Shared {
    /// Keeps `request`. Its number from 1, and how many requests that offered tools came before it.
    fn keep(&self, request: Request) -> (usize, usize) {
        let mut requests = self.requests.lock().unwrap_or_else(PoisonError::into_inner);
        let asked = requests.iter().filter(|earlier| !earlier.offered().is_empty()).count();
        requests.push(request);
        (requests.len(), asked)
    }
}

impl FakeModel {
    /// Starts a server that plays `script`. Fails where loopback is not to be had.
    pub fn start(script: Script) -> io::Result<Self> {
        let listener = TcpListener::bind(("127.0.0.1", 0))?;
        listener.set_nonblocking(true)?;
        let port = listener.local_addr()?.port();
        let shared = Arc::new(Shared { script, requests: Mutex::default() });
        let runtime = Builder::new_multi_thread().worker_threads(1).enable_all().build()?;
        let app = server::routes(shared.clone());
        let listener = {
            let _inside = runtime.enter();
            tokio::net::TcpListener::from_std(listener)?
        };
        // Ends with the runtime; accepting is tried again by itself after an error.
        runtime.spawn(async move { axum::serve(listener, app).await });
        Ok(Self { port, shared, runtime: Some(runtime) })
    }

    /// What an agent program takes for its provider.
    pub fn url(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }

    /// Everything that was asked so far, in order.
    pub fn requests(&self) -> Vec<Request> {
        self.shared.requests.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Of these, what belongs to a conversation: side requests, such as for a title, offer no tools.
    pub fn turns(&self) -> Vec<Request> {
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
