//! Standard output, whatever it is, without a thread where that can be had.

use std::{io, os::fd::AsFd as _};

use tokio::{
    io::{AsyncWriteExt as _, Interest, Stdout},
    net::unix::pipe,
};

use super::socket::SocketStream;

/// Standard output.
pub(super) enum Output {
    /// A pipe, opened a second time so that it can be non-blocking for this process alone.
    Pipe(pipe::Sender),
    /// A socket.
    Socket(SocketStream),
    /// A file, a terminal or a device: written by a thread.
    Other(Stdout),
}

impl Output {
    /// Takes the process's standard output. To be called inside the runtime.
    pub(super) fn open() -> Self {
        if let Ok(pipe) = pipe::OpenOptions::new().open_sender("/proc/self/fd/1") {
            return Self::Pipe(pipe);
        }
        match SocketStream::of(io::stdout().as_fd(), Interest::WRITABLE) {
            Some(socket) => Self::Socket(socket),
            None => Self::Other(tokio::io::stdout()),
        }
    }

    /// Writes all of `bytes`.
    pub(super) async fn write_all(&mut self, bytes: &[u8]) -> io::Result<()> {
        match self {
            Self::Pipe(pipe) => pipe.write_all(bytes).await,
            Self::Socket(socket) => socket.write_all(bytes).await,
            Self::Other(stdout) => {
                stdout.write_all(bytes).await?;
                stdout.flush().await
            }
        }
    }
}
