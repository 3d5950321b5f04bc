//! Standard input, whatever it is, without a thread where that can be had.

use std::{io, os::fd::AsFd as _};

use tokio::{
    io::{AsyncReadExt as _, Interest, Stdin},
    net::unix::pipe,
};

use super::socket::SocketStream;

/// Standard input.
pub(super) enum Input {
    /// A pipe, opened a second time so that it can be non-blocking for this process alone.
    Pipe(pipe::Receiver),
    /// A socket.
    Socket(SocketStream),
    /// A file, a terminal or a device: read by a thread.
    Other(Stdin),
}

impl Input {
    /// Takes the process's standard input. To be called inside the runtime.
    pub(super) fn open() -> Self {
        if let Ok(pipe) = pipe::OpenOptions::new().open_receiver("/proc/self/fd/0") {
            return Self::Pipe(pipe);
        }
        match SocketStream::of(io::stdin().as_fd(), Interest::READABLE) {
            Some(socket) => Self::Socket(socket),
            None => Self::Other(tokio::io::stdin()),
        }
    }

    /// Some bytes, or none at the end. Dropping the future loses none.
    pub(super) async fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match self {
            Self::Pipe(pipe) => pipe.read(buffer).await,
            Self::Socket(socket) => socket.read(buffer).await,
            Self::Other(stdin) => stdin.read(buffer).await,
        }
    }
}
