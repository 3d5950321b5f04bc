//! Work that blocks, done beside the run.

use std::{io, thread};

use tokio::sync::oneshot;

/// Does `work` on a thread of its own. The system's reason where it has none for that: a runtime's own threads come
/// with a panic there. So does work that panicked end in an error.
pub(super) async fn apart<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> io::Result<T> {
    let (done, wait) = oneshot::channel();
    thread::Builder::new().spawn(move || _ = done.send(work()))?;
    wait.await.map_err(|_| io::Error::other("it was broken off by a fault of callbox"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn work_is_done_elsewhere_and_a_panic_of_it_is_an_error() {
        let here = thread::current().id();
        assert_ne!(apart(move || thread::current().id()).await.unwrap(), here);
        apart(|| panic!("on purpose")).await.map(|(): ()| ()).unwrap_err();
    }
}
